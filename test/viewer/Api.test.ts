import * as http from "node:http"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as OpenApi from "effect/http-api/OpenApi"
import * as DevServer from "../../src/cli/DevServer.ts"
import { api } from "../../src/query/api.ts"
import * as Query from "../../src/query/Query.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { plainCall } from "../query/CallFixture.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import * as LiveCalls from "../../src/viewer/LiveCalls.ts"
import { raw, send } from "../receive/client.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const conversation = { values: { [Attribute.genAiConversationId]: "demo/1" } }

const start = Effect.fnUntraced(function*(store: TraceStore.Shape = MemoryStore.make()) {
  yield* store.append(plainCall("t1", conversation))
  const server = yield* DevServer.make({ store, port: 0, folder: "/nowhere" })
  return { ...server, store, query: Query.make(store) }
})

const get = (port: number, path: string, options: Partial<Parameters<typeof send>[1]> = {}) =>
  send(port, { method: "GET", path, ...options })

const reasonOf = (text: string): unknown => (JSON.parse(text) as { readonly reason?: string }).reason

describe("the API", () => {
  it.live("answers what the query answers, for a client made of the same description", () =>
    Effect.gen(function*() {
      const { query, store, url } = yield* start()
      const client = yield* HttpApiClient.make(api, { baseUrl: url }).pipe(Effect.provide(FetchHttpClient.layer))
      assert.deepStrictEqual(
        yield* client.calls({ query: { tool: "weather" } }),
        yield* query.calls({ tool: "weather" })
      )
      assert.deepStrictEqual(yield* client.story({ params: { key: "t1" }, query: {} }), yield* query.story("t1", 20))
      const { traceId } = (yield* store.findCalls({}, { limit: 1 }))[0]!.spans[0]!.row
      assert.deepStrictEqual(yield* client.trace({ params: { traceId } }), (yield* query.trace(traceId))!)
      assert.deepStrictEqual(
        yield* client.conversation({ params: { id: "demo/1" } }),
        (yield* query.conversation("demo/1"))!
      )
      assert.deepStrictEqual(yield* client.tools(), yield* query.tools)
      assert.deepStrictEqual(yield* client.violations({ query: {} }), yield* query.violations({}))
      assert.deepStrictEqual(yield* client.stats(), yield* query.stats)
      const news = yield* client.live({ headers: {} })
      yield* store.append(plainCall("t2", { a: "c", b: "d" }))
      const [event] = yield* Stream.runCollect(Stream.take(news, 1))
      assert.strictEqual(event?.data.id, "t2")
    }))

  it.live("describes itself as OpenAPI", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const { headers, text } = yield* get(port, "/openapi.json")
      assert.match(String(headers["content-type"]), /^application\/json/)
      assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(OpenApi.fromApi(api))))
    }))
})

describe("a question that cannot be answered", () => {
  const wrong: ReadonlyArray<readonly [string, number, RegExp]> = [
    ["/api/calls?limit=0", 400, /limit/],
    ["/api/calls?limit=1e9", 400, /limit/],
    ["/api/calls?limit=many", 400, /limit/],
    ["/api/calls?from=yesterday", 400, /from: Expected a date such as 2026-03-01/],
    ["/api/calls?minDuration=-1", 400, /minDuration/],
    ["/api/calls?sort=random", 400, /sort/],
    ["/api/calls?state=nope", 400, /^state: Expected "not_required" \| "pending" \| .*"abandoned"$/],
    ["/api/calls?outcome=Success", 400, /^outcome: Expected "success" \| .*"not_started"$/],
    ["/api/calls?violation=", 400, /^violation: Expected "missing_id" \| .*"unknown"$/],
    ["/api/violations?kind=nope", 400, /^kind: Expected "missing_id" \| .*"unknown"$/],
    ["/api/calls?id=a&id=b", 400, /id/],
    ["/api/calls?toool=weather", 400, /toool/],
    ["/api/calls?__proto__=1", 400, /./],
    ["/api/calls?cursor=' or 1=1 --", 400, /cursor/],
    ["/api/calls?cursor=newest.n99999999999999999999999999999999999.1", 400, /cursor/],
    ["/api/violations?cursor=newest.n1.1", 400, /cursor/],
    ["/api/calls/t1/story?limit=101", 400, /limit/],
    ["/api/calls/%ff/story", 400, /UTF-8/],
    ["/api/calls/%/story", 400, /UTF-8/],
    ["/api/traces/none", 404, /trace/],
    ["/api/conversations/none", 404, /conversation/],
    ["/api/calls/a/b/story", 404, /openapi/],
    ["/api/", 404, /openapi/],
    ["/api/constructor", 404, /openapi/],
    ["/api/calls%2ft1", 404, /openapi/],
    ["/api/live", 400, /last-event-id/]
  ]
  for (const [path, status, reason] of wrong) {
    it.live(`is refused with ${status} and a reason: ${path}`, () =>
      Effect.gen(function*() {
        const { port } = yield* start()
        const headers = path === "/api/live" ? { "last-event-id": "1 or 1=1" } : {}
        const answer = yield* get(port, path.replaceAll(" ", "%20"), { headers })
        assert.strictEqual(answer.status, status)
        assert.match(String(answer.headers["content-type"]), /^application\/json/)
        assert.match(String(reasonOf(answer.text)), reason)
        assert.isBelow(answer.text.length, 1_000)
      }))
  }

  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"]) {
    it.live(`is no ${method}`, () =>
      Effect.gen(function*() {
        const { port } = yield* start()
        for (const path of ["/api/calls", "/openapi.json"]) {
          const { headers, status } = yield* send(port, { method, path })
          assert.deepStrictEqual([status, headers.allow], [405, "GET, HEAD"])
        }
      }))
  }

  it.live("has no body when only its head is asked for", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      for (const [path, status] of [["/api/calls", 200], ["/api/live", 200], ["/api/none", 404]] as const) {
        const answer = yield* send(port, { method: "HEAD", path })
        assert.deepStrictEqual([answer.status, answer.text], [status, ""])
      }
    }))
})

