import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import * as Tracer from "effect/Tracer"
import type { Place } from "../lifecycle/SpanWriter.ts"
import { merge, Settings } from "../settings/settings.ts"
import * as UnsampledSpan from "../spans/unsampledSpan.ts"
import type * as Input from "./Input.ts"
import type { OtelSpan, OtelTracer } from "./openTelemetry.ts"
import * as OpenTelemetry from "./openTelemetry.ts"
import type { Recorder, RecorderOptions, Turn } from "./RecorderShape.ts"
import { Session } from "./Session.ts"
import { RecordedTurn } from "./Turn.ts"

const isOtelTracer = (tracer: OtelTracer | Tracer.Tracer): tracer is OtelTracer => "startSpan" in tracer

const isOtelSpan = (span: Tracer.AnySpan | OtelSpan): span is OtelSpan => "spanContext" in span

const nowhere = Tracer.externalSpan({ traceId: "0".repeat(32), spanId: "0".repeat(16), sampled: false })

/** What stands in for a tracer where nothing is to be written, or where the app's own throws. */
const silent: Tracer.Tracer = Tracer.make({
  span: ({ kind, name, startTime }) => UnsampledSpan.make(name, nowhere, kind, startTime)
})

/** The app's clock; Effect's where there is none, or it gives no nanoseconds. */
const clockOf = (given: (() => bigint) | undefined): () => bigint => {
  const clock = Context.get(Context.empty(), Clock.Clock)
  const own = () => clock.currentTimeNanosUnsafe()
  if (given === undefined) return own
  return () => {
    try {
      const time: unknown = given()
      return typeof time === "bigint" ? time : own()
    } catch {
      return own()
    }
  }
}

// The methods hold without `this`: a framework may take them apart.
const asTurn = (turn: RecordedTurn): Turn => ({
  span: turn.span,
  requested: (input) => turn.requested(input),
  consumed: (call) => turn.consumed(call),
  decided: (input) => turn.decided(input),
  carrier: (call) => turn.carrier(call),
  resumed: (input) => turn.resumed(input),
  responded: (input) => turn.responded(input),
  approvalRequested: (call, input) => turn.approvalRequested(call, input),
  approvalResolved: (call, input) => turn.approvalResolved(call, input),
  started: (call, input) => turn.started(call, input),
  result: (call, input) => turn.result(call, input),
  end: (input) => turn.end(input)
})

/**
 * Makes a recorder: the way to bring in an agent loop that is not Effect's.
 *
 * Spans, links, attributes, approvals and violations are those of every other way in, by the same lifecycle. A recorder
 * remembers calls between turns (10,000 for 24 hours unless said): make one a process.
 *
 * **Example** (A turn with one call, through the OpenTelemetry API)
 *
 * ```ts
 * import * as api from "@opentelemetry/api"
 * import { isRefusal, make } from "toolspan/recorder"
 *
 * const recorder = make({ tracer: api.trace.getTracer("my-loop"), api })
 *
 * const turn = recorder.turn({ conversation: "c1", tools: [{ name: "lookup" }] })
 * turn.requested({ model: "claude-haiku-4-5", provider: "anthropic" })
 * turn.decided({ id: "toolu_1", name: "lookup", arguments: { key: "alpha" } })
 * turn.responded({ finishReasons: ["tool_use"] })
 * const execution = turn.started("toolu_1")
 * if (!isRefusal(execution)) {
 *   const value = execution.run(() => "v")
 *   execution.ended({ result: value })
 * }
 * turn.result("toolu_1")
 * turn.end()
 *
 * recorder.counts().executions // => 1
 * ```
 */
export const make = (options: RecorderOptions): Recorder => {
  const { api } = options
  const base = Context.get(Context.empty(), Settings)
  const settings = merge({ ...options, carrier: undefined, guard: undefined }, {}, base)
  const tracer = !settings.enabled
    ? silent
    : isOtelTracer(options.tracer)
    ? OpenTelemetry.tracer(options.tracer, api!, () => void session.refuse("internal_error"))
    : options.tracer
  const session = new Session({
    tracer,
    api: settings.enabled ? api : undefined,
    settings,
    metrics: settings.metrics && settings.enabled
      ? Context.get(Context.empty(), Metric.MetricRegistry)
      : undefined,
    now: clockOf(options.now)
  })
  const parentOf = (parent: Input.TurnInput["parent"]): Tracer.AnySpan | undefined =>
    parent === undefined
      ? (api === undefined ? undefined : OpenTelemetry.activeSpan(api))
      : isOtelSpan(parent)
      ? OpenTelemetry.parentOf(parent)
      : parent
  const placeOf = (input: Input.TurnInput): Place => {
    const parent = settings.enabled ? parentOf(input.parent) : undefined
    return {
      tracer,
      parent,
      sampled: parent?.sampled !== false,
      silent: false,
      annotations: {},
      conversation: input.conversation,
      agent: input.agent,
      content: settings.content,
      metrics: session.surroundings.metrics
    }
  }
  const turn = (input: Input.TurnInput): RecordedTurn => {
    const made = session.guarded(() => new RecordedTurn(session, placeOf(input), input))
    return "_tag" in made
      ? new RecordedTurn(session, { ...placeOf({ parent: nowhere }), tracer: silent }, {})
      : made
  }
  return {
    turn: (input = {}) => asTurn(turn(input)),
    now: () => session.now(),
    guarded: (read) => session.guarded(read),
    counts: () => {
      const { dropped: approvals, refused: _, ...open } = session.ledger.counts()
      return {
        ...open,
        turns: session.turns,
        executions: session.executions,
        refused: { ...session.refused },
        dropped: { ...session.dropped, approvals }
      }
    }
  }
}
