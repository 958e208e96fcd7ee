/**
 * What every store must do: one suite, run for each.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import fc from "fast-check"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import { type CallSpanFilter, type StoredSpan, TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import * as arbitrary from "../otlp/arbitrary.ts"
import { link, row, spanId, traceId } from "./rows.ts"

const rowsOf = (spans: ReadonlyArray<StoredSpan>): ReadonlyArray<SpanRow> => spans.map((span) => span.row)

const namesOf = (spans: ReadonlyArray<StoredSpan>): ReadonlyArray<string> => spans.map((span) => span.row.name)

const numbersOf = (spans: ReadonlyArray<StoredSpan>): ReadonlyArray<number> =>
  spans.map((span) => Number.parseInt(span.row.spanId, 16))

const call = (id: string, more: Readonly<Record<string, AttributeValue>> = {}) => ({
  "gen_ai.tool.call.id": id,
  "toolspan.call.key": id,
  "toolspan.stage": "execution",
  "gen_ai.tool.name": "lookup",
  ...more
})

/** Text that breaks stores which cut at NUL, fold case, trim, read patterns, or read SQL. */
const hostile: ReadonlyArray<string> = [
  "",
  " ",
  "a\0b",
  "a\0c",
  "\0",
  "'; drop table span; --",
  "%",
  "_",
  "call_0",
  "CALL_0",
  "call_0 ",
  "\ufeffcall_0",
  "cafe\u0301",
  "café",
  "ıI",
  "\u{60000}\u{1f600}",
  "\u202e\u001b[31m",
  "x".repeat(1_000_000),
  "x".repeat(999_999)
]

