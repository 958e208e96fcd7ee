/** The alerts: what is compared with which limit, for how long, and what the message says. */
import { alerts } from "./queries.ts"

/** One alert. It fires for each series of `expression` that is beyond the limit for the whole of `lasting`. */
export interface Rule {
  readonly name: string
  readonly severity: "critical" | "warning"
  readonly expression: string
  readonly compare: ">" | "<"
  readonly limit: number
  readonly lasting: string
  readonly summary: string
  readonly description: string
  /** Where to look: a dashboard's uid, and the title of a panel on it. */
  readonly dashboard: string
  readonly panel: string
}

const where = "{{ $labels.service_name }}"
const tool = "{{ $labels.gen_ai_tool_name }}"

/**
 * Where the alerts send their readers: docker-compose.yml has Grafana serve RUNBOOK.md there, as text. A team writes the
 * address of its own copy here, or gives it to `build.ts --runbook URL`.
 */
export const runbook = "http://127.0.0.1:3000/public/toolspan/RUNBOOK.txt"

/** The section of an alert: what a Markdown heading of its name is called. */
export const section = (rule: Rule): string => `#${rule.name.toLowerCase()}`

/** How often they are evaluated, in seconds. */
export const interval = 60

/** The alerts about tool calls and those about the pipeline. */
export const groups: ReadonlyArray<{ readonly name: string; readonly rules: ReadonlyArray<Rule> }> = [
  {
    name: "toolspan-tool-calls",
    rules: [
      {
        name: "ToolErrorRateHigh",
        severity: "warning",
        expression: alerts.toolErrorShare,
        compare: ">",
        limit: 0.1,
        lasting: "5m",
        summary: `${tool} of ${where} fails often`,
        description: `{{ $value | humanizePercentage }} of the runs of ${tool} in the last 10 minutes failed.`,
        dashboard: "toolspan-tool-calls",
        panel: "Share of errors"
      },
      {
        name: "ToolSlow",
        severity: "warning",
        expression: alerts.toolDuration,
        compare: ">",
        limit: 10,
        lasting: "10m",
        summary: `${tool} of ${where} is slow`,
        description:
          `5 of 100 runs of ${tool} took longer than {{ $value | humanizeDuration }} in the last 10 minutes.`,
        dashboard: "toolspan-tool-calls",
        panel: "Duration, p95"
      },
      {
        name: "ToolApprovalUnanswered",
        severity: "warning",
        expression: alerts.approvalsUnanswered,
        compare: ">",
        limit: 0,
        lasting: "5m",
        summary: `${where} waits for approval of ${tool}`,
        description: `Unanswered approvals of ${tool}, asked for over an hour ago: {{ $value }}.`,
        dashboard: "toolspan-approvals",
        panel: "Pending by tool"
      },
      {
        name: "ToolApprovalSlow",
        severity: "warning",
        expression: alerts.approvalWait,
        compare: ">",
        limit: 1800,
        lasting: "10m",
        summary: `Approvals of ${tool} in ${where} take long`,
        description: `5 of 100 answers of the last hour took longer than {{ $value | humanizeDuration }}.`,
        dashboard: "toolspan-approvals",
        panel: "Wait by tool, p95"
      },
      {
        name: "ToolDuplicateExecution",
        severity: "critical",
        expression: alerts.kind("duplicate_execution"),
        compare: ">",
        limit: 0,
        lasting: "0s",
        summary: `${where} ran a tool call twice`,
        description:
          "A call that had run was executed again in the last 10 minutes: what it does may have been done twice.",
        dashboard: "toolspan-pairing",
        panel: "Duplicate executions"
      },
      {
        name: "ToolApprovalMismatch",
        severity: "critical",
        expression: alerts.kind("approval_mismatch"),
        compare: ">",
        limit: 0,
        lasting: "0s",
        summary: `${where} ran a tool call that was not the approved one`,
        description:
          "In the last 10 minutes a call ran that is not the one, or has not the arguments, that a human approved.",
        dashboard: "toolspan-pairing",
        panel: "Approval mismatches"
      },
      {
        name: "ToolViolationsRising",
        severity: "warning",
        expression: alerts.violations,
        compare: ">",
        limit: 10,
        lasting: "5m",
        summary: `More pairing faults than usual in ${where}`,
        description:
          "{{ $value | humanize }} pairing faults in half an hour: over three times the rate of the day before.",
        dashboard: "toolspan-pairing",
        panel: "By service"
      }
    ]
  },
  {
    name: "toolspan-pipeline",
    rules: [
      {
        name: "PipelineDropping",
        severity: "critical",
        expression: alerts.pipelineLost,
        compare: ">",
        limit: 0,
        lasting: "0s",
        summary: "The collector {{ $labels.instance }} loses telemetry",
        description:
          "{{ $value }} spans or metric points were lost in the last 10 minutes: no room in a queue, or the store will not have them.",
        dashboard: "toolspan-pipeline",
        panel: "Dropped"
      },
      {
        name: "PipelineRefusing",
        severity: "warning",
        expression: alerts.pipelineRefused,
        compare: ">",
        limit: 0,
        lasting: "5m",
        summary: "The collector {{ $labels.instance }} refuses spans",
        description:
          "{{ $value }} spans were sent back in the last 10 minutes. Applications try again, and drop them when it lasts.",
        dashboard: "toolspan-pipeline",
        panel: "Refused"
      },
      {
        name: "PipelineQueueFilling",
        severity: "warning",
        expression: alerts.pipelineQueue,
        compare: ">",
        limit: 0.8,
        lasting: "5m",
        summary: "A queue of the collector {{ $labels.instance }} is nearly full",
        description:
          "The queue of {{ $labels.exporter }} is at {{ $value | humanizePercentage }}: its store is down or too slow.",
        dashboard: "toolspan-pipeline",
        panel: "Queues"
      },
      {
        name: "CollectorDown",
        severity: "critical",
        expression: alerts.collectorUp,
        compare: "<",
        limit: 1,
        lasting: "2m",
        summary: "{{ with $labels.instance }}The collector {{ . }} is down{{ else }}No collector is scraped{{ end }}",
        description: "Prometheus has not reached a collector for two minutes. No spans and no metrics come through it.",
        dashboard: "toolspan-pipeline",
        panel: "Up since"
      }
    ]
  }
]
