/** Every metric name of the contract, once, with its unit, labels and buckets. */
import * as Attribute from "./attribute.ts"

/** Seconds; the buckets that the GenAI conventions give for durations. */
const durations = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]

/** What OpenTelemetry calls the one series of everything beyond a limit of label sets; its value is `true`. */
export const overflowLabel = "otel.metric.overflow"

/** Where Effect's exporters take a metric's unit from. */
export const unitLabel = "unit"

/** How one metric is made. */
export interface MetricDefinition {
  readonly name: string
  readonly kind: "histogram" | "counter"
  readonly unit?: string
  readonly labels: ReadonlyArray<string>
  readonly buckets?: ReadonlyArray<number>
}

export const genAiExecuteToolDuration: MetricDefinition = {
  name: "gen_ai.execute_tool.duration",
  kind: "histogram",
  unit: "s",
  labels: [Attribute.genAiToolName, Attribute.genAiToolType, Attribute.errorType, Attribute.genAiAgentName],
  buckets: durations
}

export const genAiExecuteToolCalls: MetricDefinition = {
  name: "gen_ai.execute_tool.calls",
  kind: "counter",
  labels: [Attribute.genAiToolName, Attribute.genAiToolType, Attribute.errorType, Attribute.genAiAgentName]
}

export const genAiClientInferenceDuration: MetricDefinition = {
  name: "gen_ai.client.inference.duration",
  kind: "histogram",
  unit: "s",
  labels: [Attribute.genAiProviderName, Attribute.genAiRequestModel, Attribute.errorType],
  buckets: durations
}

export const genAiClientInferenceCalls: MetricDefinition = {
  name: "gen_ai.client.inference.calls",
  kind: "counter",
  labels: [Attribute.genAiProviderName, Attribute.genAiRequestModel, Attribute.errorType]
}

export const toolspanStageCalls: MetricDefinition = {
  name: "toolspan.stage.calls",
  kind: "counter",
  labels: [
    Attribute.toolspanStage,
    Attribute.genAiToolName,
    Attribute.toolspanOutcome,
    Attribute.toolspanApprovalState,
    Attribute.toolspanApprovalEvent,
    Attribute.toolspanResultOrigin,
    Attribute.toolspanProviderExecuted
  ]
}

export const toolspanApprovalWaitDuration: MetricDefinition = {
  name: "toolspan.approval.wait.duration",
  kind: "histogram",
  unit: "s",
  labels: [Attribute.genAiToolName, Attribute.toolspanApprovalState],
  buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 14400, 86400]
}

export const toolspanApprovalWaitCalls: MetricDefinition = {
  name: "toolspan.approval.wait.calls",
  kind: "counter",
  labels: [Attribute.genAiToolName, Attribute.toolspanApprovalState]
}

export const toolspanViolationEvents: MetricDefinition = {
  name: "toolspan.violation.events",
  kind: "counter",
  labels: [Attribute.toolspanViolationKind]
}

/** All of them. */
export const metrics: ReadonlyArray<MetricDefinition> = [
  genAiExecuteToolDuration,
  genAiExecuteToolCalls,
  genAiClientInferenceDuration,
  genAiClientInferenceCalls,
  toolspanStageCalls,
  toolspanApprovalWaitDuration,
  toolspanApprovalWaitCalls,
  toolspanViolationEvents
]
