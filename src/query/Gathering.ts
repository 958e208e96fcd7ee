/** Collects from a store everything that has to do with a tool call, wherever it is. */
import * as Effect from "effect/Effect"
import type { ReadError } from "../store/Capability.ts"
import * as HeldSpans from "./HeldSpans.ts"
import type { SpanAddress, TraceReader } from "../store/TraceReader.ts"
import * as SpanIndex from "./SpanIndex.ts"
import * as Reading from "./SpanReading.ts"

/** What was collected. */
export interface Gathered {
  /** Stage spans of the calls, and of other calls that the same key could mean. */
  readonly stageRows: ReadonlyArray<Reading.SpanRow>
  /** Every trace that one of them or a consumer of a result lies in, whole. */
  readonly spans: SpanIndex.SpanIndex
}

/** Collects more with each seed; what was read once is not read again. Fails beyond what `HeldSpans` lets it hold. */
export interface Gathering {
  /** Everything that the span's call consists of. */
  readonly gather: (seed: Reading.SpanRow) => Effect.Effect<Gathered, ReadError>
  /** Everything that was collected up to now. */
  readonly all: () => Gathered
}

/** Stage spans of one gathering: a call that was run over and over in a loop ends here. */
const maxStageRows = 5000
/** Spans of one key in one conversation that are looked at, newest first. */
const maxOfKey = 500

/** Starts to collect from a store. */
export const make = (reader: TraceReader.Shape): Gathering => {
  const traces = new Map<string, ReadonlyArray<Reading.SpanRow>>()
  const rows = new Map<string, Reading.SpanRow>()

  const touched = new Set<string>()
  const held = HeldSpans.make(reader)

  const trace = Effect.fn(function*(traceId: string) {
    touched.add(traceId)
    const known = traces.get(traceId)
    if (known !== undefined) return known
    const found = yield* held.keep((yield* reader.trace(traceId)).map((stored) => stored.row))
    traces.set(traceId, found)
    return found
  })

  const neighbours = Effect.fn(function*(row: Reading.SpanRow) {
    const found: Array<Reading.SpanRow> = []
    const key = Reading.keyOf(row)
    const conversation = Reading.conversationOf(row)
    for (const other of yield* trace(row.traceId)) {
      if (key !== undefined && Reading.keyOf(other) === key && Reading.conversationOf(other) === conversation) {
        found.push(other)
      }
    }
    const links = Reading.linksOf(row).filter((link) => link.type !== "consumes")
    for (const target of links) {
      const targetTrace = yield* trace(target.traceId)
      const targetRow = targetTrace.find((other) => other.spanId === target.spanId)
      if (targetRow !== undefined) found.push(targetRow)
      // The target never arrived, but what else points to it belongs to the same call.
      else found.push(...(yield* incoming(target)))
    }
    found.push(...(yield* incoming(row)))
    return found
  })

  const incoming = Effect.fn(function*(address: SpanAddress) {
    const found: Array<Reading.SpanRow> = []
    for (const link of yield* reader.linksTo(address)) {
      if (link.type === "consumes") yield* trace(link.from.row.traceId)
      else if (link.type !== "") found.push(link.from.row)
    }
    return yield* held.keep(found)
  })

  const ofKey = (key: string, conversation: string) =>
    Effect.flatMap(
      reader.findCalls({ key, conversation }, { limit: maxOfKey }),
      (calls) => held.keep(calls.flatMap(({ spans }) => spans.map((stored) => stored.row)).slice(0, maxOfKey))
    )

  const indexOf = (traceIds: Iterable<string>) =>
    SpanIndex.make([...traceIds].flatMap((traceId) => traces.get(traceId) ?? []))

  return {
    gather: Effect.fn(function*(seed) {
      touched.clear()
      const reached = new Map<string, Reading.SpanRow>()
      const asked = new Set<string>()
      const waiting = [seed]
      for (let row = waiting.pop(); row !== undefined && reached.size < maxStageRows; row = waiting.pop()) {
        const address = Reading.addressText(row)
        if (reached.has(address) || Reading.stageOf(row) === undefined) continue
        reached.set(address, row)
        waiting.push(...(yield* neighbours(row)))
        const key = Reading.keyOf(row)
        const conversation = Reading.conversationOf(row)
        const scope = JSON.stringify([key, conversation])
        if (key === undefined || conversation === undefined || asked.has(scope)) continue
        asked.add(scope)
        waiting.push(...(yield* ofKey(key, conversation)))
      }
      for (const [address, row] of reached) rows.set(address, row)
      return { stageRows: [...reached.values()], spans: indexOf(touched) }
    }),
    all: () => ({ stageRows: [...rows.values()], spans: indexOf(traces.keys()) })
  }
}
