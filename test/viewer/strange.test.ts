/** Stores spans that no instrumentation writes, and asks everything about them. */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import * as DevServer from "../../src/cli/DevServer.ts"
import type { AttributeValue, SpanRow } from "../../src/otlp/SpanRow.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import * as body from "../otlp/body.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { send } from "../receive/client.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const usual = [
  ...plainCall("t1"),
  ...plainCall("t2", { a: "c", b: "d", outcome: "failure" }),
  ...approvedCall("t3", { conversation: "demo" })
]

const oneOf = <A>(values: ReadonlyArray<A>) => fc.constantFrom(...values)

const value: fc.Arbitrary<AttributeValue> = fc.oneof(
  oneOf<AttributeValue>([null, true, Number.NaN, Number.NEGATIVE_INFINITY, -0, 2n ** 63n - 1n, -(2n ** 63n), [], ""]),
  oneOf<AttributeValue>([
    [null, [[]]],
    { entries: [] },
    { entries: [{ key: "__proto__", value: "x" }] },
    new Uint8Array(3)
  ]),
  oneOf([
    "execute_tool",
    "chat",
    "decision",
    "result",
    "decided_by",
    "pending",
    "__proto__",
    "toString",
    "\0",
    "\u202e"
  ]),
  fc.string({ unit: "binary", maxLength: 30 })
)

const time = oneOf([0n, 1n, 2n ** 63n, 2n ** 64n - 1n, 8_640_000_000_000_000_000_000_000n % 2n ** 64n])

/** Changes of one span: to a value of it, its times, its parent, or its links and twins. */
const change = fc.oneof(
  fc.record({ kind: fc.constant("attribute" as const), at: fc.nat(), value }),
  fc.record({ kind: fc.constant("key" as const), at: fc.nat(), from: fc.nat() }),
  fc.record({ kind: fc.constant("time" as const), start: time, end: time }),
  fc.record({ kind: fc.constant("parent" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("link" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("event" as const), value, time }),
  fc.record({ kind: fc.constant("name" as const), name: fc.string({ unit: "binary", maxLength: 30 }) })
)

const changed = (row: SpanRow, it: typeof change extends fc.Arbitrary<infer A> ? A : never): SpanRow => {
  const other = (at: number) => usual[at % usual.length]!
  const { attributes } = row
  switch (it.kind) {
    case "attribute":
      return {
        ...row,
        attributes: attributes.with(it.at % attributes.length, {
          ...attributes[it.at % attributes.length]!,
          value: it.value
        })
      }
    case "key": {
      const from = other(it.from).attributes
      const attribute = from[it.at % from.length]
      return attribute === undefined ? row : { ...row, attributes: [attribute, ...attributes] }
    }
    case "time":
      return { ...row, start: it.start, end: it.end }
    case "parent":
      return { ...row, parentSpanId: other(it.at).spanId }
    case "link": {
      const { spanId, traceId } = other(it.at)
      return {
        ...row,
        links: [...other(it.at + 1).links, {
          spanId,
          traceId,
          traceState: "",
          attributes: [],
          droppedAttributesCount: 0,
          flags: 0
        }]
      }
    }
    case "event":
      return {
        ...row,
        events: [{
          name: "toolspan.violation",
          time: it.time,
          droppedAttributesCount: 0,
          attributes: [
            ...other(0).attributes,
            { key: "toolspan.violation.kind", value: it.value },
            { key: "toolspan.call.key", value: it.value }
          ]
        }]
      }
    case "name":
      return { ...row, name: it.name }
  }
}

const rows = fc.array(fc.tuple(fc.nat(), fc.array(change, { minLength: 1, maxLength: 5 })), {
  minLength: 5,
  maxLength: 40
}).map(
  (changes) => {
    const now = [...usual]
    for (const [at, all] of changes) {
      const place = at % now.length
      if (now[place]!.attributes.length > 0) now[place] = all.reduce(changed, now[place]!)
    }
    return now
  }
)

interface Answers {
  readonly calls: ReadonlyArray<{ readonly key: string; readonly id?: string; readonly conversation?: string }>
}

const askAll = Effect.fnUntraced(function*(store: TraceStore.Shape, sent: ReadonlyArray<SpanRow>) {
  const { port } = yield* DevServer.make({ store, port: 0, folder: "/nowhere" })
  for (const row of sent) {
    const headers = { "content-type": "application/x-protobuf" }
    assert.strictEqual((yield* send(port, { body: body.protobuf(row), headers })).status, 200)
  }
  const ask = (path: string) =>
    Effect.tap(
      send(port, { method: "GET", path }),
      ({ status, text }) => Effect.sync(() => assert.strictEqual(status, 200, `${path}: ${text.slice(0, 500)}`))
    )
  const { calls } = JSON.parse((yield* ask("/api/calls?limit=1000")).text) as Answers
  const paths = [
    ...["newest", "oldest", "slowest", "longest-wait"].map((sort) => `/api/calls?sort=${sort}&limit=2`),
    "/api/tools",
    "/api/stats",
    "/api/violations",
    ...new Set(sent.map(({ traceId }) => `/api/traces/${traceId}`)),
    ...calls.flatMap(({ id, key }) => [key, id ?? key]).filter((name) => name !== "").map((name) =>
      `/api/calls/${encodeURIComponent(name)}/story`
    ),
    ...calls.flatMap(({ conversation }) =>
      conversation === undefined || conversation === ""
        ? []
        : [`/api/conversations/${encodeURIComponent(conversation)}`]
    )
  ]
  yield* Effect.forEach(paths, ask)
}, Effect.scoped)

describe("spans that no instrumentation writes", () => {
  for (const kind of ["memory", "SQLite"] as const) {
    it.live(`leave every question answered (${kind})`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        for (const [number, sent] of fc.sample(rows, { seed: 7, numRuns: 15 }).entries()) {
          const store = kind === "memory"
            ? MemoryStore.make()
            : yield* SqliteStore.make({ path: path.join(folder, `${number}.db`) })
          yield* askAll(store, sent)
        }
      }), 60_000)
  }
})
