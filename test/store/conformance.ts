/**
 * What every store must do: one suite, run for each.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import fc from "fast-check"
import type { AttributeValue } from "../../src/otlp/SpanRow.ts"
import type * as Capability from "../../src/store/Capability.ts"
import { type CallFilter, type StoredCall, type StoredSpan, TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import * as arbitrary from "../otlp/arbitrary.ts"
import * as CallGrouping from "../../src/store/CallGrouping.ts"
import * as StageSpan from "../../src/store/StageSpan.ts"
import { type Engine, ours } from "./Engine.ts"
import { attributes, link, row, spanId, traceId } from "./rows.ts"

const namesOf = (spans: ReadonlyArray<StoredSpan>): ReadonlyArray<string> => spans.map((span) => span.row.name)

const callNames = (calls: ReadonlyArray<StoredCall>): ReadonlyArray<string> =>
  calls.flatMap(({ spans }) => namesOf(spans))

/** Calls by the numbers of their spans, in the order of time. */
const callNumbers = (calls: ReadonlyArray<StoredCall>): ReadonlyArray<ReadonlyArray<number>> =>
  calls.map(({ spans }) => numbersOf(spans))

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

/** What an engine refuses is declared, and fails as it is declared. */
const declares = (engine: Engine) =>
  Effect.gen(function*() {
    const { capabilities, changedCalls, stats } = yield* TraceReader
    assert.notStrictEqual(capabilities.engine, "")
    const refused = capabilities.refused.map(({ question }) => question)
    assert.deepStrictEqual(refused, engine.local ? [] : ["changes", "stats"])
    assert.deepStrictEqual(
      capabilities.partial.map(({ question }) => question),
      engine.partial
    )
    const asked: Readonly<Record<"changes" | "stats", Effect.Effect<unknown, Capability.ReadError>>> = {
      changes: changedCalls(undefined, 10),
      stats
    }
    for (const question of ["changes", "stats"] as const) {
      const outcome = yield* Effect.result(asked[question])
      if (engine.local) assert.isTrue(Result.isSuccess(outcome))
      else {
        assert.isTrue(Result.isFailure(outcome))
        const error = (outcome as Result.Failure<unknown, Capability.ReadError>).failure
        assert.strictEqual(error._tag, "CannotAnswer")
        assert.include(error, { engine: capabilities.engine, question })
        const { instead, reason } = capabilities.refused.find((declared) => declared.question === question)!
        assert.strictEqual(error.message, `${capabilities.engine} cannot answer this: ${reason}. ${instead}.`)
      }
    }
  })

