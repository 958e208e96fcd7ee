import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { TraceReader } from "../../src/store/TraceReader.ts"
import { row } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const span = (number: number, id: string, tool: string): SpanRow =>
  row(number, {
    attributes: {
      "gen_ai.tool.call.id": id,
      "toolspan.call.key": id,
      "toolspan.stage": "execution",
      "gen_ai.tool.name": tool
    }
  })

const callsOf = (store: TraceReader.Shape, tool: string) =>
  Effect.map(store.findCalls({ tool }, { limit: 10 }), (calls) => calls.map(({ spans }) => spans.map(({ row }) => row)))

const opened = Effect.map(temporaryFolder, (folder) => path.join(folder, "spans.db"))

describe("what is remembered of stage spans", () => {
  it.effect("is forgotten when another process has given their numbers to other spans", () =>
    Effect.gen(function*() {
      const file = yield* opened
      const one = yield* SqliteStore.make({ path: file })
      yield* one.append([span(1, "a", "old")])
      const other = yield* SqliteStore.make({ path: file })
      yield* other.drop({ maxBytes: 0 }, 10)
      yield* other.append([span(2, "b", "new")])
      yield* one.append([span(3, "b", "newer")])
      assert.deepStrictEqual(yield* callsOf(one, "new"), [[span(2, "b", "new"), span(3, "b", "newer")]])
      assert.deepStrictEqual(yield* callsOf(one, "old"), [])
    }))

  it.effect("is right after an append that was taken back, and after spans that had to go", () =>
    Effect.gen(function*() {
      const store = yield* SqliteStore.make({ path: yield* opened })
      yield* store.append([span(1, "x", "first")])
      const broken = {
        ...row(3, { attributes: { "toolspan.violation": true } }),
        attributes: undefined as never
      }
      yield* Effect.flip(store.append([span(2, "b", "taken back"), broken]))
      yield* store.append([span(4, "b", "kept")])
      yield* store.append([span(5, "b", "kept too")])
      assert.deepStrictEqual(yield* callsOf(store, "kept"), [[span(4, "b", "kept"), span(5, "b", "kept too")]])
      yield* store.drop({ maxBytes: 0 }, 2)
      yield* store.append([span(6, "b", "last")])
      assert.deepStrictEqual(yield* callsOf(store, "kept too"), [[span(5, "b", "kept too"), span(6, "b", "last")]])
    }))

  it.effect("retention takes large spans out a few at a time", () =>
    Effect.gen(function*() {
      const store = yield* SqliteStore.make({ path: yield* opened })
      const large = "x".repeat(7 * 1024 * 1024)
      for (let number = 1; number <= 5; number++) yield* store.append([row(number, { attributes: { large } })])
      assert.strictEqual(yield* store.drop({ maxBytes: 0 }, 500), 3)
      assert.strictEqual(yield* store.drop({ maxBytes: 0 }, 500), 2)
      assert.strictEqual((yield* store.stats).dropped.spans, 5)
    }))
})