describe("hostile texts", () => {
  const hostile = [
    "' OR 1=1; DROP TABLE span; --",
    "(a+)+$",
    "<script>alert(1)</script>",
    "%_*?[]^",
    "\u0000",
    "\u001b[31m",
    "\u202e\ufeff\ud83d\ude00",
    "../../../etc/passwd",
    "__proto__",
    "x".repeat(8_000)
  ]
  const cases = ["memory", "SQLite"].flatMap((kind) => hostile.map((text) => [kind, text] as const))
  for (const [kind, text] of cases) {
    it.live(`find what has exactly this id and nothing else: ${JSON.stringify(text.slice(0, 40))} (${kind})`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const { port, store } = yield* start(
          kind === "SQLite" ? yield* SqliteStore.make({ path: path.join(folder, "spans.db") }) : MemoryStore.make()
        )
        yield* store.append(plainCall(text, { a: "e", b: "f" }))
        const id = encodeURIComponent(text)
        const story = yield* get(port, `/api/calls/${id}/story`)
        const found = JSON.parse(story.text) as {
          readonly stories: ReadonlyArray<{ readonly call: { readonly id: string } }>
        }
        assert.deepStrictEqual(found.stories.map(({ call }) => call.id), [text])
        const page = JSON.parse((yield* get(port, `/api/calls?id=${id}`)).text) as { readonly total: number }
        assert.strictEqual(page.total, 1)
        const traces = yield* get(port, `/api/traces/${id}`)
        assert.strictEqual(traces.status, 404)
        for (const name of ["tool", "conversation", "q", "idPrefix", "service"]) {
          assert.strictEqual((yield* get(port, `/api/calls?${name}=${id}`)).status, 200, name)
        }
        for (const name of ["state", "outcome", "violation"]) {
          assert.strictEqual((yield* get(port, `/api/calls?${name}=${id}`)).status, 400, name)
        }
        for (const { headers } of [story, traces]) assert.strictEqual(headers["x-content-type-options"], "nosniff")
      }))
  }

  it.live("of a megabyte are refused", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const long = "x".repeat(1_000_000)
      for (const path of [`/api/calls/${long}/story`, `/api/calls?q=${long}`]) {
        const text = yield* raw(port, `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
        assert.match(text, /^HTTP\/1\.1 431 /)
      }
    }))
})

describe("an answer that would be too large", () => {
  it.live("is refused, and the next one is given", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      // One text that all spans share: as JSON it would be 700 MB, more than a text can be.
      const attributes = [{ key: "app.padding", value: "x".repeat(7_000_000) }]
      const [row] = plainCall("large", { a: "e", b: "f" })
      yield* store.append(Array.from({ length: 100 }, (_, number) => ({
        ...row!,
        spanId: (number + 1).toString(16).padStart(16, "0"),
        attributes: [...row!.attributes, ...attributes]
      })))
      const { status, text } = yield* get(port, `/api/traces/${row!.traceId}`)
      assert.strictEqual(status, 422)
      assert.match(String(reasonOf(text)), /toolspan export/)
      assert.strictEqual((yield* get(port, "/api/calls")).status, 200)
    }))
})

describe("live", () => {
  /** A listener that reads until it has seen the text. */
  const listen = (port: number, headers: Record<string, string> = {}) =>
    Effect.acquireRelease(
      Effect.callback<
        { readonly status: number; readonly until: (text: string) => Promise<string>; readonly close: () => void }
      >(
        (resume) => {
          const request = http.get(
            { host: "127.0.0.1", port, path: "/api/live", agent: false, headers },
            (response) => {
              let heard = ""
              const waiting = new Set<() => void>()
              response.setEncoding("utf8")
              response.on("error", () => {})
              response.on("data", (chunk: string) => {
                heard += chunk
                for (const wake of waiting) wake()
              })
              resume(Effect.succeed({
                status: response.statusCode!,
                close: () => request.destroy(),
                until: (text) =>
                  new Promise((resolve) => {
                    const look = () => {
                      if (!heard.includes(text)) return
                      waiting.delete(look)
                      resolve(heard)
                    }
                    waiting.add(look)
                    look()
                  })
              }))
            }
          )
          request.on("error", () => {})
        }
      ),
      ({ close }) => Effect.sync(close)
    )

  it.live("tells what came while a listener was away", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const first = yield* listen(port)
      yield* store.append(plainCall("t2", { a: "c", b: "d" }))
      const heard = yield* Effect.promise(() => first.until("\"id\":\"t2\""))
      const place = /^id: (\d+)\nevent: call/m.exec(heard)![1]!
      first.close()
      yield* store.append(plainCall("t3", { a: "g", b: "h" }))
      const second = yield* listen(port, { "last-event-id": place })
      const again = yield* Effect.promise(() => second.until("\"id\":\"t3\""))
      assert.notInclude(again, "\"id\":\"t2\"")
    }))

  it.live("gives a place to go on from before there is any news", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const first = yield* listen(port)
      const place = /^id: (\d+)\n\n/.exec(yield* Effect.promise(() => first.until("\n\n")))![1]!
      first.close()
      yield* store.append(plainCall("t2", { a: "c", b: "d" }))
      const second = yield* listen(port, { "last-event-id": place })
      yield* Effect.promise(() => second.until("\"id\":\"t2\""))
    }))

  it.live("is for a bounded number of listeners, and those that leave make room", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const all = yield* Effect.forEach(Array.from({ length: LiveCalls.listenersAtMost }), () => listen(port))
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set([200]))
      const { status, text } = yield* get(port, "/api/live")
      assert.strictEqual(status, 503)
      assert.match(String(reasonOf(text)), /listen already/)
      for (const { close } of all) close()
      // The server hears of it when it hears of it.
      const again = yield* listen(port).pipe(
        Effect.repeat({ until: ({ status }) => status === 200, schedule: Schedule.spaced("10 millis") })
      )
      assert.strictEqual(again.status, 200)
    }), 20_000)

  it.live("looks for all listeners one after the other, and gives each all news", () =>
    Effect.gen(function*() {
      const store = MemoryStore.make()
      yield* store.append(Array.from({ length: 20 }, (_, number) => plainCall(`t${number}`)).flat())
      const query = Query.make(store)
      let looking = 0
      let most = 0
      const listenTo = LiveCalls.make({
        ...query,
        changes: (after) =>
          Effect.acquireUseRelease(
            Effect.sync(() => most = Math.max(most, ++looking)),
            () => Effect.andThen(Effect.yieldNow, query.changes(after)),
            () => Effect.sync(() => looking--)
          )
      }, Effect.never)
      const heard = yield* Effect.all(
        Array.from({ length: 10 }, () =>
          Effect.flatMap(listenTo("0"), (stream) =>
            stream.pipe(
              Stream.decodeText,
              Stream.filter((text) => text.includes("event: call")),
              Stream.take(1),
              Stream.runCollect
            ))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(most, 1)
      assert.deepStrictEqual(
        heard.map(({ length }) => length),
        Array.from({ length: 10 }, () => 1)
      )
    }))

  it.live("does not keep the server from stopping", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(start(), scope)
      const listener = yield* listen(port)
      const [took] = yield* Effect.timed(Scope.close(scope, Exit.void))
      assert.strictEqual(listener.status, 200)
      assert.isBelow(Duration.toMillis(took), 1_500)
    }))
})
