/** A writer of spans that also measures: from the same facts, for apps whose spans no collector makes metrics of. */
import type * as Tracer from "effect/Tracer"
import type { ApprovalFacts, ChatFacts, Place, SpanWriter, ViolationFacts } from "../lifecycle/SpanWriter.ts"
import type { ApprovalState, Outcome, ResultOrigin } from "../lifecycle/ToolCall.ts"
import type { TrackedCall } from "../lifecycle/TrackedCall.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as Metric from "../semconv/metric.ts"
import type { Stage } from "../semconv/registry.ts"
import * as SpanName from "../semconv/span.ts"
import { maximumViolationEvents } from "../lifecycle/limit.ts"
import { record } from "./Measurement.ts"

type Registry = NonNullable<Place["metrics"]>

const nameOf = (call: TrackedCall): string => call.call.identity.name ?? SpanName.unknownTool

const seconds = (span: Tracer.Span, time: bigint): number => Math.max(0, Number(time - span.status.startTime) / 1e9)

interface StageFacts {
  readonly approval: ApprovalState
  readonly event?: ApprovalFacts["event"]
  readonly outcome?: Outcome
  readonly origin?: ResultOrigin
}

const stage = (registry: Registry, name: Stage, call: TrackedCall, facts: StageFacts): void =>
  record(registry, Metric.toolspanStageCalls, {
    [Attribute.toolspanStage]: name,
    [Attribute.genAiToolName]: nameOf(call),
    [Attribute.toolspanOutcome]: facts.outcome,
    [Attribute.toolspanApprovalState]: facts.approval,
    [Attribute.toolspanApprovalEvent]: facts.event,
    [Attribute.toolspanResultOrigin]: facts.origin,
    [Attribute.toolspanProviderExecuted]: call.call.identity.providerExecuted ? "true" : undefined
  })

const approval = (registry: Registry, call: TrackedCall, facts: ApprovalFacts): void => {
  stage(registry, "approval", call, { approval: facts.state, event: facts.event })
  if (facts.waitSeconds === undefined) return
  const labels = { [Attribute.genAiToolName]: nameOf(call), [Attribute.toolspanApprovalState]: facts.state }
  record(registry, Metric.toolspanApprovalWaitDuration, labels, facts.waitSeconds)
  record(registry, Metric.toolspanApprovalWaitCalls, labels)
}

const execution = (
  registry: Registry,
  agent: string | undefined,
  call: TrackedCall,
  errorType: string | undefined,
  duration: number
): void => {
  const labels = {
    [Attribute.genAiToolName]: nameOf(call),
    [Attribute.genAiToolType]: call.call.identity.providerExecuted ? "extension" : "function",
    [Attribute.errorType]: errorType,
    [Attribute.genAiAgentName]: agent
  }
  record(registry, Metric.genAiExecuteToolDuration, labels, duration)
  record(registry, Metric.genAiExecuteToolCalls, labels)
}

const inference = (registry: Registry, facts: ChatFacts, duration: number): void => {
  const labels = {
    [Attribute.genAiProviderName]: facts.provider,
    [Attribute.genAiRequestModel]: facts.requestModel,
    [Attribute.errorType]: facts.errorType
  }
  record(registry, Metric.genAiClientInferenceDuration, labels, duration)
  record(registry, Metric.genAiClientInferenceCalls, labels)
}

/** As many as the span has events: a collector sees no more. */
const violations = (registry: Registry, found: ReadonlyArray<ViolationFacts>): void => {
  for (const { kind } of found.slice(0, maximumViolationEvents)) {
    record(registry, Metric.toolspanViolationEvents, { [Attribute.toolspanViolationKind]: kind })
  }
}

/** The same writer; it measures wherever the place says so, sampled or not. */
export const make = (writer: SpanWriter): SpanWriter => ({
  ...writer,
  endDecision: (place, span, call, facts, time) => {
    writer.endDecision(place, span, call, facts, time)
    if (place.metrics !== undefined) stage(place.metrics, "decision", call, { approval: facts.approval })
  },
  approval: (place, call, facts, time) => {
    const span = writer.approval(place, call, facts, time)
    if (place.metrics !== undefined) approval(place.metrics, call, facts)
    return span
  },
  endExecution: (place, span, call, facts, time) => {
    writer.endExecution(place, span, call, facts, time)
    if (place.metrics === undefined) return
    execution(place.metrics, place.agent, call, facts.errorType, seconds(span, time))
    stage(place.metrics, "execution", call, { approval: facts.approval, outcome: facts.outcome })
  },
  result: (place, call, facts, time) => {
    const span = writer.result(place, call, facts, time)
    if (place.metrics !== undefined) {
      stage(place.metrics, "result", call, { approval: facts.approval, outcome: facts.outcome, origin: facts.origin })
    }
    return span
  },
  endChat: (place, span, facts, time) => {
    writer.endChat(place, span, facts, time)
    if (place.metrics !== undefined) inference(place.metrics, facts, seconds(span, time))
  },
  violations: (place, span, found, time) => {
    writer.violations(place, span, found, time)
    if (place.metrics !== undefined) violations(place.metrics, found)
  }
})
