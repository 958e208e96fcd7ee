/** What waits for a human, for how long, and what the answer is. */
import * as Attribute from "../src/semconv/attribute.ts"
import * as Column from "./columns.ts"
import type { Definition } from "./dashboard.ts"
import * as Panel from "./panels.ts"
import { legend } from "./promql.ts"
import { approval, traces } from "./queries.ts"
import * as Table from "./tables.ts"
import * as Variable from "./variables.ts"

const none = "No approval was asked for in this time range"
const unanswered = "No approval was answered in this time range"

/** The dashboard. */
export const dashboard: Definition = {
  uid: "toolspan-approvals",
  title: "Approvals",
  description: "Tool calls that wait for a human: how many, for how long, and what the answer is.",
  from: "now-24h",
  variables: [Variable.prometheusSource(), Variable.tempoSource(), Variable.service(), Variable.tool()],
  rows: [
    {
      title: "At a glance",
      panels: [
        Panel.stat({
          title: "Pending now",
          description:
            "Asked for in the time range and neither answered nor abandoned in it. Requests from before it are not counted: choose a range as long as an approval may wait.",
          unit: "short",
          empty: "None",
          red: 1
        }, approval.pending),
        Panel.stat({
          title: "Wait, p50",
          description: "Half of the answers in the time range came within this.",
          unit: "s",
          empty: "No answers"
        }, approval.wait(0.5)),
        Panel.stat({
          title: "Wait, p95",
          description: "95 of 100 answers in the time range came within this.",
          unit: "s",
          empty: "No answers"
        }, approval.wait(0.95)),
        Panel.stat({
          title: "Abandoned",
          description: "The conversation went on without an answer, in the time range.",
          unit: "short",
          empty: "None",
          red: 1
        }, approval.abandoned)
      ]
    },
    {
      title: "Waiting",
      panels: [
        Table.figures(
          {
            title: "Pending by tool",
            description: "Asked for in the time range and not answered in it, by service and tool.",
            unit: "short",
            empty: none,
            width: 8,
            height: 8
          },
          approval.pendingByTool,
          [Column.figures.service, Column.figures.tool, Column.figures.value("Pending", "short")]
        ),
        Panel.lines(
          {
            title: "Wait",
            description: "From request to answer, for the answers of each moment.",
            unit: "s",
            empty: unanswered,
            width: 8
          },
          { expression: approval.waitOverTime(0.5), legend: "p50", exemplars: true },
          { expression: approval.waitOverTime(0.95), legend: "p95", exemplars: true }
        ),
        Panel.lines({
          title: "Wait by tool, p95",
          description: "95 of 100 answers come within this, by tool.",
          unit: "s",
          empty: unanswered,
          width: 8
        }, { expression: approval.waitByTool, legend: legend(Attribute.genAiToolName) }),
        Panel.bars({
          title: "Longest waits by tool",
          description: "The upper bound of the bucket in which the longest wait of the time range lies.",
          unit: "s",
          empty: unanswered,
          width: 8
        }, { expression: approval.longestByTool, legend: legend("service.name", Attribute.genAiToolName) }),
        Table.spans(
          {
            title: "Longest waits",
            description: "The newest answers (200 at most), the longest wait first.",
            unit: "string",
            empty: unanswered,
            width: 16,
            height: 8
          },
          traces.longestWaits,
          [Column.wait, Column.approval, Column.start, Column.service, Column.tool, Column.call, Column.conversation],
          { by: Column.wait.title, descending: true }
        ),
        Table.spans(
          {
            title: "Asked for",
            description:
              "The newest requests for approval (200 at most), the oldest first, answered ones among them: a click on the id tells.",
            unit: "string",
            empty: none
          },
          traces.asked,
          [Column.start, Column.service, Column.tool, Column.call, Column.approvalId, Column.conversation],
          { by: Column.start.title, descending: false }
        )
      ]
    },
    {
      title: "Answers",
      panels: [
        Panel.bars({
          title: "Approved and denied by tool",
          description: "Answers in the time range, by tool and what they were.",
          unit: "short",
          empty: unanswered
        }, {
          expression: approval.answers,
          legend: legend(Attribute.genAiToolName, Attribute.toolspanApprovalState)
        }),
        Panel.lines({
          title: "Asked, answered, abandoned",
          description: "Approvals a second, by what happened.",
          unit: "ops",
          empty: none
        }, { expression: approval.events, legend: legend(Attribute.toolspanApprovalEvent) })
      ]
    },
    {
      title: "Abandoned",
      panels: [
        Table.figures(
          {
            title: "Abandoned by tool",
            description: "Approvals that nobody answered before the conversation went on, by service and tool.",
            unit: "short",
            empty: "None was abandoned",
            width: 8
          },
          approval.abandonedByTool,
          [Column.figures.service, Column.figures.tool, Column.figures.value("Abandoned", "short")]
        ),
        Table.spans(
          {
            title: "Abandoned approvals",
            description: "The newest ones (200 at most).",
            unit: "string",
            empty: "None was abandoned",
            width: 16
          },
          traces.abandoned,
          [Column.start, Column.service, Column.tool, Column.call, Column.approvalId, Column.conversation],
          { by: Column.start.title, descending: true }
        )
      ]
    }
  ]
}
