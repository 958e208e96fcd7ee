import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { Place } from "../../src/lifecycle/SpanWriter.ts"
import type { Identity } from "../../src/lifecycle/ToolCall.ts"
import { TrackedCall } from "../../src/lifecycle/TrackedCall.ts"
import { metrics } from "../../src/semconv/metric.ts"
import * as SpanWriter from "../../src/spans/SpanWriter.ts"
import * as RecordingTracer from "./RecordingTracer.ts"

const writer = SpanWriter.make()

const placeIn = (registry: Metric.MetricRegistry | undefined, more: Partial<Place> = {}): Place => ({
  tracer: RecordingTracer.make().tracer,
  parent: undefined,
  sampled: true,
  silent: false,
  annotations: {},
  conversation: "conversation-1",
  agent: undefined,
  content: { arguments: false, results: false, maxBytes: 2048, redact: undefined },
  metrics: registry,
  ...more
})

const tracked = (more: Partial<Identity> = {}): TrackedCall =>
  new TrackedCall(
    {
      key: "secret-id",
      id: "secret-id",
      idSource: "provider",
      occurrence: 1,
      name: "lookup",
      requestedName: undefined,
      wireName: undefined,
      providerExecuted: false,
      ...more
    },
    "secret-id",
    undefined,
    undefined
  )

const snapshotOf = (registry: Metric.MetricRegistry) =>
  Metric.snapshotUnsafe(Context.make(Metric.MetricRegistry, registry) as Context.Context<never>)

/** Every series as `name{labels} value`; a histogram's value is its count and its sum. */
const told = (registry: Metric.MetricRegistry): ReadonlyArray<string> =>
  snapshotOf(registry).map((one) => {
    const labels = Object.entries(one.attributes ?? {}).map(([key, value]) => `${key}=${value}`).join(",")
    const value = one.type === "Counter"
      ? String(one.state.count)
      : one.type === "Histogram"
      ? `${one.state.count} of ${one.state.sum}`
      : one.type
    return `${one.id}{${labels}} ${value}`
  }).sort()

const decided = {
  approval: "not_required" as const,
  approvalId: undefined,
  deltas: undefined,
  bytes: undefined,
  incomplete: false,
  droppedArguments: 0,
  wireItemId: undefined,
  callerId: undefined,
  errorType: undefined,
  arguments: undefined,
  argumentsText: undefined
}

const started = {
  approval: "not_required" as const,
  approvalId: undefined,
  description: undefined,
  droppedArguments: 0,
  links: [],
  ambiguous: false,
  arguments: undefined
}

const ended = {
  approval: "not_required" as const,
  outcome: "success" as const,
  errorType: undefined,
  failure: undefined,
  preliminaries: 0,
  result: undefined,
  failureValue: undefined
}

const answered = {
  outcome: "success" as const,
  origin: "handler" as const,
  approval: "not_required" as const,
  approvalId: undefined,
  failure: undefined,
  link: undefined,
  ambiguous: false,
  result: undefined
}

const chat = {
  provider: "anthropic",
  requestModel: "m1",
  responseModel: undefined,
  responseId: "secret-id",
  finishReasons: undefined,
  timeToFirstChunkSeconds: undefined,
  inputTokens: undefined,
  outputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  reasoningTokens: undefined,
  decided: 1,
  consumed: 0,
  errorType: undefined,
  interrupted: false
}

const second = 1_000_000_000n

/** One call that was asked about, with all of its spans. */
const everything = (place: Place, call: TrackedCall): void => {
  const request = writer.openChat(place, "m1", second)
  writer.endDecision(place, writer.openDecision(place, call, second), call, decided, second)
  writer.approval(place, call, {
    event: "resolved",
    state: "approved",
    approvalId: "secret-id",
    waitSeconds: 90,
    link: undefined,
    ambiguous: false,
    reason: undefined
  }, second)
  const run = writer.openExecution(place, call, started, second)
  writer.endExecution(place, run, call, ended, 3n * second)
  writer.result(place, call, answered, 3n * second)
  writer.violations(
    place,
    request,
    Array.from({ length: 25 }, () => ({ kind: "missing_id" as const, scope: "response" as const })),
    3n * second
  )
  writer.endChat(place, request, chat, 5n * second)
}