/** Registers the suite for a store; `layer` is built anew for each test. */
export const conformance = <E>(name: string, layer: Layer.Layer<TraceStore | TraceReader, E>): void => {
  describe(`${name} store`, () => {
    it.effect("gives every field of every span back as it was given", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const spans = fc.sample(arbitrary.span, { numRuns: 100, seed: 7 })
        assert.deepStrictEqual(yield* store.append(spans), { stored: 100, duplicates: 0 })
        for (const span of spans) {
          const found = yield* store.span(span)
          assert.deepStrictEqual(found?.row, span)
        }
      }).pipe(Effect.provide(layer)))

    it.effect("finds hostile ids verbatim, each only by itself", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        yield* store.append(hostile.map((id, index) => row(index + 1, { name: id, attributes: call(id) })))
        for (const id of hostile) {
          assert.deepStrictEqual(namesOf(yield* store.findCallSpans({ id }, 10)), [id])
          assert.deepStrictEqual(namesOf(yield* store.findCallSpans({ key: id }, 10)), [id])
        }
        assert.deepStrictEqual(yield* store.findCallSpans({ id: "call" }, 10), [])
      }).pipe(Effect.provide(layer)))

    it.effect("keeps a span that comes twice as it was first, and counts the second as a duplicate", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const first = row(1, { name: "first", attributes: call("a"), links: [link(9, 9)] })
        yield* store.append([first])
        assert.deepStrictEqual(yield* store.append([row(1, { name: "second", attributes: call("a") }), row(2)]), {
          stored: 1,
          duplicates: 1
        })
        assert.deepStrictEqual(yield* store.append([row(3), row(3)]), { stored: 1, duplicates: 1 })
        assert.deepStrictEqual(namesOf(yield* store.findCallSpans({ id: "a" }, 10)), ["first"])
        assert.lengthOf(yield* store.linksTo({ traceId: traceId(9), spanId: spanId(9) }), 1)
        assert.strictEqual((yield* store.stats).spans, 3)
      }).pipe(Effect.provide(layer)))

    it.effect("tells spans of one id in two traces apart", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        yield* store.append([row(1, { trace: 1, name: "one" }), row(1, { trace: 2, name: "two" })])
        assert.strictEqual((yield* store.span({ traceId: traceId(2), spanId: spanId(1) }))?.row.name, "two")
        assert.deepStrictEqual(namesOf(yield* store.trace(traceId(1))), ["one"])
      }).pipe(Effect.provide(layer)))

    it.effect("gives a trace by start time, then arrival", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const start = 5n
        yield* store.append([row(3), row(1), row(8, { start }), row(2, { trace: 2 })])
        yield* store.append([row(7, { start }), row(2)])
        assert.deepStrictEqual(numbersOf(yield* store.trace(traceId(1))), [8, 7, 1, 2, 3])
      }).pipe(Effect.provide(layer)))

    it.effect("answers unknown and misspelt ids with nothing", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const trace = "ab".repeat(16)
        yield* store.append([row(1, { traceId: trace, spanId: "ab".repeat(8) })])
        for (const id of ["", "no hex", "AB".repeat(16), `${trace}zz`, trace.slice(1), traceId(5)]) {
          assert.deepStrictEqual(yield* store.trace(id), [])
          assert.isUndefined(yield* store.span({ traceId: id, spanId: "ab".repeat(8) }))
          assert.deepStrictEqual(yield* store.linksTo({ traceId: id, spanId: "ab".repeat(8) }), [])
        }
      }).pipe(Effect.provide(layer)))

    describe("finding call spans", () => {
      const rows = [
        row(1, {
          service: "one",
          attributes: call("a", { "toolspan.stage": "decision", "toolspan.approval.state": "pending" })
        }),
        row(2, {
          service: "one",
          attributes: call("a", { "toolspan.outcome": "success", "toolspan.approval.state": "approved" })
        }),
        row(3, {
          service: "two",
          attributes: call("b", { "gen_ai.tool.name": "wipe", "toolspan.outcome": "failure" })
        }),
        row(4, { attributes: call("b", { "toolspan.call.key": "b#2", "gen_ai.conversation.id": "talk" }) }),
        row(5, {
          attributes: {
            "toolspan.stage": "decision",
            "toolspan.tool.requested_name": "made_up",
            "toolspan.call.key": "?1"
          }
        }),
        row(6, { attributes: { "gen_ai.operation.name": "execute_tool" } }),
        row(7, { attributes: { "gen_ai.tool.call.id": 42n } }),
        row(8, { attributes: { "gen_ai.operation.name": "chat" } }),
        row(9)
      ]
      const all = [7, 6, 5, 4, 3, 2, 1]
      const time = (number: number): bigint => rows[number - 1]!.start
      const cases: ReadonlyArray<readonly [CallSpanFilter, ReadonlyArray<number>]> = [
        [{}, all],
        [{ id: "a" }, [2, 1]],
        [{ id: "b" }, [4, 3]],
        [{ id: "42" }, [7]],
        [{ key: "b" }, [3]],
        [{ key: "b#2" }, [4]],
        [{ tool: "lookup" }, [4, 2, 1]],
        [{ tool: "made_up" }, [5]],
        [{ stage: "decision" }, [5, 1]],
        [{ state: "approved" }, [2]],
        [{ outcome: "failure" }, [3]],
        [{ conversation: "talk" }, [4]],
        [{ service: "one" }, [2, 1]],
        [{ id: "a", tool: "lookup", state: "pending" }, [1]],
        [{ id: "a", tool: "wipe" }, []],
        [{ tool: "lookup", outcome: "failure" }, []],
        [{ from: time(3) }, [7, 6, 5, 4, 3]],
        [{ until: time(3) }, [2, 1]],
        [{ from: time(2), until: time(4), tool: "lookup" }, [2]],
        [{ from: 2n ** 64n }, []],
        [{ until: 0n }, []],
        [{ service: undefined, id: undefined }, all]
      ]
      for (const [filter, expected] of cases) {
        const title = JSON.stringify(filter, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
        it.effect(`by ${title}`, () =>
          Effect.gen(function*() {
            const store = yield* TraceStore
            yield* store.append(rows)
            assert.deepStrictEqual(numbersOf(yield* store.findCallSpans(filter, 100)), expected)
          }).pipe(Effect.provide(layer)))
      }

      it.effect("goes through pages without losing or doubling any, also among equal times", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          yield* store.append(
            Array.from(
              { length: 50 },
              (_, index) => row(index + 1, { start: BigInt(index % 3), attributes: call("a") })
            )
          )
          const expected = rowsOf(yield* store.findCallSpans({ id: "a" }, 100))
          assert.lengthOf(expected, 50)
          const pages: Array<StoredSpan> = []
          for (;;) {
            const last = pages.at(-1)
            const after = last === undefined ? undefined : { start: last.row.start, sequence: last.sequence }
            const page = yield* store.findCallSpans({ id: "a", after }, 7)
            if (page.length === 0) break
            pages.push(...page)
          }
          assert.deepStrictEqual(rowsOf(pages), expected)
        }).pipe(Effect.provide(layer)))
    })

    it.effect("knows who links to a span, in other traces, by twin attribute, and before it arrives", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const target = { traceId: traceId(5), spanId: spanId(5) }
        const twin = `${target.traceId}-${target.spanId}`
        yield* store.append([
          row(1, { links: [link(5, 5, "decided_by"), link(5, 6, "decided_by")] }),
          row(2, { trace: 2, attributes: { "toolspan.link.consumes": ["nonsense", twin] } }),
          row(3, { links: [link(5, 5, "result_of")], attributes: { "toolspan.link.result_of": twin } }),
          row(4, { links: [link(5, 5)] }),
          row(6, { attributes: { "toolspan.link.approved_by": `${twin}0` } })
        ])
        const links = (yield* store.linksTo(target)).map((
          { from, type }
        ) => [Number.parseInt(from.row.spanId, 16), type])
        assert.deepStrictEqual(links, [[1, "decided_by"], [2, "consumes"], [3, "result_of"], [4, ""]])
        yield* store.append([row(5, { trace: 5 })])
        assert.lengthOf(yield* store.linksTo(target), 4)
        assert.strictEqual((yield* store.stats).traces, 3)
      }).pipe(Effect.provide(layer)))

    it.effect("counts what it has", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const empty = yield* store.stats
        assert.deepStrictEqual([empty.spans, empty.callSpans, empty.traces, empty.oldest], [0, 0, 0, undefined])
        assert.deepStrictEqual(yield* store.append([]), { stored: 0, duplicates: 0 })
        yield* store.append([row(2, { attributes: call("a") }), row(1)])
        yield* store.append([row(3, { trace: 2, links: [link(7, 7)] }), row(1)])
        const { bytes, ...stats } = yield* store.stats
        assert.deepStrictEqual(stats, { spans: 3, callSpans: 1, traces: 2, oldest: row(1).start, newest: row(3).start })
        assert.isAtLeast(bytes, 0)
      }).pipe(Effect.provide(layer)))

    it.effect("serves its reading half as a service of its own", () =>
      Effect.gen(function*() {
        yield* (yield* TraceStore).append([row(1)])
        assert.lengthOf(yield* (yield* TraceReader).trace(traceId(1)), 1)
      }).pipe(Effect.provide(layer)))
  })
}
