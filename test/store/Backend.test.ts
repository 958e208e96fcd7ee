import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { PbfWriter } from "pbf"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Backend from "../../src/store/Backend.ts"
import { row, traceId } from "./rows.ts"
import * as RemoteStore from "./RemoteStore.ts"

type Handle = (request: http.IncomingMessage, response: http.ServerResponse) => void

/** A server that answers so; gives its address, and what it was asked. */
const answering = (handle: Handle) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<http.IncomingMessage> = []
      const server = http.createServer((request, response) => {
        asked.push(request)
        handle(request, response)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, asked, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.promise(() => {
        const closed = new Promise((resolve) => server.close(resolve))
        server.closeAllConnections()
        return closed
      })
  )

const reader = (address: string, token?: string) =>
  Effect.flatMap(Backend.parse(address, token), (backend) => Backend.makeReader(backend, Duration.zero))

const partial = (): Buffer => {
  const pbf = new PbfWriter()
  pbf.writeBytesField(1, RemoteStore.request([row(1)]))
  pbf.writeVarintField(3, 1)
  return Buffer.from(pbf.finish())
}

const another = (): Buffer => {
  const pbf = new PbfWriter()
  pbf.writeBytesField(1, RemoteStore.request([row(1, { trace: 2 })]))
  return Buffer.from(pbf.finish())
}

const body = (text: string | Buffer, status = 200): Handle => (_, response) => response.writeHead(status).end(text)

describe("the name of a trace store", () => {
  const wrong: ReadonlyArray<readonly [string, RegExp]> = [
    ["", /no trace store/],
    ["http://localhost:3200", /no trace store/],
    ["zipkin=http://localhost", /no trace store.*tempo=http/],
    ["tempo=", /not http/],
    ["tempo=file:///etc/passwd", /not http/],
    ["tempo=localhost:3200", /not http/],
    ["jaeger=http://h?limit=5", /limit is none of traces, /],
    ["jaeger=http://h?\u001b[31m=5", /^\P{Cc}* is none of/u],
    ["tempo=http://h?traces=0", /traces is a number from 1 to 5000/],
    ["tempo=http://h?days=-1", /days is a number/],
    ["tempo=http://h?days=1e9", /days is a number/],
    ["tempo=http://a%zz:b@h", /%XX/]
  ]
  for (const [text, reason] of wrong) {
    it.effect(`is refused with what to write: ${JSON.stringify(text)}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Backend.parse(text))
        assert.strictEqual(error._tag, "WrongBackend")
        assert.match(error.message, reason)
      }))
  }

  it.effect("has bounds with defaults, and never shows credentials", () =>
    Effect.gen(function*() {
      const usual = yield* Backend.parse("jaeger=http://user:pass%40word@host:16686/jaeger/")
      assert.deepInclude(usual, { traces: 200, days: 7, bytesAtMost: 64 * 1024 * 1024 })
      assert.strictEqual(usual.name, "jaeger=http://host:16686/jaeger")
      assert.strictEqual(usual.headers["authorization"], `Basic ${btoa("user:pass@word")}`)
      const other = yield* Backend.parse("tempo=https://host?days=30&traces=5&tenant=team", "secret")
      assert.deepInclude(other, { traces: 5, days: 30, name: "tempo=https://host" })
      assert.deepStrictEqual(other.headers, { authorization: "Bearer secret", "x-scope-orgid": "team" })
      assert.match((yield* Effect.flip(Backend.parse("tempo=http://h", "a\nb"))).message, /header/)
    }))
})

describe("a trace store that answers wrongly", () => {
  const search = (kind: string, handle: Handle, parameters = "") =>
    Effect.gen(function*() {
      const { host } = yield* answering(handle)
      const { findCalls } = yield* reader(`${kind}=http://${host}${parameters}`)
      return { error: yield* Effect.flip(findCalls({ id: "a" }, { limit: 10 })), name: `${kind}=http://${host}` }
    })
  const cases: ReadonlyArray<readonly [string, "tempo" | "jaeger", Handle, string, RegExp]> = [
    ["broken JSON", "tempo", body("{\"traces\":["), "StoreUnavailable", /cannot be read/],
    ["a page instead of JSON", "jaeger", body("<html>"), "StoreUnavailable", /cannot be read/],
    ["other types", "tempo", body("{\"traces\":{}}"), "StoreUnavailable", /cannot be read/],
    ["other types of services", "jaeger", body("{\"data\":[5]}"), "StoreUnavailable", /cannot be read/],
    ["an id that is none", "tempo", body("{\"traces\":[{\"traceID\":\"../x\"}]}"), "StoreUnavailable", /not hex/],
    ["an error with an escape", "tempo", body("\u001b[2J no\u202e", 500), "StoreUnavailable", /answered 500: \[2J no$/],
    ["a wish for a token", "jaeger", body("", 401), "StoreUnavailable", /TOOLSPAN_BACKEND_TOKEN/],
    ["no such path", "tempo", body("404 page not found", 404), "StoreUnavailable", /no \/api\/search/],
    [
      "a hundred services",
      "jaeger",
      body(JSON.stringify({ data: Array(100).fill("s") })),
      "CannotAnswer",
      /service=one/
    ],
    ["too many megabytes", "tempo", body(Buffer.alloc(2 * 1024 * 1024)), "CannotAnswer", /larger than 1 MiB/]
  ]
  for (const [title, kind, handle, tag, reason] of cases) {
    it.effect(`gives an error that says so: ${title} (${kind})`, () =>
      Effect.gen(function*() {
        const { error, name } = yield* search(kind, handle, "?mebibytes=1")
        assert.strictEqual(error._tag, tag)
        assert.match(error.message, reason)
        assert.include(error.message, name)
        assert.notMatch(error.message, /[\p{Cc}\p{Cf}]/u)
      }))
  }

  const traces: ReadonlyArray<readonly [string, "tempo" | "jaeger", Handle, RegExp]> = [
    ["no protobuf", "tempo", body("not protobuf"), /cannot be read/],
    ["a part of the trace", "tempo", body(partial()), /only a part.*max_bytes_per_trace/],
    ["another trace", "tempo", body(another()), /another trace/],
    ["no result", "jaeger", body("{}"), /cannot be read/],
    ["spans that are none", "jaeger", body("{\"result\":{\"resourceSpans\":[5]}}"), /cannot be read/]
  ]
  for (const [title, kind, handle, reason] of traces) {
    it.effect(`gives no trace, but an error: ${title} (${kind})`, () =>
      Effect.gen(function*() {
        const { host } = yield* answering(handle)
        const { trace } = yield* reader(`${kind}=http://${host}`)
        assert.match((yield* Effect.flip(trace(traceId(1)))).message, reason)
      }))
  }

  it.effect("is not read further than the bound, however long it goes on", () =>
    Effect.gen(function*() {
      let ended = false
      const { error } = yield* search("tempo", (_, response) => {
        response.once("close", () => ended = true)
        const chunk = Buffer.alloc(64 * 1024)
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) { /* until the socket is full */ }
        }
        response.on("drain", more)
        more()
      }, "?mebibytes=1")
      assert.strictEqual(error._tag, "CannotAnswer")
      while (!ended) yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }))

  it.live("is waited for as long as the bound says", () =>
    Effect.gen(function*() {
      const { error } = yield* search("jaeger", () => {}, "?timeout=1")
      assert.match(error.message, /no answer in 1s/)
    }))

  it.effect("does not lead credentials elsewhere", () =>
    Effect.gen(function*() {
      const elsewhere = yield* answering(body("{}"))
      const { asked, host } = yield* answering((_, response) => {
        response.writeHead(302, { location: `http://${elsewhere.host}/` }).end()
      })
      const { findCalls } = yield* reader(`tempo=http://${host}`, "secret")
      assert.strictEqual((yield* Effect.flip(findCalls({ id: "a" }, { limit: 1 })))._tag, "StoreUnavailable")
      assert.strictEqual(asked[0]?.headers.authorization, "Bearer secret")
      assert.lengthOf(elsewhere.asked, 0)
    }))

  it.effect("or is not there", () =>
    Effect.gen(function*() {
      const { host } = yield* Effect.scoped(answering(body("")))
      const { findCalls } = yield* reader(`tempo=http://user:hidden@${host}`)
      const error = yield* Effect.flip(findCalls({ id: "a" }, { limit: 1 }))
      assert.match(error.message, /cannot be asked.*ECONNREFUSED/)
      assert.notInclude(error.message, "hidden")
    }))
})
