/**
 * The spans of a foreign store that were read for one answer, and what belongs to them.
 */
import * as Effect from "effect/Effect"
import { CannotAnswer, type ReadError } from "./Capability.ts"
import * as CallGrouping from "./CallGrouping.ts"
import type { Alternative, Found, RemoteEngine, Window } from "./RemoteEngine.ts"
import * as RemotePlan from "./RemotePlan.ts"
import * as SpanNumber from "./SpanNumber.ts"
import * as StageSpan from "./StageSpan.ts"
import type { StoredSpan } from "./TraceReader.ts"

/** Traces that one answer reads beyond those of one search, as a multiple of them. */
const searchesAtMost = 5

/** Spans of one answer. */
const spansAtMost = 100_000

/** Rounds in which new spans lead to others; each link or key that leads on takes one. */
const roundsAtMost = 30

/** A stage span with what was stored. */
interface Stage extends StageSpan.StageSpan {
  readonly stored: StoredSpan
}

/** What was read. */
export interface RemoteSpans {
  /** Reads these traces. */
  readonly load: (traceIds: ReadonlyArray<string>) => Effect.Effect<void, ReadError>
  /**
   * Reads what belongs to the calls that `wanted` wants, wherever it is: what they link to, what has their key in their
   * conversation, and, unless that was read before, what links to them.
   */
  readonly complete: (
    wanted: (call: ReadonlyArray<Stage>) => boolean,
    window: Window,
    linksRead: boolean
  ) => Effect.Effect<void, ReadError>
  readonly all: () => ReadonlyArray<StoredSpan>
}

/** Asks for what links to a span with the first of these ways that does not find too much. */
export const linking = Effect.fnUntraced(function*(
  engine: RemoteEngine,
  ways: ReadonlyArray<ReadonlyArray<Alternative>>,
  window: Window
) {
  let found: Found = { traceIds: [], complete: false }
  for (const alternatives of ways) {
    found = yield* engine.search(alternatives, window)
    if (found.complete) return found.traceIds
  }
  return yield* tooMany(engine, "incoming", `more than ${engine.tracesAtMost} traces link to one span`)
})

/** A refusal because of the number of traces. */
export const tooMany = (engine: RemoteEngine, question: "calls" | "faults" | "incoming", reason: string) =>
  new CannotAnswer({
    engine: engine.capabilities.engine,
    question,
    reason,
    instead: "Narrow the time, name a conversation or an id, or raise traces= in the address"
  })

/** Nothing read yet. */
export const make = (engine: RemoteEngine): RemoteSpans => {
  const spans = new Map<string, StoredSpan>()
  const traces = new Set<string>()
  const stages = new Map<string, Stage>()
  const tracesAtMost = searchesAtMost * engine.tracesAtMost

  const load = Effect.fnUntraced(function*(traceIds: ReadonlyArray<string>) {
    const missing = traceIds.filter((traceId) => !traces.has(traceId))
    if (traces.size + missing.length > tracesAtMost) {
      return yield* tooMany(engine, "calls", `the answer is made of more than ${tracesAtMost} traces`)
    }
    for (const traceId of missing) traces.add(traceId)
    const read = yield* Effect.forEach(missing, (traceId) => engine.trace(traceId), { concurrency: 4 })
    for (const row of read.flat()) {
      const stored = { sequence: SpanNumber.of(row), row }
      spans.set(StageSpan.addressOf(row), stored)
      const stage = StageSpan.ofRow(row)
      if (stage !== undefined) stages.set(stage.address, { ...stage, stored })
    }
    if (spans.size > spansAtMost) {
      return yield* tooMany(engine, "calls", `the answer is made of more than ${spansAtMost} spans`)
    }
  })

  const targetsOf = (some: Iterable<Stage>) =>
    [...some].flatMap(({ targets }) => targets.map((target) => target.slice(0, 32)))

  const complete = Effect.fnUntraced(function*(
    wanted: (call: ReadonlyArray<Stage>) => boolean,
    window: Window,
    linksRead: boolean
  ) {
    const asked = new Set<string>()
    const wideEnough = new Map<string, boolean>()
    const joined = Effect.fnUntraced(function*(
      question: string,
      wide: ReadonlyArray<Alternative>,
      narrow: ReadonlyArray<ReadonlyArray<Alternative>>
    ) {
      if (wideEnough.get(question) === true) return []
      if (!wideEnough.has(question)) {
        const found = yield* engine.search(wide, window)
        wideEnough.set(question, found.complete)
        if (found.complete) return found.traceIds
      }
      if (narrow.length === 0) return yield* linking(engine, [], window)
      return (yield* Effect.forEach(narrow, (way) => linking(engine, [way], window))).flat()
    })
    for (let round = 0; round < roundsAtMost; round++) {
      const before = spans.size
      yield* load([...new Set(targetsOf(stages.values()))])
      const members = CallGrouping.group([...stages.values()]).filter(wanted).flat()
      const alternatives: Array<Alternative> = []
      /** By the wide question that spans share: it, and the narrow ones of each where it finds too much. */
      const ways = new Map<string, ReadonlyArray<ReadonlyArray<Alternative>>>()
      for (const stage of members) {
        const { conversation, key } = stage
        const scope = CallGrouping.conversationScope(stage)
        if (scope !== undefined && !asked.has(scope)) {
          asked.add(scope)
          alternatives.push(...RemotePlan.ofConversationKey(conversation!, key!))
        }
        // A target that never arrived can be what joins two spans.
        for (const address of [stage.address, ...stage.targets.filter((target) => !spans.has(target))]) {
          if (linksRead || asked.has(address)) continue
          asked.add(address)
          const [wide = [], ...narrow] = engine.joining(
            { traceId: address.slice(0, 32), spanId: address.slice(33) },
            key
          )
          const question = JSON.stringify(wide)
          ways.set(question, [...ways.get(question) ?? [wide], ...narrow])
        }
      }
      if (alternatives.length === 0 && ways.size === 0 && spans.size === before) return
      if (alternatives.length > 0) {
        const { complete, traceIds } = yield* engine.search(alternatives, window)
        if (!complete) {
          return yield* tooMany(
            engine,
            "calls",
            `more than ${engine.tracesAtMost} traces have one key of a conversation`
          )
        }
        yield* load(traceIds)
      }
      const found = yield* Effect.forEach(
        ways,
        ([question, [wide = [], ...narrow]]) => joined(question, wide, narrow),
        {
          concurrency: 4
        }
      )
      yield* load([...new Set(found.flat())])
    }
    return yield* tooMany(engine, "calls", `a call leads on from trace to trace more than ${roundsAtMost} times`)
  })

  return { load, complete, all: () => [...spans.values()] }
}
