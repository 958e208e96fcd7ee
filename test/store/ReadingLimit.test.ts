import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { AttributeValue } from "../../src/otlp/SpanRow.ts"
import * as Query from "../../src/query/Query.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const large = "x".repeat(12 * 1024 * 1024)

const stage = (id: string, more: Readonly<Record<string, AttributeValue>> = {}) => ({
  "gen_ai.tool.call.id": id,
  "toolspan.call.key": id,
  "gen_ai.conversation.id": "c",
  "toolspan.stage": "execution",
  "gen_ai.tool.name": "lookup",
  ...more
})

const opened = Effect.gen(function*() {
  return yield* SqliteStore.make({ path: path.join(yield* temporaryFolder, "spans.db") })
})

const refused = Effect.fnUntraced(function*<A, E extends { readonly _tag: string; readonly message: string }>(
  asked: Effect.Effect<A, E>,
  reason: RegExp
) {
  const error = yield* Effect.flip(asked)
  assert.strictEqual(error._tag, "CannotAnswer")
  assert.match(error.message, reason)
})

describe("what is read for one answer is bounded", () => {
  it.effect(
    "one trace of large spans: nothing of it is read, the error says how much there is, the rest is answered",
    () =>
      Effect.gen(function*() {
        const store = yield* opened
        for (let number = 1; number <= 12; number++) {
          yield* store.append([row(number, { attributes: stage(`call${number}`, { large }) })])
        }
        yield* store.append([row(20, { trace: 2, attributes: stage("small", { "gen_ai.conversation.id": "other" }) })])
        const query = Query.make(store)
        const whole = new RegExp(`trace ${traceId(1)} has 12 spans with 145 MiB, .* 128 MiB`)
        yield* refused(store.trace(traceId(1)), whole)
        yield* refused(query.trace(traceId(1)), whole)
        yield* refused(query.story("call1", 20), whole)
        yield* refused(query.conversation("c"), whole)
        assert.lengthOf((yield* query.story("small", 20)).stories, 1)
        assert.isDefined(yield* store.span({ traceId: traceId(1), spanId: spanId(1) }))
        // Lists give shorter pages.
        yield* refused(store.findCalls({}, { limit: 20 }), /128 MiB/)
        const first = yield* query.calls({ limit: 20 })
        assert.lengthOf(first.calls, 10)
        assert.strictEqual(first.total, 13)
        assert.isDefined(first.next)
        const second = yield* query.calls({ limit: 20, cursor: first.next! })
        assert.deepStrictEqual(
          [...first.calls, ...second.calls].map(({ id }) => id),
          ["small", ...Array.from({ length: 12 }, (_, index) => `call${12 - index}`)]
        )
        const heard: Array<string | undefined> = []
        for (let after = 0, rounds = 0; after < 13 && rounds < 10; rounds++) {
          const { calls, last } = yield* query.changes(after)
          heard.push(...calls.map(({ id }) => id))
          after = last
        }
        assert.lengthOf(heard, 13)
      }),
    60_000
  )

  it.effect(
    "a story or a conversation over many traces that are small enough one by one",
    () =>
      Effect.gen(function*() {
        const store = yield* opened
        for (let number = 1; number <= 12; number++) {
          yield* store.append([
            row(number, { trace: number, attributes: stage("call", { large }) })
          ])
        }
        const query = Query.make(store)
        assert.lengthOf(yield* store.trace(traceId(1)), 1)
        yield* refused(query.story("call", 20), /128 MiB/)
        yield* refused(query.conversation("c"), /128 MiB/)
      }),
    60_000
  )

  it.effect("values that are small as sent and large in memory", () =>
    Effect.gen(function*() {
      const store = yield* opened
      const attributes = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [index.toString(36), true]))
      for (let number = 1; number <= 21; number++) yield* store.append([row(number, { attributes })])
      yield* refused(store.trace(traceId(1)), /128 MiB/)
    }), 60_000)
})