/** Registers the suite for a store; `layer` is built anew for each test. */
export const conformance = <E>(
  name: string,
  layer: Layer.Layer<TraceStore | TraceReader, E>,
  engine: Engine = ours
): void => {
  describe(`${name} store`, () => {
    it.effect("declares what it does not answer, and refuses just that", () =>
      declares(engine).pipe(Effect.provide(layer)))

    it.effect("gives every field of every span back as it was given", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        const spans = fc.sample(arbitrary.span, { numRuns: 100, seed: 7 })
        assert.deepStrictEqual(yield* store.append(spans), { stored: 100, duplicates: 0 })
        for (const span of spans) {
          const found = yield* store.span(span)
          assert.deepStrictEqual(found && engine.kept(found.row), engine.kept(span))
        }
      }).pipe(Effect.provide(layer)))

    it.effect("finds hostile ids verbatim, each only by itself", () =>
      Effect.gen(function*() {
        const store = yield* TraceStore
        yield* store.append(
          hostile.map((id, index) => row(index + 1, { trace: index + 1, name: id, attributes: call(id) }))
        )
        for (const id of hostile) {
          if (id.length > engine.idAtMost) {
            const error = yield* Effect.flip(store.findCalls({ id }, { limit: 10 }))
            assert.strictEqual(error._tag, "CannotAnswer")
            continue
          }
          assert.deepStrictEqual(callNames(yield* store.findCalls({ id }, { limit: 10 })), [id])
          assert.deepStrictEqual(callNames(yield* store.findCalls({ key: id }, { limit: 10 })), [id])
        }
        assert.deepStrictEqual(yield* store.findCalls({ id: "call" }, { limit: 10 }), [])
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
        assert.deepStrictEqual(callNames(yield* store.findCalls({ id: "a" }, { limit: 10 })), ["first"])
        const linking = yield* store.linksTo({ traceId: traceId(9), spanId: spanId(9) })
        assert.lengthOf(linking, engine.searchesLinks ? 1 : 0)
        if (engine.local) assert.strictEqual((yield* store.stats).spans, 3)
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
        const found = numbersOf(yield* store.trace(traceId(1)))
        assert.deepStrictEqual(
          engine.local ? found : [...found.slice(0, 2).toSorted((one, other) => other - one), ...found.slice(2)],
          [
            8,
            7,
            1,
            2,
            3
          ]
        )
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

    describe("finding calls", () => {
      const violation = (kind: string, key: string) => ({
        time: 1n,
        name: "toolspan.violation",
        attributes: attributes({
          "toolspan.violation.kind": kind,
          "toolspan.call.key": key,
          "gen_ai.tool.call.id": key
        }),
        droppedAttributesCount: 0
      })
      const rows = [
        row(1, {
          service: "one",
          attributes: call("a", { "toolspan.stage": "decision", "toolspan.approval.state": "pending" })
        }),
        row(2, {
          service: "one",
          links: [link(1, 1, "decided_by")],
          attributes: call("a", {
            "toolspan.outcome": "success",
            "toolspan.approval.state": "approved",
            "gen_ai.tool.call.result": "It is RAINY in \"Köln\""
          })
        }),
        row(3, {
          service: "two",
          trace: 3,
          end: row(3).start + 7_000_000n,
          attributes: call("b", { "gen_ai.tool.name": "wipe_disk", "toolspan.outcome": "failure" })
        }),
        row(4, { trace: 4, attributes: call("b", { "toolspan.call.key": "b#2", "gen_ai.conversation.id": "talk" }) }),
        row(5, {
          trace: 5,
          attributes: {
            "toolspan.stage": "decision",
            "toolspan.tool.requested_name": "made_up",
            "toolspan.call.key": "?1"
          }
        }),
        row(6, { trace: 6, attributes: { "gen_ai.operation.name": "execute_tool" } }),
        row(7, { trace: 7, attributes: { "gen_ai.tool.call.id": 42n } }),
        row(8, { trace: 4, attributes: { "gen_ai.operation.name": "chat", "gen_ai.conversation.id": "talk" } }),
        row(9, { trace: 3, events: [violation("renamed_tool", "b"), violation("orphan_result", "nobody")] }),
        row(10, {
          trace: 10,
          attributes: call("c", {
            "toolspan.stage": "approval",
            "toolspan.approval.event": "resolved",
            "toolspan.approval.wait": 4.5,
            "toolspan.approval.state": "denied"
          })
        })
      ]
      const [a, b, b2, unknown, foreign, denied] = [[1, 2], [3], [4], [5], [6], [10]] as const
      const all = [denied, foreign, unknown, b2, b, a]
      const time = (number: number): bigint => rows[number - 1]!.start
      const cases: ReadonlyArray<readonly [CallFilter, ReadonlyArray<ReadonlyArray<number>>]> = [
        [{}, all],
        [{ id: "a" }, [a]],
        [{ id: "b" }, [b2, b]],
        [{ id: "b#2" }, [b2]],
        [{ id: "42" }, []],
        [{ key: "b" }, [b]],
        [{ idPrefix: "b" }, [b2, b]],
        [{ idPrefix: "b#" }, [b2]],
        [{ idPrefix: "" }, all],
        [{ tool: "lookup" }, [denied, b2, a]],
        [{ tool: "made_up" }, [unknown]],
        [{ state: "approved" }, [a]],
        [{ state: "pending" }, []],
        [{ outcome: "failure" }, [b]],
        [{ conversation: "talk" }, [b2]],
        [{ service: "one" }, [a]],
        [{ violation: "renamed_tool" }, [b]],
        [{ violation: "orphan_result" }, []],
        [{ id: "a", tool: "lookup", state: "approved" }, [a]],
        [{ id: "a", tool: "wipe_disk" }, []],
        [{ tool: "lookup", outcome: "failure" }, []],
        [{ from: time(3) }, [denied, foreign, unknown, b2, b]],
        [{ until: time(3) }, [a]],
        [{ from: time(1), until: time(4), tool: "lookup" }, [a]],
        [{ from: 2n ** 64n }, []],
        [{ until: 0n }, []],
        [{ minExecution: 7 }, [b]],
        [{ maxExecution: 6.9, tool: "lookup" }, [b2, a]],
        [{ text: "b" }, [b2, b]],
        [{ text: "DISK" }, [b]],
        [{ text: "rainy in \"k" }, [a]],
        [{ text: "y in" }, [a]],
        [{ text: "ra" }, []],
        [{ text: "*" }, []],
        [{ text: "a OR b" }, []],
        [{ text: "", service: undefined, id: undefined }, all]
      ]
      for (const [filter, expected] of cases) {
        const title = JSON.stringify(filter, (_, value: unknown) => typeof value === "bigint" ? String(value) : value)
        it.effect(`by ${title}`, () =>
          Effect.gen(function*() {
            const store = yield* TraceStore
            yield* store.append(rows)
            assert.deepStrictEqual(callNumbers(yield* store.findCalls(filter, { limit: 100 })), expected)
            assert.strictEqual(yield* store.countCalls(filter, 100), expected.length)
            assert.strictEqual(yield* store.countCalls(filter, 1), Math.min(1, expected.length))
          }).pipe(Effect.provide(layer)))
      }

      it.effect("in every order", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          yield* store.append(rows)
          const sorted = (sort: "oldest" | "slowest" | "longest-wait") =>
            Effect.map(store.findCalls({}, { sort, limit: 100 }), callNumbers)
          assert.deepStrictEqual(yield* sorted("oldest"), all.toReversed())
          assert.deepStrictEqual((yield* sorted("slowest"))[0], b)
          assert.lengthOf(yield* sorted("slowest"), 4)
          assert.deepStrictEqual(yield* sorted("longest-wait"), [denied])
        }).pipe(Effect.provide(layer)))

      for (const sort of ["newest", "oldest", "slowest"] as const) {
        it.effect(`goes through pages without losing or doubling any, also among equal values (${sort})`, () =>
          Effect.gen(function*() {
            const store = yield* TraceStore
            yield* store.append(
              Array.from(
                { length: 50 },
                (_, index) =>
                  row(index + 1, { trace: index + 1, start: BigInt(index % 3), end: 10n, attributes: call("a") })
              )
            )
            const expected = callNumbers(yield* store.findCalls({ id: "a" }, { sort, limit: 100 }))
            assert.lengthOf(expected, 50)
            const pages: Array<StoredCall> = []
            for (;;) {
              const after = pages.at(-1)?.place
              const page = yield* store.findCalls({ id: "a" }, { sort, after, limit: 7 })
              if (page.length === 0) break
              pages.push(...page)
            }
            assert.deepStrictEqual(callNumbers(pages), expected)
          }).pipe(Effect.provide(layer)))
      }

      it.effect("counts the faults of a call, also when they came before it", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          for (const one of rows.toReversed()) yield* store.append([one])
          const counts = (yield* store.findCalls({}, { limit: 100 })).map(({ violations }) => violations)
          assert.deepStrictEqual(counts, [0, 0, 0, 0, 1, 0])
          const figures = yield* store.figures(100)
          assert.deepInclude(figures.find(({ tool }) => tool === "wipe_disk"), {
            known: true,
            calls: 1,
            failures: 1,
            executions: [7],
            faults: 1
          })
        }).pipe(Effect.provide(layer)))

      it.effect("has figures of every tool over the newest calls, the most called first", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          const calls = Array.from({ length: 30 }, (_, index) => {
            const number = index + 1
            const start = 1_700_000_000_000_000_000n + BigInt(Math.floor(number / 2)) * 1_000_000_000n
            return row(number, {
              trace: number,
              start,
              end: start + BigInt(number) * 1_000_000n,
              attributes: {
                "gen_ai.tool.call.id": `c${number}`,
                "toolspan.stage": "execution",
                ...(number % 10 === 0
                  ? { "toolspan.tool.requested_name": "made_up" }
                  : { "gen_ai.tool.name": number % 3 === 0 ? "b" : "a" }),
                "toolspan.outcome": number % 5 === 0 ? "unknown_tool" : "success",
                ...(number % 4 === 0 ? { "toolspan.approval.state": "pending" } : {})
              }
            })
          })
          yield* store.append(calls)
          const all = yield* store.figures(100)
          assert.deepStrictEqual(
            all.map(({ calls, failures, known, pending, tool }) => [tool, known, calls, failures, pending]),
            [["a", true, 18, 2, 4], ["b", true, 9, 1, 2], ["made_up", false, 3, 3, 1]]
          )
          assert.lengthOf(all[0]!.executions, 18)
          // The last but one began with the one before it.
          const newest = yield* store.figures(2)
          assert.deepStrictEqual(
            newest.map((
              { calls, executions, tool }
            ) => [tool, calls, executions.toSorted((one, other) => other - one)]),
            [["a", 2, [29, 28]], ["made_up", 1, [30]]]
          )
        }).pipe(Effect.provide(layer)))

      it.effect("finds faults by kind, key and id, the last first", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          yield* store.append(rows)
          const found = yield* store.findViolations({}, 10)
          assert.deepStrictEqual(found.map(({ index, span }) => [span.row.spanId, index]), [
            [spanId(9), 1],
            [spanId(9), 0]
          ])
          assert.lengthOf(yield* store.findViolations({ after: found[0]!.sequence }, 10), 1)
          assert.lengthOf(yield* store.findViolations({ kind: "renamed_tool", id: "b" }, 10), 1)
          assert.lengthOf(yield* store.findViolations({ id: "a" }, 10), 0)
          assert.strictEqual(yield* store.countViolations({ id: "nobody" }), 1)
          assert.deepStrictEqual(yield* store.violationKinds, [
            { kind: "orphan_result", count: 1 },
            { kind: "renamed_tool", count: 1 }
          ])
        }).pipe(Effect.provide(layer)))

      it.effect("finds faults by tool: the one that they name, else that of the call that they name", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          const named = violation("dropped_argument", "a")
          const withName = [...named.attributes, { key: "gen_ai.tool.name", value: "lookup" }]
          const talk = { "gen_ai.conversation.id": "talk" }
          yield* store.append([
            ...rows,
            row(11, { trace: 1, events: [{ ...named, attributes: withName }, violation("duplicate_id", "a")] }),
            row(12, { trace: 5, events: [violation("unknown_tool", "?1")] }),
            row(13, { trace: 13, attributes: talk, events: [violation("duplicate_result", "b#2")] })
          ])
          const found = (tool: string) =>
            Effect.gen(function*() {
              const faults = yield* store.findViolations({ tool }, 10)
              assert.strictEqual(yield* store.countViolations({ tool }), faults.length)
              for (const fault of faults) assert.strictEqual(fault.tool, tool)
              return faults.map(({ index, span }) => [span.row.spanId, index])
            })
          assert.deepStrictEqual(yield* found("lookup"), [[spanId(13), 0], [spanId(11), 1], [spanId(11), 0]])
          assert.deepStrictEqual(yield* found("made_up"), [[spanId(12), 0]])
          assert.deepStrictEqual(yield* found("wipe_disk"), [[spanId(9), 0]])
          assert.deepStrictEqual(yield* found("Lookup"), [])
          const [orphan] = yield* store.findViolations({ kind: "orphan_result" }, 10)
          assert.isUndefined(orphan!.tool)
        }).pipe(Effect.provide(layer)))

      it.effect("knows the traces of a conversation", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          yield* store.append(rows)
          yield* store.append([row(11, { trace: 11, attributes: { "gen_ai.conversation.id": "talk" } })])
          assert.deepStrictEqual(yield* store.conversationTraces("talk", 10), [traceId(4), traceId(11)])
          assert.deepStrictEqual(yield* store.conversationTraces("talk", 1), [traceId(4)])
          assert.deepStrictEqual(yield* store.conversationTraces("", 10), [])
        }).pipe(Effect.provide(layer)))

      if (engine.local) {
        it.effect("tells what has changed, once", () =>
          Effect.gen(function*() {
            const store = yield* TraceStore
            yield* store.append(rows.slice(0, 1))
            const { calls, last } = yield* store.changedCalls(undefined, 10)
            assert.deepStrictEqual(calls, [])
            assert.deepStrictEqual(yield* store.changedCalls(last, 10), { calls: [], last })
            yield* store.append(rows.slice(1, 4))
            const news = yield* store.changedCalls(last, 2)
            assert.deepStrictEqual(callNumbers(news.calls), [a, b])
            assert.deepStrictEqual(callNumbers((yield* store.changedCalls(news.last, 10)).calls), [b2])
          }).pipe(Effect.provide(layer)))
      }
    })

    it.effect(
      "groups spans into calls as the grouping of all of them says, in any order and any batches",
      () =>
        Effect.gen(function*() {
          const stage = fc.constantFrom("decision", "approval", "execution", "result")
          const some = <A>(values: ReadonlyArray<A>) => fc.constantFrom(...values)
          const spans = fc.array(
            fc.record({
              stage,
              trace: fc.integer({ min: 1, max: 3 }),
              key: some(["a", "b", "?1"]),
              conversation: some([undefined, undefined, "x", "y"]),
              ambiguous: some([undefined, undefined, true]),
              target: fc.option(
                fc.record({ trace: fc.integer({ min: 1, max: 3 }), span: fc.integer({ min: 1, max: 14 }) })
              ),
              batch: fc.integer({ min: 0, max: 3 })
            }),
            { minLength: 1, maxLength: 14 }
          )
          for (const draft of fc.sample(spans, { numRuns: engine.arrangements ?? 60, seed: 11 })) {
            const made = draft.map((one, index) =>
              row(index + 1, {
                trace: one.trace,
                links: one.target === null ? [] : [link(one.target.trace, one.target.span, "decided_by")],
                attributes: {
                  ...call(one.key, { "toolspan.stage": one.stage }),
                  ...(one.conversation === undefined ? {} : { "gen_ai.conversation.id": one.conversation }),
                  ...(one.ambiguous === undefined ? {} : { "toolspan.link.ambiguous": true })
                }
              })
            )
            const groups = CallGrouping.group(made.flatMap((one) => StageSpan.ofRow(one) ?? []))
            const expected = groups.map((members) => members.map(({ address }) => address).join()).toSorted()
            yield* Effect.gen(function*() {
              const store = yield* TraceStore
              for (const batch of [0, 1, 2, 3]) {
                yield* store.append(made.filter((_, index) => draft[index]!.batch === batch))
              }
              const calls = yield* store.findCalls({}, { limit: 100 })
              const found = calls.map(({ spans }) => spans.map(({ row }) => StageSpan.addressOf(row)).join()).toSorted()
              assert.deepStrictEqual(found, expected)
            }).pipe(Effect.provide(layer, { local: true }))
          }
        }),
      60_000
    )

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
        // Where links are not searched, the list is not found, and the fourth only because it stands beside the others.
        const told = engine.searchesLinks
          ? [[1, "decided_by"], [2, "consumes"], [3, "result_of"], [4, ""]]
          : [[1, "decided_by"], [3, "result_of"], [4, ""]]
        assert.deepStrictEqual(links, told)
        yield* store.append([row(5, { trace: 5 })])
        // A span that is no stage of a call is not looked for where links are not searched.
        assert.lengthOf(yield* store.linksTo(target), engine.searchesLinks ? told.length : 0)
        if (engine.local) assert.strictEqual((yield* store.stats).traces, 3)
      }).pipe(Effect.provide(layer)))

    if (engine.local) {
      it.effect("counts what it has", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          const empty = yield* store.stats
          assert.deepStrictEqual([empty.spans, empty.callSpans, empty.traces, empty.oldest], [0, 0, 0, undefined])
          assert.deepStrictEqual(yield* store.append([]), { stored: 0, duplicates: 0 })
          yield* store.append([row(2, { attributes: call("a") }), row(1)])
          yield* store.append([row(3, { trace: 2, links: [link(7, 7)] }), row(1)])
          const { bytes, ...stats } = yield* store.stats
          assert.deepStrictEqual(stats, {
            spans: 3,
            callSpans: 1,
            calls: 1,
            traces: 2,
            violations: 0,
            dropped: { spans: 0, calls: 0 },
            oldest: row(1).start,
            newest: row(3).start
          })
          assert.isAtLeast(bytes, 0)
        }).pipe(Effect.provide(layer)))
    }

    if (engine.local) {
      it.effect("takes out what is too old, in steps, and is then what the rest would have made", () =>
        Effect.gen(function*() {
          const store = yield* TraceStore
          const rows = [
            row(1, { attributes: call("a", { "toolspan.stage": "decision", "gen_ai.conversation.id": "talk" }) }),
            row(2, {
              trace: 2,
              attributes: call("b", { "gen_ai.tool.call.result": "canary" }),
              links: [link(1, 1, "decided_by")]
            }),
            row(3, { trace: 2, links: [link(2, 2, "consumes")] }),
            row(4, { trace: 4, attributes: call("c"), links: [link(2, 2, "result_of")] }),
            row(5, { trace: 4 })
          ]
          yield* store.append(rows)
          const before = rows[3]!.start
          assert.strictEqual(yield* store.drop({}, 10), 0)
          assert.strictEqual(yield* store.drop({ before: rows[0]!.start }, 10), 0)
          assert.strictEqual(yield* store.drop({ before }, 2), 2)
          assert.strictEqual(yield* store.drop({ before }, 2), 1)
          assert.strictEqual(yield* store.drop({ before }, 2), 0)
          assert.deepInclude(yield* store.stats, {
            spans: 2,
            callSpans: 1,
            calls: 1,
            traces: 1,
            oldest: before,
            dropped: { spans: 3, calls: 0 }
          })
          assert.deepStrictEqual(yield* store.conversationTraces("talk", 10), [])
          assert.lengthOf(yield* store.findCalls({ text: "canary" }, { limit: 10 }), 0)
          assert.deepStrictEqual(callNumbers(yield* store.findCalls({}, { limit: 10 })), [[4]])
          assert.lengthOf(yield* store.linksTo({ traceId: traceId(2), spanId: spanId(2) }), 1)
          assert.deepStrictEqual(yield* store.append(rows.slice(0, 1)), { stored: 1, duplicates: 0 })
        }).pipe(Effect.provide(layer)))
    }

    it.effect("serves its reading half as a service of its own", () =>
      Effect.gen(function*() {
        yield* (yield* TraceStore).append([row(1)])
        assert.lengthOf(yield* (yield* TraceReader).trace(traceId(1)), 1)
      }).pipe(Effect.provide(layer)))
  })
}
