import * as net from "node:net"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as DevServer from "../../src/cli/DevServer.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import * as body from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import { raw, send } from "./client.ts"

const start = Effect.fnUntraced(function*(options: Partial<DevServer.Options> = {}) {
  const store = MemoryStore.make()
  const server = yield* DevServer.make({ store, port: 0, folder: "/nowhere", ...options })
  return { ...server, store }
})

const spans = JSON.stringify(body.json(row(1)))

const head = "Host: localhost\r\nConnection: close\r\n"

describe("the server, before a hostile client", () => {
  const broken: ReadonlyArray<readonly [string, string, RegExp]> = [
    ["a line that is no request", "hello\r\n\r\n", /^HTTP\/1\.1 400 .*no HTTP request/s],
    ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", /^HTTP\/1\.1 400 /],
    ["HTTP/2's greeting", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 4\d\d /],
    ["an unknown method", `HACK / HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
    ["a NUL in the address", `GET /\0 HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 400 /],
    ["a NUL in a header", `GET / HTTP/1.1\r\n${head}x: a\0b\r\n\r\n`, /^HTTP\/1\.1 400 /],
    [
      "two lengths",
      `POST /v1/traces HTTP/1.1\r\n${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
      /^HTTP\/1\.1 400 /
    ],
    [
      "a length and chunks",
      `POST /v1/traces HTTP/1.1\r\n${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 400 /
    ],
    ["a negative length", `POST /v1/traces HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ["headers of 100 kB", `GET / HTTP/1.1\r\n${head}x: ${"y".repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 431 .*16 KiB/s],
    ["10,000 headers", `GET / HTTP/1.1\r\n${head}${"x: y\r\n".repeat(10_000)}\r\n`, /^HTTP\/1\.1 431 /],
    ["all of the server", `OPTIONS * HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 404 /],
    ["another server's address", `GET http://evil.example/api/calls HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 404 /],
    ["an address without a slash", `GET api/calls HTTP/1.1\r\n${head}\r\n`, /^HTTP\/1\.1 4\d\d /],
    [
      "a switch of protocols",
      `GET /api/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      /^HTTP\/1\.1 (200|4\d\d) /
    ],
    ["a tunnel", `CONNECT evil.example:443 HTTP/1.1\r\n${head}\r\n`, /^$/]
  ]
  for (const [what, request, answer] of broken) {
    it.live(`refuses ${what}, and serves the next one`, () =>
      Effect.gen(function*() {
        const { port } = yield* start({ stillWithin: 500 })
        assert.match(yield* raw(port, request), answer)
        assert.strictEqual((yield* send(port, { body: spans })).status, 200)
      }))
  }

  const outside = [
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/....//....//etc/passwd",
    "//etc/passwd",
    "/\\..\\..\\etc\\passwd",
    "/page.js/../../../package.json",
    "/page.js%00.html",
    "/%00",
    "/client/page.tsx",
    "/api/../../../etc/passwd",
    "/api/%2e%2e/%2e%2e/package.json",
    "/api/calls/..%2f..%2fpackage.json/story/..",
    "/file:///etc/passwd",
    "/?file=/etc/passwd"
  ]
  it.live("gives no file away", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      for (const path of outside) {
        const answer = yield* send(port, { method: "GET", path })
        assert.notMatch(answer.text, /root:|"dependencies"|import \*/, path)
        assert.oneOf(answer.status, [404, 503], path)
        assert.strictEqual(answer.headers["x-content-type-options"], "nosniff", path)
        assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'/, path)
      }
    }))

  it.live("never sends text back as a document", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const script = "<script>alert(1)</script>"
      const encoded = encodeURIComponent(script)
      for (const path of [`/${script}`, `/api/${encoded}`, `/api/calls/${encoded}/story`, `/api/calls?${encoded}=1`]) {
        const { headers } = yield* send(port, { method: "GET", path })
        assert.match(String(headers["content-type"]), /^application\/json/, path)
      }
      const { headers } = yield* send(port, {
        headers: { "content-type": script, "content-encoding": script },
        body: spans
      })
      assert.strictEqual(headers["content-type"], "application/json")
    }))

  it.live("takes no body of 50 MB, and none that unpacks to one and more", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start()
      const before = process.memoryUsage().rss
      const large = Buffer.alloc(50 * 1024 * 1024, " ")
      const chunk = Buffer.concat([Buffer.from("3200000\r\n"), large, Buffer.from("\r\n0\r\n\r\n")])
      const chunked =
        `POST /v1/traces HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
      assert.match(yield* raw(port, chunked, chunk), /^HTTP\/1\.1 413 /)
      const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024), { level: 9 })
      const bombs = yield* Effect.all(
        Array.from({ length: 8 }, () => send(port, { body: bomb, headers: { "content-encoding": "gzip" } })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(bombs.map(({ status }) => status))], [413])
      // A bomb in a bomb is unpacked once.
      const twice = yield* send(port, { body: gzipSync(bomb), headers: { "content-encoding": "gzip" } })
      assert.strictEqual(twice.status, 400)
      const packings = yield* send(port, { body: gzipSync(bomb), headers: { "content-encoding": "gzip, gzip" } })
      assert.strictEqual(packings.status, 415)
      assert.isBelow(process.memoryUsage().rss - before, 400 * 1024 * 1024)
      assert.strictEqual((yield* store.stats).spans, 0)
    }), 30_000)

  it.live("lets go of those who hold on to nothing", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ stillWithin: 300 })
      const silent = yield* raw(port, `GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      assert.match(silent, /^HTTP\/1\.1 200 /)
      assert.strictEqual(yield* raw(port), "")
    }))

  it.live("lets go of those who send a byte at a time", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ headersWithin: 300, requestWithin: 600 })
      const drip = (before: string, byte: string) =>
        Effect.callback<string>((resume) => {
          const socket = net.connect(port, "127.0.0.1")
          let text = ""
          socket.on("data", (chunk) => text += String(chunk))
          socket.on("error", () => {})
          socket.write(before)
          const dripping = setInterval(() => socket.write(byte), 20)
          socket.on("close", () => {
            clearInterval(dripping)
            resume(Effect.succeed(text))
          })
        })
      const post = "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      const answers = yield* Effect.all([
        drip(post, "x"),
        drip(`${post}Content-Length: 100000\r\n\r\n`, " "),
        drip(`${post}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n")
      ], { concurrency: "unbounded" })
      for (const answer of answers) assert.match(answer, /^HTTP\/1\.1 408 .*took too long/s)
      assert.strictEqual((yield* store.stats).spans, 0)
    }), 20_000)

  const holds: Readonly<Record<string, string>> = {
    "say nothing": "",
    "begin a request": "POST /v1/traces HTTP/1.1\r\nHost: loc",
    "begin a body":
      "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n ",
    "have had their answer": "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
  }
  for (const [what, begin] of Object.entries(holds)) {
    it.live(
      `serves others at once while 1,000 ${what} and hold on, and does not cut off who listens`,
      () =>
        Effect.gen(function*() {
          const { port } = yield* start()
          const connect = (text: string) =>
            Effect.callback<net.Socket>((resume) => {
              const socket = net.connect(port, "127.0.0.1", () => {
                socket.write(text)
                resume(Effect.succeed(socket))
              })
              socket.on("error", () => {})
            })
          const listener = yield* connect("GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
          yield* Effect.callback((resume) => void listener.once("data", () => resume(Effect.void)))
          const held = yield* Effect.forEach(Array.from({ length: 1_000 }), () => connect(begin), { concurrency: 50 })
          for (let number = 0; number < 10; number++) {
            assert.strictEqual((yield* send(port, { body: spans })).status, 200)
          }
          assert.isFalse(listener.closed)
          listener.destroy()
          for (const socket of held) socket.destroy()
        }),
      20_000
    )
  }

  it.live("serves others while some are slow", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const slow = Array.from({ length: 100 }, () =>
        net.connect(port, "127.0.0.1", function(this: net.Socket) {
          this.write("POST /v1/traces HTTP/1.1\r\nHost: loc")
        }))
      for (const socket of slow) socket.on("error", () => {})
      assert.strictEqual((yield* send(port, { body: spans })).status, 200)
      for (const socket of slow) socket.destroy()
    }))
})
