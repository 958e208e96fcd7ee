import * as net from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import * as Effect from "effect/Effect"
import * as Receiver from "../../src/receive/Receiver.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { StoreUnavailable } from "../../src/store/StoreError.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import * as body from "../otlp/body.ts"
import { row, traceId } from "../store/rows.ts"
import { raw, send } from "./client.ts"

const jsonOf = (number: number): string => JSON.stringify(body.json(row(number)))

const protobuf = { "content-type": "application/x-protobuf" }

const start = Effect.fnUntraced(function*(options: Partial<Receiver.Options> = {}) {
  const store = MemoryStore.make()
  const receiver = yield* Effect.provideService(Receiver.make({ port: 0, ...options }), TraceStore, store)
  return { ...receiver, store }
})

/** The numbers of the spans that are stored. */
const stored = (store: TraceStore.Shape) =>
  Effect.map(store.trace(traceId(1)), (spans) => spans.map((span) => Number.parseInt(span.row.spanId, 16)))

const messageOf = (text: string): string => (JSON.parse(text) as { readonly message: string }).message

describe("a request that is OTLP", () => {
  it.live("is stored when it is acknowledged, in JSON and protobuf, plain and packed", () =>
    Effect.gen(function*() {
      const { counts, port, store } = yield* start()
      const gzip = { "content-encoding": "gzip" }
      const answers = yield* Effect.all([
        send(port, { body: jsonOf(1) }),
        send(port, { body: gzipSync(jsonOf(2)), headers: gzip }),
        send(port, { body: body.protobuf(row(3)), headers: protobuf }),
        send(port, { body: gzipSync(body.protobuf(row(4))), headers: { ...protobuf, ...gzip } }),
        send(port, {
          body: jsonOf(5),
          headers: { "content-type": "Application/JSON; charset=utf-8", "content-encoding": "identity" }
        }),
        send(port, { body: jsonOf(6), headers: { "content-encoding": "" } })
      ])
      assert.deepStrictEqual(answers.map(({ status }) => status), [200, 200, 200, 200, 200, 200])
      assert.deepStrictEqual(answers.map(({ text }) => text), ["{}", "{}", "", "", "{}", "{}"])
      assert.strictEqual(answers[2].headers["content-type"], "application/x-protobuf")
      assert.deepStrictEqual(yield* stored(store), [1, 2, 3, 4, 5, 6])
      assert.deepStrictEqual(yield* counts, { requests: 6, stored: 6, duplicates: 0, refused: 0 })
    }))

  it.live("with spans that cannot be stored is taken in part, with the reason", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const request = body.json(row(1))
      const wrong = { ...request.resourceSpans[0].scopeSpans[0].spans[0], name: 5 }
      request.resourceSpans[0].scopeSpans[0].spans.push({ traceId: "00", spanId: "00" }, wrong)
      const json = yield* send(port, { body: JSON.stringify(request) })
      assert.strictEqual(json.status, 200)
      assert.deepStrictEqual(JsonTraceSerializer.deserializeResponse(json.body).partialSuccess, {
        rejectedSpans: "2" as never,
        errorMessage:
          "refused 2 spans: trace id has 1 bytes, not 16 (span 2); a span's name must be text, is a number (span 3)"
      })
      const bytes = body.protobuf(row(2, { spanId: "0".repeat(16) }))
      const answer = yield* send(port, { body: bytes, headers: protobuf })
      assert.match(
        ProtobufTraceSerializer.deserializeResponse(answer.body).partialSuccess!.errorMessage!,
        /span id is all zero/
      )
      assert.deepStrictEqual(yield* stored(store), [1])
    }))
})

type Case = readonly [string, Parameters<typeof send>[1], number, RegExp]