describe("metrics", () => {
  it("measures every stage, each request, each wait and as many violations as there are events", () => {
    const registry: Metric.MetricRegistry = new Map()
    everything(placeIn(registry), tracked())
    assert.deepStrictEqual(told(registry), [
      "gen_ai.client.inference.calls{gen_ai.provider.name=anthropic,gen_ai.request.model=m1} 1",
      "gen_ai.client.inference.duration{gen_ai.provider.name=anthropic,gen_ai.request.model=m1,unit=s} 1 of 4",
      "gen_ai.execute_tool.calls{gen_ai.tool.name=lookup,gen_ai.tool.type=function} 1",
      "gen_ai.execute_tool.duration{gen_ai.tool.name=lookup,gen_ai.tool.type=function,unit=s} 1 of 2",
      "toolspan.approval.wait.calls{gen_ai.tool.name=lookup,toolspan.approval.state=approved} 1",
      "toolspan.approval.wait.duration{gen_ai.tool.name=lookup,toolspan.approval.state=approved,unit=s} 1 of 90",
      "toolspan.stage.calls{toolspan.stage=approval,gen_ai.tool.name=lookup,toolspan.approval.state=approved," +
      "toolspan.approval.event=resolved} 1",
      "toolspan.stage.calls{toolspan.stage=decision,gen_ai.tool.name=lookup,toolspan.approval.state=not_required} 1",
      "toolspan.stage.calls{toolspan.stage=execution,gen_ai.tool.name=lookup,toolspan.outcome=success," +
      "toolspan.approval.state=not_required} 1",
      "toolspan.stage.calls{toolspan.stage=result,gen_ai.tool.name=lookup,toolspan.outcome=success," +
      "toolspan.approval.state=not_required,toolspan.result.origin=handler} 1",
      "toolspan.violation.events{toolspan.violation.kind=missing_id} 20"
    ])
  })

  it("has the kinds, the buckets and only the labels of the contract", () => {
    const registry: Metric.MetricRegistry = new Map()
    const place = placeIn(registry, { agent: "planner" })
    everything(place, tracked({ providerExecuted: true }))
    writer.endChat(place, writer.openChat(place, "m1", 1n), { ...chat, errorType: "RateLimitError" }, 2n)
    const seen = snapshotOf(registry)
    for (const definition of metrics) {
      const series = seen.filter((one) => one.id === definition.name)
      assert.isNotEmpty(series, definition.name)
      for (const one of series) {
        if (one.type === "Counter") {
          assert.strictEqual(definition.kind, "counter")
          assert.isTrue(one.state.incremental)
        } else if (one.type === "Histogram") {
          assert.strictEqual(definition.kind, "histogram")
          assert.deepStrictEqual(
            one.state.buckets.map(([limit]) => limit).filter(Number.isFinite),
            definition.buckets
          )
        } else assert.fail(one.type)
        const allowed: ReadonlyArray<string> = [...definition.labels, "unit"]
        for (const label of Object.keys(one.attributes ?? {})) assert.include(allowed, label)
      }
    }
    assert.notInclude(JSON.stringify(seen), "secret-id")
    assert.notInclude(JSON.stringify(seen), "conversation-1")
    assert.include(told(registry).join(), "toolspan.provider_executed=true")
    assert.include(told(registry).join(), "gen_ai.agent.name=planner")
    assert.include(told(registry).join(), "error.type=RateLimitError")
  })

  it("never has a name that the model invented", () => {
    const registry: Metric.MetricRegistry = new Map()
    everything(placeIn(registry), tracked({ name: undefined, requestedName: "invented" }))
    assert.notInclude(told(registry).join(), "invented")
    assert.strictEqual(told(registry).filter((one) => one.includes("gen_ai.tool.name=_unknown")).length, 8)
  })

  it("measures what is not sampled", () => {
    const registry: Metric.MetricRegistry = new Map()
    everything(placeIn(registry, { sampled: false }), tracked())
    assert.strictEqual(told(registry).length, 11)
  })

  it("measures nothing unless asked to", () => {
    const before = told(Context.get(Context.empty(), Metric.MetricRegistry))
    everything(placeIn(undefined), tracked())
    assert.deepStrictEqual(told(Context.get(Context.empty(), Metric.MetricRegistry)), before)
  })

  it("counts in one series what comes after 2,000 label sets", () => {
    const registry: Metric.MetricRegistry = new Map()
    const place = placeIn(registry)
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 2010; index++) {
        const span = writer.openChat(place, "m1", 1n)
        writer.endChat(place, span, { ...chat, requestModel: `m${index}` }, 2n)
      }
    }
    const calls = told(registry).filter((one) => one.startsWith("gen_ai.client.inference.calls"))
    assert.strictEqual(calls.length, 2001)
    assert.include(calls, "gen_ai.client.inference.calls{otel.metric.overflow=true} 20")
    assert.strictEqual(calls.filter((one) => one.endsWith(" 2")).length, 2000)
  })
})
