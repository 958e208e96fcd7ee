/**
 * Every query of the dashboards and alerts.
 *
 * Rates and counts come from counters; quantiles come from histograms. The collector's counters start at 0 and are sent again
 * while idle. Those of an app that counts itself start at their first event: what is counted, and what is a fault or an error,
 * is asked for so that it is seen too; the rates of all that goes well lack it.
 */
import * as Attribute from "../src/semconv/attribute.ts"
import * as Event from "../src/semconv/event.ts"
import * as Metric from "../src/semconv/metric.ts"
import * as Span from "../src/semconv/span.ts"
import type { ViolationKind } from "../src/semconv/violation.ts"
import * as P from "./promql.ts"
import { collectorJob, invalidFilter, selfMetrics } from "./selfMetrics.ts"
import * as T from "./traceql.ts"

const serviceName = "service.name"
const inServices = P.chosen(serviceName, "service")
const ofTools = P.chosen(Attribute.genAiToolName, "tool")
const ofAgents = P.chosen(Attribute.genAiAgentName, "agent")
const failed = P.present(Attribute.errorType)

const stages = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.toolspanStageCalls), matchers)
const executions = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.genAiExecuteToolCalls), matchers)
const durations = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.genAiExecuteToolDuration), matchers)
const requests = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.genAiClientInferenceCalls), matchers)
const requestDurations = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.genAiClientInferenceDuration), matchers)
const waits = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.toolspanApprovalWaitDuration), matchers)
const faults = (...matchers: ReadonlyArray<P.Matcher>): string =>
  P.series(P.metricName(Metric.toolspanViolationEvents), matchers)

const stage = (value: string): P.Matcher => P.is(Attribute.toolspanStage, value)
const approvalEvents = (...values: ReadonlyArray<string>): P.Matcher =>
  P.oneOf(Attribute.toolspanApprovalEvent, ...values)
const answered = approvalEvents("resolved", "abandoned")
const asked = approvalEvents("requested")

const byTool = [Attribute.genAiToolName]
const byServiceAndTool = [serviceName, Attribute.genAiToolName]
const run = [inServices, ofTools, ofAgents]

/** What the variables of the dashboards offer. */
export const variables = {
  service: `label_values(${stages()}, ${P.serviceLabel})`,
  tool: `label_values(${stages(inServices)}, ${P.labelName(Attribute.genAiToolName)})`,
  agent: `label_values(${executions(inServices)}, ${P.labelName(Attribute.genAiAgentName)})`,
  job: `label_values(${selfMetrics.uptime.name}, job)`,
  instance: `label_values(${P.series(selfMetrics.uptime.name, [P.chosen("job", "job")])}, instance)`
}

/** How often tools run, how long it takes and how it ends. */
export const toolCalls = {
  count: P.sum(P.counted(executions(...run))),
  decisions: P.sum(P.counted(stages(stage("decision"), inServices, ofTools))),
  errorShare: P.share(P.sum(P.counted(executions(failed, ...run))), P.sum(P.counted(executions(...run)))),
  slowest95: P.quantile(0.95, P.observed(durations(...run), "$__range")),
  rateByTool: P.sum(P.rate(executions(...run)), byTool),
  errorsByTool: P.countedRate(executions(failed, ...run), [Attribute.genAiToolName, Attribute.errorType]),
  errorShareByTool: P.share(
    P.sum(P.rate(executions(failed, ...run)), byTool),
    P.sum(P.rate(executions(...run)), byTool)
  ),
  outcomes: P.sum(P.rate(stages(stage("execution"), inServices, ofTools)), [Attribute.toolspanOutcome]),
  results: P.sum(P.rate(stages(stage("result"), inServices, ofTools)), [
    Attribute.toolspanOutcome,
    Attribute.toolspanResultOrigin
  ]),
  duration: (part: number): string => P.quantile(part, P.observed(durations(...run)), byTool),
  slowestTools: P.largest(10, P.quantile(0.95, P.observed(durations(...run), "$__range"), byServiceAndTool)),
  requestRate: P.sum(P.rate(requests(inServices)), [Attribute.genAiRequestModel]),
  requestErrors: P.countedRate(requests(failed, inServices), [Attribute.genAiRequestModel, Attribute.errorType]),
  requestDuration: P.quantile(0.95, P.observed(requestDurations(inServices)), [Attribute.genAiRequestModel])
}

const approvals = (...matchers: ReadonlyArray<P.Matcher>): string => stages(stage("approval"), ...matchers)

