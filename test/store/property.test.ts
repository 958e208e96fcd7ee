import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import fc from "fast-check"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { CallFilter, CallSort, StoredCall } from "../../src/store/TraceReader.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import * as model from "./model.ts"
import { attributes, link, row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const some = <A>(...values: ReadonlyArray<A>) => fc.constantFrom(...values)
const ids = ["a", "ab", "b", "call_0", "?1"]
const tools = ["lookup", "wipe_Disk", "made up"]
const kinds = ["orphan_result", "renamed_tool"]
const contents = ["It is RAINY in \"Köln\"", "rain; drop table call", "a\0b%_", "nothing to see"]
const time = (number: number) => 1_700_000_000_000_000_000n + BigInt(number) * 1_000_000_000n

const rare = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: 8 }, { arbitrary, weight: 1 })

const drawn = fc.record({
  trace: fc.integer({ min: 1, max: 4 }),
  stage: some<model.Drawn["stage"]>("decision", "approval", "execution", "result", undefined),
  key: some(undefined, ...ids),
  id: some(undefined, ...ids),
  tool: some(undefined, ...tools),
  requested: some(undefined, undefined, ...tools),
  state: some(undefined, "pending", "approved"),
  outcome: some(undefined, "success", "failure"),
  event: some<model.Drawn["event"]>(undefined, "requested", "resolved"),
  waits: fc.boolean(),
  conversation: some(undefined, undefined, "x", "y"),
  service: some("one", "two"),
  ambiguous: some(false, false, false, true),
  took: fc.integer({ min: 0, max: 4 }),
  content: some(undefined, undefined, ...contents),
  link: fc.option(
    fc.record({ trace: fc.integer({ min: 1, max: 4 }), span: fc.integer({ min: 1, max: 20 }), joins: fc.boolean() }),
    { nil: undefined }
  ),
  fault: rare(fc.record({ kind: some(...kinds), key: some(...ids) })),
  /** Where the span stands in the order of arrival, and in which request. */
  arrival: fc.nat(1_000)
})

const spansOf = (draft: ReadonlyArray<typeof drawn extends fc.Arbitrary<infer A> ? A : never>) =>
  draft.map((span, index): model.Drawn & { readonly arrival: number } => ({
    ...span,
    number: index + 1,
    start: time(index + 1),
    took: span.took * 100 + index,
    wait: span.waits ? (span.took * 64 + index) / 1_024 * 1_000 : undefined
  }))

const present = (record: Readonly<Record<string, AttributeValue | undefined>>): Record<string, AttributeValue> =>
  Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined)
  )

const rowOf = (span: model.Drawn): SpanRow =>
  row(span.number, {
    trace: span.trace,
    service: span.service,
    end: span.start + BigInt(span.took) * 1_000_000n,
    links: span.link === undefined
      ? []
      : [link(span.link.trace, span.link.span, span.link.joins ? "decided_by" : "consumes")],
    events: span.fault === undefined ? [] : [{
      time: span.start,
      name: "toolspan.violation",
      attributes: attributes({ "toolspan.violation.kind": span.fault.kind, "toolspan.call.key": span.fault.key }),
      droppedAttributesCount: 0
    }],
    attributes: present({
      "toolspan.stage": span.stage,
      "toolspan.call.key": span.key,
      "gen_ai.tool.call.id": span.id,
      "gen_ai.tool.name": span.tool,
      "toolspan.tool.requested_name": span.requested,
      "toolspan.approval.state": span.state,
      "toolspan.outcome": span.outcome,
      "toolspan.approval.event": span.event,
      "toolspan.approval.wait": span.wait === undefined ? undefined : span.wait / 1_000,
      "gen_ai.conversation.id": span.conversation,
      "toolspan.link.ambiguous": span.ambiguous ? true : undefined,
      "gen_ai.tool.call.result": span.content
    })
  })

const filter: fc.Arbitrary<CallFilter> = fc.record({
  id: rare(some(...ids, "nobody")),
  idPrefix: rare(some("", "a", "call", "?", "A")),
  key: rare(some(...ids)),
  tool: rare(some(...tools, "_unknown")),
  state: rare(some("pending", "approved")),
  outcome: rare(some("success", "failure")),
  violation: rare(some(...kinds)),
  conversation: rare(some("x", "y", "z")),
  service: rare(some("one", "two")),
  from: rare(fc.integer({ min: 0, max: 20 }).map(time)),
  until: rare(fc.integer({ min: 0, max: 20 }).map(time)),
  minExecution: rare(fc.integer({ min: 0, max: 500 })),
  maxExecution: rare(fc.integer({ min: 0, max: 500 })),
  text: rare(some("", "a", "rain", "RAIN", "disk", "; drop table", "b%_", "köln", "in \"K", "e"))
})

