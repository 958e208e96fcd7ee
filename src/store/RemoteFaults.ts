/**
 * The faults that a foreign store has been told of.
 */
import * as Effect from "effect/Effect"
import * as Attribute from "../semconv/attribute.ts"
import { kinds } from "../semconv/violation.ts"
import type { ReadError } from "./Capability.ts"
import * as MemoryCalls from "./MemoryCalls.ts"
import type { RemoteCalls } from "./RemoteCalls.ts"
import type { Alternative, RemoteEngine, Window } from "./RemoteEngine.ts"
import * as RemotePlan from "./RemotePlan.ts"
import * as RemoteSpans from "./RemoteSpans.ts"
import type { ViolationFilter } from "./TraceReader.ts"

/** Bits of an event's place in its span that its number has room for. */
const places = 32

/** Calls that are looked for by their conversation and key in one question. */
const keysAtMost = 100

const event = (key: string, value: string): Alternative => [{ on: "event", key, value }]

const alternativesOf = (filter: ViolationFilter): ReadonlyArray<Alternative> => {
  if (filter.id !== undefined) {
    return [event(Attribute.toolspanCallKey, filter.id), event(Attribute.genAiToolCallId, filter.id)]
  }
  const wanted = filter.kind === undefined ? kinds : [filter.kind]
  return wanted.map((kind) => event(Attribute.toolspanViolationKind, kind))
}

const timeOf = ({ event, span }: MemoryCalls.MemoryViolation): bigint => span.row.events[event.index]!.time

const newestFirst = (one: MemoryCalls.MemoryViolation, other: MemoryCalls.MemoryViolation): number => {
  const [first, second] = [timeOf(one), timeOf(other)]
  return first === second ? other.sequence - one.sequence : first < second ? 1 : -1
}

/** Reads what has the keys of faults without a tool in their conversations: one of it tells the tool. */
const loadNamed = Effect.fnUntraced(function*(engine: RemoteEngine, spans: RemoteSpans.RemoteSpans, window: Window) {
  const scopes = new Map<string, ReadonlyArray<Alternative>>()
  for (const { event } of withTools(spans).filter(({ tool }) => tool === undefined)) {
    if (event.key === undefined || event.conversation === undefined) continue
    const alternatives = RemotePlan.ofConversationKey(event.conversation, event.key)
    scopes.set(JSON.stringify([event.conversation, event.key]), alternatives)
  }
  if (scopes.size === 0) return
  if (scopes.size > keysAtMost) {
    return yield* tooMany(engine, `more than ${keysAtMost} calls have faults without a tool`)
  }
  const found = yield* engine.search([...scopes.values()].flat(), window)
  if (!found.complete) {
    return yield* tooMany(engine, `more than ${engine.tracesAtMost} traces have calls with such faults`)
  }
  yield* spans.load(found.traceIds)
})

const withTools = (spans: RemoteSpans.RemoteSpans): ReadonlyArray<MemoryCalls.ToolViolation> => {
  const violations = MemoryCalls.violationsOf(spans.all())
  return MemoryCalls.withTools(violations, MemoryCalls.callsOf(spans.all(), violations, false), false)
}

const tooMany = (engine: RemoteEngine, reason: string) => RemoteSpans.tooMany(engine, "faults", reason)

/** All faults that fit, those that were told last first; refuses when there may be more. `after` does not restrict. */
export const all = (engine: RemoteEngine, calls: RemoteCalls) =>
  Effect.fnUntraced(function*(filter: ViolationFilter): Effect.fn.Return<
    ReadonlyArray<MemoryCalls.ToolViolation>,
    ReadError
  > {
    const window = yield* calls.window()
    const found = yield* engine.search(alternativesOf(filter), window)
    if (!found.complete) return yield* tooMany(engine, `more than ${engine.tracesAtMost} traces report such faults`)
    const spans = RemoteSpans.make(engine)
    yield* spans.load(found.traceIds)
    if (filter.tool !== undefined) yield* loadNamed(engine, spans, window)
    return withTools(spans)
      .filter((fault) => MemoryCalls.fitsViolation(fault, filter))
      .map((fault) => ({ ...fault, sequence: fault.span.sequence * places + fault.event.index % places }))
      .toSorted(newestFirst)
  })