/** Asked for and not answered, each in its window. Rounded, since `increase` guesses at the edges of a window. */
const unanswered = (askedFor: string, answers: string, by: ReadonlyArray<string>): string =>
  `round(${P.sum(askedFor, by)} - ${P.orZero(P.sum(answers, by), P.sum(askedFor, by))})`

const pending = (by: ReadonlyArray<string>): string =>
  `clamp_min(${
    unanswered(
      P.counted(approvals(asked, inServices, ofTools)),
      P.counted(approvals(answered, inServices, ofTools)),
      by
    )
  }, 0)`

/** What is asked for, how long an answer takes and what it is. */
export const approval = {
  pending: pending([]),
  pendingByTool: pending(byServiceAndTool),
  abandoned: P.sum(P.counted(approvals(approvalEvents("abandoned"), inServices, ofTools))),
  wait: (part: number): string => P.quantile(part, P.observed(waits(inServices, ofTools), "$__range")),
  waitOverTime: (part: number): string => P.quantile(part, P.observed(waits(inServices, ofTools))),
  waitByTool: P.quantile(0.95, P.observed(waits(inServices, ofTools)), byTool),
  longestByTool: P.largest(10, P.quantile(1, P.observed(waits(inServices, ofTools), "$__range"), byServiceAndTool)),
  answers: P.sum(P.counted(approvals(approvalEvents("resolved"), inServices, ofTools)), [
    Attribute.genAiToolName,
    Attribute.toolspanApprovalState
  ]),
  events: P.sum(P.rate(approvals(inServices, ofTools)), [Attribute.toolspanApprovalEvent]),
  abandonedByTool: P.sum(P.counted(approvals(approvalEvents("abandoned"), inServices, ofTools)), byServiceAndTool)
}

const ofKinds = P.chosen(Attribute.toolspanViolationKind, "kind")
const kind = (value: ViolationKind): P.Matcher => P.is(Attribute.toolspanViolationKind, value)

/** Faults in how calls, approvals and results belong together. */
export const pairing = {
  count: P.sum(P.counted(faults(ofKinds, inServices))),
  duplicates: P.sum(P.counted(faults(kind("duplicate_execution"), inServices))),
  mismatches: P.sum(P.counted(faults(kind("approval_mismatch"), inServices))),
  perDecision: P.share(
    P.sum(P.counted(faults(ofKinds, inServices))),
    P.sum(P.counted(stages(stage("decision"), inServices)))
  ),
  byKind: P.countedRate(faults(ofKinds, inServices), [Attribute.toolspanViolationKind]),
  byService: P.countedRate(faults(ofKinds, inServices), [serviceName]),
  table: P.sum(P.counted(faults(ofKinds, inServices)), [serviceName, Attribute.toolspanViolationKind])
}

const scraped = [P.chosen("job", "job"), P.chosen("instance", "instance")]
const self = (metric: { readonly name: string }): string => P.series(metric.name, scraped)
const perSecond = (metric: { readonly name: string }, by: ReadonlyArray<string>): string =>
  P.sum(P.rate(self(metric)), by)
const invalidSpans = P.series(selfMetrics.filteredSpans.name, [...scraped, P.is("filter", invalidFilter)])
/** These counters are there only once something was lost. */
const lostSpans = [self(selfMetrics.enqueueFailedSpans), self(selfMetrics.sendFailedSpans), invalidSpans]

/** What goes through the collectors, and what does not. */
export const pipeline = {
  received: P.sum(P.rate(self(selfMetrics.acceptedSpans))),
  refusedCount: P.sum(P.increase(self(selfMetrics.refusedSpans))),
  lostCount: lostSpans.map((counter) => `(${P.sum(P.counted(counter))} or vector(0))`).join(" + "),
  queueShare: `max(${self(selfMetrics.queueSize)} / ${self(selfMetrics.queueCapacity)})`,
  receivedBy: perSecond(selfMetrics.acceptedSpans, ["receiver", "transport"]),
  refusedBy: perSecond(selfMetrics.refusedSpans, ["receiver", "transport"]),
  failedBy: perSecond(selfMetrics.failedSpans, ["receiver", "transport"]),
  limiterRefused: perSecond(selfMetrics.limiterRefusedSpans, ["processor"]),
  incoming: perSecond(selfMetrics.incomingItems, ["processor", "otel_signal"]),
  outgoing: perSecond(selfMetrics.outgoingItems, ["processor", "otel_signal"]),
  queued: P.sum(self(selfMetrics.queueSize), ["exporter", "data_type"]),
  capacity: P.sum(self(selfMetrics.queueCapacity), ["exporter", "data_type"]),
  sentSpans: perSecond(selfMetrics.sentSpans, ["exporter"]),
  sentMetrics: perSecond(selfMetrics.sentMetricPoints, ["exporter"]),
  enqueueFailed: P.countedRate(self(selfMetrics.enqueueFailedSpans), ["exporter"]),
  sendFailed: P.countedRate(self(selfMetrics.sendFailedSpans), ["exporter"]),
  sendFailedMetrics: P.countedRate(self(selfMetrics.sendFailedMetricPoints), ["exporter"]),
  invalid: P.countedRate(invalidSpans, ["filter"]),
  memory: P.sum(self(selfMetrics.residentMemory), ["instance"]),
  cpu: perSecond(selfMetrics.cpuSeconds, ["instance"]),
  uptime: P.sum(self(selfMetrics.uptime), ["instance"])
}

