/**
 * What people ask of a team's store: the same stories as the store in memory tells, and clear words where there is too much.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Query from "../../src/query/Query.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import type { WrongCursor } from "../../src/query/Cursor.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { ReadError } from "../../src/store/Capability.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import type { TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { addressOf, traceId as labelled } from "../query/SpanBuilder.ts"
import * as RemoteStore from "./RemoteStore.ts"
import { row } from "./rows.ts"

/** Makes an empty store behind an address with these parameters. */
export type MakeStore = (
  parameters: ReadonlyArray<string>
) => Effect.Effect<Context.Context<TraceStore | TraceReader>, never, Scope.Scope>

const fixture: ReadonlyArray<SpanRow> = [
  ...approvedCall("t1", { linkForm: "both", conversation: "demo" }),
  ...plainCall("call_0", { linkForm: "twin", a: "c", b: "d", at: 60_000 }),
  ...plainCall("t2", { a: "e", b: "f", at: 120_000, values: { [Attribute.genAiConversationId]: "demo" } })
].map((row): SpanRow => ({ ...row, resource: { ...row.resource, entityRefs: [], schemaUrl: "" } }))

/** Calls with so much time between them, the last one so long ago, each in its own trace. */
const recent = (count: number, every: bigint): ReadonlyArray<SpanRow> =>
  Array.from({ length: count }, (_, index) => {
    const start = BigInt(RemoteStore.today) * 1_000_000n - BigInt(count - index) * every
    return row(index + 1, {
      trace: index + 1,
      start,
      end: start + 1_000n,
      attributes: {
        "toolspan.stage": "execution",
        "toolspan.call.key": `call_${index + 1}`,
        "gen_ai.tool.call.id": `call_${index + 1}`,
        "toolspan.outcome": index === 3 ? "failure" : "success"
      }
    })
  })

const second = 1_000_000_000n

/** Registers the suite. */
export const remoteStories = (name: string, make: MakeStore): void => {
  describe(`${name}, asked for stories`, () => {
    it.effect("tells what the store in memory tells", () =>
      Effect.gen(function*() {
        const memory = MemoryStore.make()
        const remote = Context.get(yield* make([]), TraceStore)
        // In two batches, the later trace first.
        for (const store of [memory, remote]) {
          yield* store.append(fixture.toReversed().slice(0, 12))
          yield* store.append(fixture.toReversed().slice(12))
        }
        const [expected, found] = [Query.make(memory), Query.make(remote)]
        for (const id of ["t1", "call_0", "t2", "nobody"]) {
          assert.deepStrictEqual(yield* found.story(id, 10), yield* expected.story(id, 10), id)
        }
        assert.deepStrictEqual(yield* found.calls({}), yield* expected.calls({}))
        assert.deepStrictEqual(yield* found.calls({ state: "approved" }), yield* expected.calls({ state: "approved" }))
        assert.deepStrictEqual(yield* found.tools, yield* expected.tools)
        assert.deepStrictEqual(yield* found.conversation("demo"), yield* expected.conversation("demo"))
        assert.deepStrictEqual(yield* found.trace(labelled("go")), yield* expected.trace(labelled("go")))
        const refused = yield* Effect.flip(found.stats)
        assert.strictEqual(refused._tag, "CannotAnswer")
      }))

    it.effect("follows the links of a call both ways", () =>
      Effect.gen(function*() {
        const store = Context.get(yield* make([]), TraceStore)
        yield* store.append(fixture)
        const { stories: [story] } = yield* Query.make(store).story("t1", 10)
        assert.lengthOf(story!.traces, 2)
        const decision = addressOf("ask/call t1")
        const links = yield* store.linksTo({ traceId: decision.slice(0, 32), spanId: decision.slice(33) })
        assert.includeMembers(links.map(({ type }) => type), ["decided_by"])
        assert.include(links.map(({ from }) => from.row.traceId), labelled("go"))
      }))

    it.effect("gives the newest of more calls than it may read, page after page, and refuses what would be a guess", () =>
      Effect.gen(function*() {
        const store = Context.get(yield* make(["traces=5"]), TraceStore)
        yield* store.append(recent(10, 12n * second))
        const query = Query.make(store)
        const first = yield* query.calls({ limit: 1 })
        assert.deepStrictEqual(first.calls.map(({ id }) => id), ["call_10"])
        assert.isUndefined(first.total)
        const next = yield* query.calls({ limit: 1, cursor: first.next! })
        assert.deepStrictEqual(next.calls.map(({ id }) => id), ["call_9"])
        // What is rare is found, and counted.
        assert.deepInclude(yield* query.calls({ outcome: "failure" }), { total: 1 })
        assert.lengthOf((yield* query.story("call_2", 10)).stories, 1)
        const tooMuch: ReadonlyArray<Effect.Effect<unknown, ReadError | WrongCursor>> = [
          query.calls({ limit: 8 }),
          query.calls({ sort: "slowest" }),
          query.tools
        ]
        for (const ask of tooMuch) {
          const error = yield* Effect.flip(ask)
          assert.strictEqual(error._tag, "CannotAnswer")
          assert.match(error.message, /more than 5 traces could have such calls since \d{4}.*Narrow the time/)
        }
      }))

    it.effect("reads at most so many traces for one answer", () =>
      Effect.gen(function*() {
        const store = Context.get(yield* make(["traces=1"]), TraceStore)
        yield* store.append(recent(3, 4n * second))
        const error = yield* Effect.flip(store.findCalls({ id: "call_1" }, { limit: 5 }))
        assert.match(error.message, /more than 1 traces/)
      }))
  })
}