const question = fc.record({
  filter,
  sort: some<CallSort>("newest", "oldest", "slowest", "longest-wait"),
  page: fc.integer({ min: 1, max: 8 })
})

const numbersOf = (calls: ReadonlyArray<StoredCall>): ReadonlyArray<ReadonlyArray<number>> =>
  calls.map(({ spans }) => spans.map(({ row }) => Number.parseInt(row.spanId, 16)))

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => typeof inner === "bigint" ? String(inner) : inner)

/** All pages, one after the other. */
const paged = Effect.fnUntraced(
  function*(
    store: TraceStore.Shape,
    { filter, page, sort }: typeof question extends fc.Arbitrary<infer A> ? A : never
  ) {
    const found: Array<StoredCall> = []
    for (;;) {
      const next = yield* store.findCalls(filter, { sort, after: found.at(-1)?.place, limit: page })
      if (next.length === 0) return found
      found.push(...next)
    }
  }
)

const stores: Readonly<Record<string, Effect.Effect<TraceStore.Shape, unknown, Scope.Scope>>> = {
  memory: Effect.sync(MemoryStore.make),
  sqlite: Effect.flatMap(temporaryFolder, (folder) => SqliteStore.make({ path: path.join(folder, "spans.db") }))
}

const runs = 150
const seed = 20_261_201

describe("a store answers as a slow and obvious one does, for random spans in random order and random questions", () => {
  for (const [name, make] of Object.entries(stores)) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const drafts = fc.sample(fc.array(drawn, { minLength: 1, maxLength: 20 }), { numRuns: runs, seed })
        const questions = fc.sample(question, { numRuns: runs * 12, seed })
        let found = 0
        for (const [run, draft] of drafts.entries()) {
          const spans = spansOf(draft)
          yield* Effect.scoped(Effect.gen(function*() {
            const store = yield* make
            const arriving = spans.toSorted((a, b) => a.arrival - b.arrival || a.number - b.number)
            const half = run % arriving.length
            for (const batch of [arriving.slice(0, half), arriving.slice(half)]) yield* store.append(batch.map(rowOf))
            const check = Effect.fnUntraced(function*(left: ReadonlyArray<model.Drawn>, when: string) {
              const calls = model.callsOf(left)
              for (const one of questions.slice(run * 12, run * 12 + 12)) {
                const expected = model.find(calls, one.filter, one.sort)
                const title = `run ${run}, ${when}: ${shown(one)}`
                const answer = yield* paged(store, one)
                assert.deepStrictEqual(numbersOf(answer), expected, title)
                const fitting = calls.filter((call) => model.fits(call, one.filter)).length
                assert.strictEqual(yield* store.countCalls(one.filter, 100), fitting, title)
                found += expected.length
              }
              const faults = new Map(calls.map((call) => [call.spans[0]!.number, call.faults.length]))
              for (const call of yield* store.findCalls({}, { limit: 100 })) {
                const [first] = numbersOf([call])[0]!
                assert.strictEqual(call.violations, faults.get(first!), `run ${run}, ${when}: faults of ${first}`)
              }
              const target = { traceId: traceId(1), spanId: spanId(1) }
              const linking = left.filter((span) => span.link?.trace === 1 && span.link.span === 1)
              assert.sameMembers(
                (yield* store.linksTo(target)).map(({ from }) => Number.parseInt(from.row.spanId, 16)),
                linking.map(({ number }) => number)
              )
            })
            yield* check(spans, "all")
            // The oldest by arrival go, as by size; half of them at most.
            const gone = Math.floor(spans.length / 2)
            assert.strictEqual(yield* store.drop({ before: 2n ** 63n - 1n }, gone), gone)
            yield* check(spans.filter((span) => !arriving.slice(0, gone).includes(span)), "after a drop")
          }))
        }
        assert.isAbove(found, 1_000)
      }), 120_000)
  }
})