const alertTools = (expression: string): string => P.sum(expression, byServiceAndTool)
const ofCollectors = P.is("job", collectorJob)
const collectors = (metric: { readonly name: string }): string => P.series(metric.name, [ofCollectors])
const lost = P.oneOf(
  "__name__",
  selfMetrics.enqueueFailedSpans.name,
  selfMetrics.enqueueFailedMetricPoints.name,
  selfMetrics.sendFailedSpans.name,
  selfMetrics.sendFailedMetricPoints.name
)

/** Grown by so many since ten minutes ago. Unlike `increase` it sees a counter that was not there before. */
const grown = (counters: string): string => {
  const now = P.sum(counters, ["job", "instance"])
  return `${now} - ${P.orZero(P.sum(`${counters} offset 10m`, ["job", "instance"]), now)}`
}

const upNow = collectors(selfMetrics.up)
const upBefore = `${upNow} offset 10m`
/** Scraped ten minutes ago and now not at all, and nothing is in its place: one that was replaced has another address. */
const vanished =
  `0 * (max by (job, instance) (${upBefore}) unless max by (job, instance) (${upNow}) unless on (job) count by (job) (${upNow}) >= count by (job) (${upBefore}))`

/** What the alerts compare with their limits. */
export const alerts = {
  toolErrorShare: `${
    P.share(alertTools(P.increase(executions(failed), "10m")), alertTools(P.increase(executions(), "10m")))
  } and ${alertTools(P.increase(executions(), "10m"))} >= 5`,
  toolDuration: `${P.quantile(0.95, P.observed(durations(), "10m"), byServiceAndTool)} and ${
    alertTools(P.increase(executions(), "10m"))
  } >= 5`,
  approvalsUnanswered: unanswered(
    P.counted(approvals(asked), "23h", "1h"),
    P.counted(approvals(answered), "1d"),
    byServiceAndTool
  ),
  approvalWait: P.quantile(0.95, P.observed(waits(), "1h"), byServiceAndTool),
  kind: (value: ViolationKind): string => P.sum(P.counted(faults(kind(value)), "10m"), [serviceName]),
  violations: `${P.sum(P.counted(faults(), "30m"), [serviceName])} unless ${
    P.sum(P.counted(faults(), "30m"), [serviceName])
  } <= 3 * ${P.sum(P.counted(faults(), "1d", "30m"), [serviceName])} / 48`,
  pipelineLost: grown(P.series("", [lost, ofCollectors])),
  pipelineRefused: grown(collectors(selfMetrics.refusedSpans)),
  pipelineQueue: `max by (job, instance, exporter) (${collectors(selfMetrics.queueSize)} / ${
    collectors(selfMetrics.queueCapacity)
  })`,
  collectorUp: `min by (job, instance) (${upNow}) or ${vanished} or absent(${upNow}) - 1`
}

const typedId = (attribute: string): string => `${attribute} = ${T.typed("id")}`
const inChosenServices = `${T.service} =~ ${T.pattern("service")}`
const named = (prefix: string): string => `name =~ ${T.pattern("tool", `${prefix} `)}`
const atStage = (value: string): string => `${T.span(Attribute.toolspanStage)} = ${T.text(value)}`
const approvalEvent = (value: string): string => `${T.span(Attribute.toolspanApprovalEvent)} = ${T.text(value)}`