describe("a request that is refused", () => {
  const member = gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const broken = gzipSync(jsonOf(9)).subarray(0, 40)
  const cases: ReadonlyArray<Case> = [
    ["a body that is not JSON", { body: "<spans/>" }, 400, /not an OTLP trace request in json/],
    ["a cut JSON body", { body: jsonOf(9).slice(0, -9) }, 400, /JSON/],
    ["a cut gzip body", { body: broken, headers: { "content-encoding": "gzip" } }, 400, /no whole gzip/],
    ["a body that is not gzip", { body: jsonOf(9), headers: { "content-encoding": "gzip" } }, 400, /no whole gzip/],
    ["another Content-Type", { body: jsonOf(9), headers: { "content-type": "text/plain" } }, 415, /Content-Type/],
    ...["deflate", "br", "zstd", "gzip, gzip"].map((packing): Case => [
      `the Content-Encoding ${packing}, which OTLP does not have`,
      { body: jsonOf(9), headers: { "content-encoding": packing } },
      415,
      /Content-Encoding must be gzip or identity/
    ]),
    ["GET /v1/traces", { method: "GET" }, 405, /POST/],
    ["DELETE /healthz", { method: "DELETE", path: "/healthz" }, 405, /GET/],
    ["an unknown path", { path: "/v2/traces" }, 404, /\/v1\/traces/],
    ["metrics", { path: "/v1/metrics", body: "{}" }, 404, /only traces/],
    ["a foreign Host", { body: jsonOf(9), headers: { host: "evil.example" } }, 403, /Host/],
    [
      "a Host that only starts well",
      { body: jsonOf(9), headers: { host: "localhost.evil.example:4318" } },
      403,
      /Host/
    ],
    ["a foreign Origin", { body: jsonOf(9), headers: { origin: "https://evil.example" } }, 403, /origins/],
    [
      "an Origin that only starts well",
      { body: jsonOf(9), headers: { origin: "http://localhost@evil.example" } },
      403,
      /origins/
    ],
    ["a null Origin", { body: jsonOf(9), headers: { origin: "null" } }, 403, /origins/]
  ]
  for (const [what, request, status, reason] of cases) {
    it.live(`${what}: ${status} with a reason, nothing stored, the next one served`, () =>
      Effect.gen(function*() {
        const { port, store } = yield* start()
        const answer = yield* send(port, request)
        assert.strictEqual(answer.status, status)
        assert.strictEqual(answer.headers["content-type"], "application/json")
        assert.match(messageOf(answer.text), reason)
        assert.deepStrictEqual(yield* stored(store), [])
        assert.strictEqual((yield* send(port, { body: jsonOf(1) })).status, 200)
        assert.deepStrictEqual(yield* stored(store), [1])
      }))
  }

  it.live("in protobuf gets a google.rpc.Status in protobuf", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const answer = yield* send(port, { body: body.protobuf(row(1)).slice(0, -1), headers: protobuf })
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(answer.headers["content-type"], "application/x-protobuf")
      assert.deepStrictEqual([...answer.body.subarray(0, 2)], [8, 3])
      assert.match(answer.text, /not an OTLP trace request in protobuf/)
      assert.deepStrictEqual(yield* stored(store), [])
    }))

  it.live("for its size as it says itself gets 413 before its body is read", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const answer = yield* raw(
        port,
        "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 17000000\r\n\r\n"
      )
      assert.match(answer, /^HTTP\/1\.1 413 /)
      assert.match(answer, /over 16 MiB/)
    }))

  it.live("for its size as it comes gets 413, and the connection serves the next request", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const chunk = Buffer.alloc(1024 * 1024, " ")
      const part = Buffer.concat([Buffer.from("100000\r\n"), chunk, Buffer.from("\r\n")])
      const head = "Host: localhost\r\nContent-Type: application/json\r\n"
      const next = jsonOf(1)
      const answer = yield* raw(
        port,
        `POST /v1/traces HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`,
        ...Array.from({ length: 17 }, () => part),
        "0\r\n\r\n",
        `POST /v1/traces HTTP/1.1\r\n${head}Connection: close\r\nContent-Length: ${
          Buffer.byteLength(next)
        }\r\n\r\n${next}`
      )
      assert.deepStrictEqual(answer.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 413", "HTTP/1.1 200"])
      assert.deepStrictEqual(yield* stored(store), [1])
    }))

  it.live("for its unpacked size gets 413 without taking that much memory", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      // 64 gzip members of 16 MiB each: 1 GiB in about 1 MiB.
      const bomb = Buffer.concat(Array.from({ length: 64 }, () => member))
      const before = process.memoryUsage().rss
      const answer = yield* send(port, { body: bomb, headers: { "content-encoding": "gzip" } })
      assert.strictEqual(answer.status, 413)
      assert.match(messageOf(answer.text), /more than 64 MiB/)
      assert.isBelow(process.memoryUsage().rss - before, 256 * 1024 * 1024)
      assert.deepStrictEqual(yield* stored(store), [])
    }))

  it.live("that closes in the middle of its body stores nothing, and the next one is served", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      yield* Effect.callback<void>((resume) => {
        const socket = net.connect(port, "127.0.0.1", () => {
          socket.write(
            "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"resou",
            () => socket.destroy()
          )
        })
        socket.on("close", () => resume(Effect.void))
      })
      assert.strictEqual((yield* send(port, { body: jsonOf(1) })).status, 200)
      assert.deepStrictEqual(yield* stored(store), [1])
    }))

  it.live("for the memory that others hold gets 503, and is served when they are gone", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ bodiesAtMost: 50_000 })
      const padded = (number: number) =>
        JSON.stringify(body.json(row(number, { attributes: { padding: "x".repeat(30_000) } })))
      const large = padded(1)
      const request = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + `Content-Length: ${large.length + 1}\r\n\r\n${large}`
      const socket = net.connect(port, "127.0.0.1")
      const gone = new Promise((resolve) => socket.on("close", resolve))
      yield* Effect.callback<void>((resume) => {
        socket.write(request, () => resume(Effect.void))
      })
      // The first body is held as soon as the second is refused, which is sent until then.
      const statuses: Array<number> = []
      while (statuses.at(-1) !== 503) {
        const answer = yield* send(port, { body: large })
        if (answer.status === 503) assert.strictEqual(answer.headers["retry-after"], "1")
        statuses.push(answer.status)
      }
      socket.destroy()
      yield* Effect.promise(() => gone)
      while ((yield* send(port, { body: padded(2) })).status !== 200);
      assert.deepStrictEqual(yield* stored(store).pipe(Effect.map((spans) => spans.at(-1))), 2)
    }))

  it.live("that never ends its headers is closed", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ headersWithin: 100 })
      const answer = yield* raw(port, "POST /v1/traces HTTP/1.1\r\nHost: loc")
      assert.match(answer, /^HTTP\/1\.1 408 /)
    }))

  it.live("that never ends its body is closed", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ headersWithin: 50, requestWithin: 100 })
      yield* raw(
        port,
        "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
      )
      assert.deepStrictEqual(yield* stored(store), [])
    }))

  it.live("by the store gets 503 and a hint to come again", () =>
    Effect.gen(function*() {
      const store: TraceStore.Shape = {
        ...MemoryStore.make(),
        append: () => Effect.fail(new StoreUnavailable({ path: "spans.db", reason: "the disk is full" }))
      }
      const { counts, port } = yield* Effect.provideService(Receiver.make({ port: 0 }), TraceStore, store)
      const answer = yield* send(port, { body: jsonOf(1) })
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers["retry-after"], "1")
      assert.match(messageOf(answer.text), /the disk is full/)
      assert.strictEqual((yield* counts).requests, 0)
    }))
})

