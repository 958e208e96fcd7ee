/**
 * The faults that a foreign store has been told of.
 */
import * as Effect from "effect/Effect"
import * as Attribute from "../semconv/attribute.ts"
import { kinds } from "../semconv/violation.ts"
import type { ReadError } from "./Capability.ts"
import * as MemoryCalls from "./MemoryCalls.ts"
import type { RemoteCalls } from "./RemoteCalls.ts"
import type { Alternative, RemoteEngine } from "./RemoteEngine.ts"
import * as RemoteSpans from "./RemoteSpans.ts"
import type { ViolationFilter } from "./TraceReader.ts"

/** Bits of an event's place in its span that its number has room for. */
const places = 32

const event = (key: string, value: string): Alternative => [{ on: "event", key, value }]

const alternativesOf = (filter: ViolationFilter): ReadonlyArray<Alternative> => {
  if (filter.id !== undefined) {
    return [event(Attribute.toolspanCallKey, filter.id), event(Attribute.genAiToolCallId, filter.id)]
  }
  const wanted = filter.kind === undefined ? kinds : [filter.kind]
  return wanted.map((kind) => event(Attribute.toolspanViolationKind, kind))
}

const fits = ({ event }: MemoryCalls.MemoryViolation, filter: ViolationFilter): boolean =>
  (filter.kind === undefined || filter.kind === event.kind)
  && (filter.id === undefined || filter.id === event.id || filter.id === event.key)
  && (filter.tool === undefined || filter.tool === event.tool)
  && (filter.conversation === undefined || filter.conversation === event.conversation)

const timeOf = ({ event, span }: MemoryCalls.MemoryViolation): bigint => span.row.events[event.index]!.time

const newestFirst = (one: MemoryCalls.MemoryViolation, other: MemoryCalls.MemoryViolation): number => {
  const [first, second] = [timeOf(one), timeOf(other)]
  return first === second ? other.sequence - one.sequence : first < second ? 1 : -1
}

/** All faults that fit, those that were told last first; refuses when there may be more. `after` does not restrict. */
export const all = (engine: RemoteEngine, calls: RemoteCalls) =>
  Effect.fnUntraced(function*(filter: ViolationFilter): Effect.fn.Return<
    ReadonlyArray<MemoryCalls.MemoryViolation>,
    ReadError
  > {
    const found = yield* engine.search(alternativesOf(filter), yield* calls.window())
    if (!found.complete) {
      return yield* RemoteSpans.tooMany(engine, "faults", `more than ${engine.tracesAtMost} traces report such faults`)
    }
    const spans = RemoteSpans.make(engine)
    yield* spans.load(found.traceIds)
    return MemoryCalls.violationsOf(spans.all())
      .filter((fault) => fits(fault, filter))
      .map((fault) => ({ ...fault, sequence: fault.span.sequence * places + fault.event.index % places }))
      .toSorted(newestFirst)
  })
