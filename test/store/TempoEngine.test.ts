import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Query from "../../src/query/Query.ts"
import * as Backend from "../../src/store/Backend.ts"
import { plainCall } from "../query/CallFixture.ts"
import { traceId } from "../query/SpanBuilder.ts"
import { conformance } from "./conformance.ts"
import { remoteStories } from "./remoteStories.ts"
import * as RemoteStore from "./RemoteStore.ts"
import * as tempoAnswers from "./tempoAnswers.ts"
import * as TempoStandIn from "./TempoStandIn.ts"

const store = Effect.flatMap(
  TempoStandIn.make,
  ({ push, url }) => RemoteStore.make(`tempo=${url}?hours=1000000`, (_, rows) => Effect.sync(() => push(rows)))
)

conformance("Tempo (as documented)", RemoteStore.layer(store), {
  kept: (row) => row,
  idAtMost: 80_000,
  local: false,
  searchesLinks: true,
  partial: ["order", "faults", "fields"]
})

remoteStories(
  "Tempo (as documented)",
  (parameters) =>
    Effect.flatMap(
      TempoStandIn.make,
      ({ push, url }) =>
        RemoteStore.make(`tempo=${url}?${["hours=1000000", ...parameters].join("&")}`, (_, rows) =>
          Effect.sync(() => push(rows)))
    )
)

/** A trace whose id begins with zeros: Tempo's page shows ids of 16 digits. */
const short = "0000000000000000d6e9329d67b6146a"

describe("Tempo's documented answers", () => {
  const rows = plainCall("t1").map((row) => row.traceId === traceId("a") ? { ...row, traceId: short } : row)

  /** Answers every search so, and each trace with its spans. */
  const serving = (search: unknown) =>
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = http.createServer((request, response) => {
          const path = new URL(request.url ?? "/", "http://localhost").pathname
          if (path === "/api/search") return void response.end(JSON.stringify(search))
          const id = path.split("/").at(-1)
          const found = rows.filter((row) => row.traceId === id)
          assert.strictEqual(request.headers.accept, "application/protobuf")
          response.writeHead(found.length === 0 ? 404 : 200).end(tempoAnswers.traceById.answer(found))
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
      }),
      ({ server }) =>
        Effect.promise(() => {
          const closed = new Promise((resolve) => server.close(resolve))
          server.closeAllConnections()
          return closed
        })
    )

  const searches = [tempoAnswers.traceQlSearch, tempoAnswers.searchWithCounters]
  for (const { answer, from } of searches) {
    it.effect(`are read, with ids that have lost their zeros and fields of a newer version: ${from}`, () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(RemoteStore.today)
        const { url } = yield* serving(answer([short.replace(/^0+/, ""), traceId("b")]))
        const backend = yield* Backend.parse(`tempo=${url}?hours=1000000`)
        const query = Query.make(yield* Backend.makeReader(backend, Duration.zero))
        const { calls } = yield* query.calls({ id: "t1" })
        assert.deepStrictEqual(calls.map(({ id, outcome, traces }) => [id, outcome, traces]), [
          ["t1", "success", [short]]
        ])
      }))
  }

  it.effect("have every field that the stand-in's have, and it has those that are read", () =>
    Effect.gen(function*() {
      const { push, url } = yield* TempoStandIn.make
      push(rows)
      const search = new URLSearchParams({
        q: "{ span.gen_ai.tool.call.id = \"t1\" } with (most_recent=true)",
        start: "0",
        end: "9999999999"
      })
      const response = yield* Effect.promise(() => fetch(`${url}/api/search?${search}`))
      const answered: unknown = yield* Effect.promise(() => response.json())
      const documented = tempoAnswers.searchFields(tempoAnswers.traceQlSearch.answer([short]))
      const fields = [...new Set(tempoAnswers.searchFields(answered))]
      assert.includeMembers([...documented], fields)
      assert.include(fields, "traces.traceID")
    }))
})