describe("the server", () => {
  for (const host of ["localhost", "LOCALHOST:1", "127.0.0.1:4318", "[::1]:4318"]) {
    it.live(`answers to ${host} on /healthz, also pages of loopback origins`, () =>
      Effect.gen(function*() {
        const { port } = yield* start()
        const headers = { host, origin: `http://${host.toLowerCase()}` }
        const answer = yield* send(port, { method: "GET", path: "/healthz?now", headers })
        assert.deepStrictEqual([answer.status, answer.text], [200, "{\"name\":\"toolspan\",\"status\":\"ok\"}"])
      }))
  }

  it.live("hands other paths to the extra handler, after its own checks", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const { port } = yield* start({
        extra: (request, response) => {
          seen.push(request.url!)
          if (request.url === "/broken") throw new Error("broken")
          if (request.url !== "/page") return false
          response.end("page")
          return true
        }
      })
      const get = (path: string, headers = {}) => send(port, { method: "GET", path, headers })
      assert.strictEqual((yield* get("/page")).text, "page")
      assert.strictEqual((yield* get("/other")).status, 404)
      assert.strictEqual((yield* get("/broken")).status, 500)
      assert.strictEqual((yield* get("/page", { host: "evil.example" })).status, 403)
      assert.strictEqual((yield* get("/healthz")).status, 200)
      assert.deepStrictEqual(seen, ["/page", "/other", "/broken"])
    }))

  it.live("listens on 127.0.0.1 only", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const reached = yield* Effect.callback<boolean>((resume) => {
        const socket = net.connect(port, "127.0.0.2", () => {
          socket.destroy()
          resume(Effect.succeed(true))
        })
        socket.on("error", () => resume(Effect.succeed(false)))
      })
      assert.isFalse(reached)
    }))

  it.live("stops with its scope although a connection is open, and frees the port", () =>
    Effect.gen(function*() {
      const port = yield* Effect.scoped(Effect.gen(function*() {
        const { port } = yield* start()
        yield* Effect.forkDetach(raw(port, "POST /v1/traces HTTP/1.1\r\nHost: loc"))
        assert.strictEqual((yield* send(port, { body: jsonOf(1) })).status, 200)
        return port
      }))
      assert.strictEqual((yield* start({ port })).port, port)
    }))
})