const call = [T.service, "name", T.span(Attribute.genAiToolCallId)]
const callWithTool = [...call, T.span(Attribute.genAiToolName), T.span(Attribute.genAiConversationId)]
const story = [
  T.service,
  "name",
  "status",
  T.span(Attribute.toolspanStage),
  T.span(Attribute.genAiToolName),
  T.span(Attribute.toolspanCallKey),
  T.span(Attribute.toolspanApprovalState),
  T.span(Attribute.toolspanApprovalEvent),
  T.span(Attribute.toolspanApprovalWait),
  T.span(Attribute.toolspanOutcome),
  T.span(Attribute.toolspanResultOrigin),
  T.span(Attribute.errorType),
  T.span(Attribute.genAiConversationId)
]
const linked = [
  T.service,
  "name",
  T.span(Attribute.toolspanStage),
  "link:traceID",
  "link:spanID",
  T.span(Attribute.toolspanLinkDecidedBy),
  T.span(Attribute.toolspanLinkApprovedBy),
  T.span(Attribute.toolspanLinkAnswers),
  T.span(Attribute.toolspanLinkResultOf)
]
const fault = [
  T.service,
  "name",
  T.event(Attribute.toolspanViolationKind),
  T.event(Attribute.toolspanViolationScope),
  T.event(Attribute.genAiToolCallId),
  T.event(Attribute.genAiToolName)
]
const theCall = T.spans(
  T.either(typedId(T.span(Attribute.genAiToolCallId)), typedId(T.span(Attribute.toolspanCallKey)))
)

/** The searches for spans. */
export const traces = {
  trace: "${trace:raw}",
  story: T.table(theCall, story),
  links: T.table(theCall, linked),
  chosen: T.table(T.spans(`span:id = ${T.typed("span")}`), linked),
  linking: T.table(T.spans(`link:spanID = ${T.typed("span")}`), linked),
  callFaults: T.table(T.spans(typedId(T.event(Attribute.genAiToolCallId))), fault),
  latest: T.table(T.spans(atStage("decision"), inChosenServices, named(Span.toolCall)), [
    ...callWithTool,
    T.span(Attribute.toolspanApprovalState)
  ]),
  conversation: T.table(
    T.spans(atStage("decision"), `${T.span(Attribute.genAiConversationId)} = ${T.typed("conversation")}`),
    [...callWithTool, T.span(Attribute.genAiAgentName)]
  ),
  slow: T.table(
    T.spans(atStage("execution"), inChosenServices, named(Span.executeTool), "duration > ${slower:raw}"),
    [...callWithTool, T.span(Attribute.toolspanOutcome)]
  ),
  failed: T.table(T.spans(atStage("execution"), "status = error", inChosenServices, named(Span.executeTool)), [
    ...callWithTool,
    T.span(Attribute.errorType),
    T.span(Attribute.toolspanOutcome)
  ]),
  longestWaits: T.table(
    T.spans(
      atStage("approval"),
      approvalEvent("resolved"),
      T.there(Attribute.toolspanApprovalWait),
      inChosenServices,
      named(Span.toolApproval)
    ),
    [...callWithTool, T.span(Attribute.toolspanApprovalWait), T.span(Attribute.toolspanApprovalState)]
  ),
  asked: T.table(T.spans(atStage("approval"), approvalEvent("requested"), inChosenServices, named(Span.toolApproval)), [
    ...callWithTool,
    T.span(Attribute.toolspanApprovalId)
  ]),
  abandoned: T.table(
    T.spans(atStage("approval"), approvalEvent("abandoned"), inChosenServices, named(Span.toolApproval)),
    [...callWithTool, T.span(Attribute.toolspanApprovalId)]
  ),
  faults: T.table(
    T.spans(
      `event:name = ${T.text(Event.violation)}`,
      `${T.event(Attribute.toolspanViolationKind)} =~ ${T.pattern("kind")}`,
      inChosenServices
    ),
    fault
  ),
  duplicates: T.table(
    T.spans(
      `event:name = ${T.text(Event.violation)}`,
      `${T.event(Attribute.toolspanViolationKind)} = ${T.text("duplicate_execution" satisfies ViolationKind)}`,
      inChosenServices
    ),
    fault
  )
}

/** What a span's links to metrics ask; Grafana puts the matchers that belong to the span in the place of `$__tags`. */
export const spanLinks = {
  rate: P.sum(P.rate(`${P.metricName(Metric.genAiExecuteToolCalls)}{$__tags}`), [Attribute.errorType]),
  duration: P.quantile(0.95, P.rate(`${P.metricName(Metric.genAiExecuteToolDuration)}{$__tags}`)),
  approvalWait: P.quantile(0.95, P.rate(`${P.metricName(Metric.toolspanApprovalWaitDuration)}{$__tags}`))
}
