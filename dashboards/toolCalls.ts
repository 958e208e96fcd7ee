/** How often tools are called, how long they take, how they end. */
import * as Attribute from "../src/semconv/attribute.ts"
import * as Column from "./columns.ts"
import type { Definition } from "./dashboard.ts"
import * as Panel from "./panels.ts"
import { legend } from "./promql.ts"
import { toolCalls, traces } from "./queries.ts"
import * as Table from "./tables.ts"
import * as Variable from "./variables.ts"

const none = "No tool has run in this time range"
const noRequest = "No model has been asked in this time range"

const duration = (part: number): Panel.Panel =>
  Panel.lines({
    title: `Duration, p${part * 100}`,
    description: `${
      part * 100
    } of 100 executions take no longer than this, by tool. Each dot is one execution: it opens its trace.`,
    unit: "s",
    empty: none,
    width: 8
  }, { expression: toolCalls.duration(part), legend: legend(Attribute.genAiToolName), exemplars: true })

/** The dashboard. */
export const dashboard: Definition = {
  uid: "toolspan-tool-calls",
  title: "Tool calls",
  description: "How often AI tools are called, how long they take and how they end.",
  from: "now-6h",
  variables: [
    Variable.prometheusSource(),
    Variable.tempoSource(),
    Variable.service(),
    Variable.tool(),
    Variable.agent(),
    Variable.slower()
  ],
  rows: [
    {
      title: "At a glance",
      panels: [
        Panel.stat({
          title: "Calls decided",
          description: "How often models asked for a tool, in the time range.",
          unit: "short",
          empty: "None"
        }, toolCalls.decisions),
        Panel.stat({
          title: "Executions",
          description: "How often a tool ran, in the time range. Denied and provider-executed calls do not run here.",
          unit: "short",
          empty: "None"
        }, toolCalls.count),
        Panel.stat({
          title: "Failed",
          description: "The share of executions that ended with an error. Denied and interrupted ones are no errors.",
          unit: "percentunit",
          empty: "No executions",
          red: 0.1
        }, toolCalls.errorShare),
        Panel.stat({
          title: "Duration, p95",
          description: "95 of 100 executions took no longer than this, over all tools in the time range.",
          unit: "s",
          empty: "No executions"
        }, toolCalls.slowest95)
      ]
    },
    {
      title: "Rate and errors",
      panels: [
        Panel.lines(
          { title: "Executions", description: "Executions a second, by tool.", unit: "ops", empty: none },
          { expression: toolCalls.rateByTool, legend: legend(Attribute.genAiToolName) }
        ),
        Panel.lines({
          title: "Errors",
          description: "Failed executions a second, by tool and type of error.",
          unit: "ops",
          empty: "No errors in this time range"
        }, { expression: toolCalls.errorsByTool, legend: legend(Attribute.genAiToolName, Attribute.errorType) }),
        Panel.lines({
          title: "Share of errors",
          description: "The share of executions that failed, by tool. A tool without any failure has no line.",
          unit: "percentunit",
          empty: "No errors in this time range"
        }, { expression: toolCalls.errorShareByTool, legend: legend(Attribute.genAiToolName) }),
        Panel.lines({
          title: "Outcomes of executions",
          description:
            "How executions ended, a second: success, failure, invalid_parameters, invalid_result, unknown_tool, interrupted.",
          unit: "ops",
          empty: none
        }, { expression: toolCalls.outcomes, legend: legend(Attribute.toolspanOutcome) }),
        Panel.lines({
          title: "Outcomes of results",
          description:
            "What models were told, a second, and where it came from: a handler, the provider, a denial, the app's own history.",
          unit: "ops",
          empty: "No result in this time range",
          width: 24
        }, { expression: toolCalls.results, legend: legend(Attribute.toolspanOutcome, Attribute.toolspanResultOrigin) })
      ]
    },
    { title: "Duration", panels: [duration(0.5), duration(0.95), duration(0.99)] },
    {
      title: "Slowest and failed",
      panels: [
        Table.figures(
          {
            title: "Slowest tools",
            description: "The ten tools with the highest p95 in the time range.",
            unit: "s",
            empty: none,
            width: 8
          },
          toolCalls.slowestTools,
          [Column.figures.service, Column.figures.tool, Column.figures.value("p95", "s")]
        ),
        Table.spans(
          {
            title: "Slow executions",
            description: "The newest executions that took longer than `Slower than`, longest first (200 at most).",
            unit: "string",
            empty: "No execution was that slow",
            width: 16
          },
          traces.slow,
          [
            Column.start,
            Column.duration,
            Column.service,
            Column.tool,
            Column.call,
            Column.outcome,
            Column.conversation
          ],
          { by: Column.duration.title, descending: true }
        ),
        Table.spans(
          {
            title: "Failed executions",
            description: "The newest executions that ended with an error (200 at most).",
            unit: "string",
            empty: "No execution has failed"
          },
          traces.failed,
          [
            Column.start,
            Column.duration,
            Column.service,
            Column.tool,
            Column.error,
            Column.outcome,
            Column.call,
            Column.conversation
          ],
          { by: Column.start.title, descending: true }
        )
      ]
    },
    {
      title: "Model requests",
      panels: [
        Panel.lines(
          {
            title: "Requests",
            description: "Requests to models a second, by model.",
            unit: "reqps",
            empty: noRequest,
            width: 8
          },
          { expression: toolCalls.requestRate, legend: legend(Attribute.genAiRequestModel) }
        ),
        Panel.lines({
          title: "Failed requests",
          description: "Requests a second that failed, by model and type of error.",
          unit: "reqps",
          empty: "No request has failed",
          width: 8
        }, { expression: toolCalls.requestErrors, legend: legend(Attribute.genAiRequestModel, Attribute.errorType) }),
        Panel.lines({
          title: "Duration of requests, p95",
          description: "95 of 100 requests take no longer than this, by model; a streamed answer counts to its end.",
          unit: "s",
          empty: noRequest,
          width: 8
        }, { expression: toolCalls.requestDuration, legend: legend(Attribute.genAiRequestModel), exemplars: true })
      ]
    }
  ]
}
