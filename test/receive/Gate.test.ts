import * as http from "node:http"
import { hostname } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Guard from "../../src/receive/Guard.ts"
import * as PortOwner from "../../src/receive/PortOwner.ts"
import * as Receiver from "../../src/receive/Receiver.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import * as body from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import { raw, send } from "./client.ts"

const spans = JSON.stringify(body.json(row(1)))

const token = "0123456789abcdef-the-token"

const start = Effect.fnUntraced(function*(options: Partial<Receiver.Options> = {}) {
  const store = MemoryStore.make()
  const extra: Receiver.ExtraHandler = (_, response) => {
    response.end("page")
    return true
  }
  const receiver = yield* Effect.provideService(Receiver.make({ port: 0, extra, ...options }), TraceStore, store)
  return { ...receiver, store }
})

const paths = [["POST", "/v1/traces"], ["GET", "/healthz"], ["GET", "/"], ["GET", "/api/calls"], [
  "OPTIONS",
  "/"
]] as const

describe("a request of a foreign page", () => {
  const foreign: ReadonlyArray<http.OutgoingHttpHeaders> = [
    { host: "evil.example" },
    { host: "evil.example:4318" },
    { host: "localhost.evil.example" },
    { host: "127.0.0.1.evil.example" },
    { host: "evil.example@127.0.0.1" },
    { host: "127.0.0.1#evil.example" },
    { host: "0.0.0.0" },
    { host: "192.168.1.2" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://localhost:1@evil.example" },
    { origin: "http://localhost:1" },
    { origin: "file://" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
    { "sec-fetch-site": "cross-site" }
  ]
  for (const headers of foreign) {
    it.live(`is served on no path: ${JSON.stringify(headers)}`, () =>
      Effect.gen(function*() {
        const { port, store } = yield* start()
        for (const [method, path] of paths) {
          const answer = yield* send(port, { method, path, headers, body: method === "POST" ? spans : "" })
          assert.strictEqual(answer.status, 403, path)
          assert.isUndefined(answer.headers["access-control-allow-origin"])
          assert.match(String(answer.headers["content-security-policy"]), /^default-src 'none'/)
        }
        assert.strictEqual((yield* store.stats).spans, 0)
      }))
  }

  it.live("may link to the page, whose own parts are served", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const kinds = [["cross-site", "navigate"], ["none", "navigate"], ["same-origin", "no-cors"], [
        "same-origin",
        "cors"
      ]]
      for (const [site, mode] of kinds) {
        const headers = { "sec-fetch-site": site, "sec-fetch-mode": mode }
        assert.strictEqual((yield* send(port, { method: "GET", path: "/", headers })).status, 200, `${site} ${mode}`)
      }
    }))

  it.live("is not served for want of a Host, or with two of them", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const none = yield* raw(port, "GET / HTTP/1.1\r\nconnection: close\r\n\r\n")
      assert.match(none, /^HTTP\/1\.1 400 /)
      const old = yield* raw(port, "GET / HTTP/1.0\r\n\r\n")
      assert.match(old, /^HTTP\/1\.1 403 /)
      const empty = yield* raw(port, "GET / HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n")
      assert.match(empty, /^HTTP\/1\.1 403 /)
      const two = yield* raw(
        port,
        "GET / HTTP/1.1\r\nhost: evil.example\r\nhost: localhost\r\nconnection: close\r\n\r\n"
      )
      assert.match(two, /^HTTP\/1\.1 4\d\d /)
    }))
})

describe("a page of another port of this machine", () => {
  const origin = "http://localhost:3000"

  it.live("may send and read when it was asked for", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ cors: true })
      const asks = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-of-the-app"
      }
      const allowed = yield* send(port, { method: "OPTIONS", headers: asks })
      assert.strictEqual(allowed.status, 204)
      assert.strictEqual(allowed.headers["access-control-allow-origin"], origin)
      assert.strictEqual(allowed.headers["access-control-allow-headers"], "content-type,x-of-the-app")
      assert.isUndefined(allowed.headers["access-control-allow-credentials"])
      const sent = yield* send(port, { headers: { origin }, body: spans })
      assert.strictEqual(sent.status, 200)
      assert.strictEqual(sent.headers["access-control-allow-origin"], origin)
      assert.strictEqual((yield* store.stats).spans, 1)
      const read = yield* send(port, { method: "GET", path: "/api/calls", headers: { origin } })
      assert.strictEqual(read.headers["access-control-allow-origin"], origin)
      assert.strictEqual(read.headers["vary"], "origin")
    }))

  it.live("is told how to be, when it was not asked for", () =>
    Effect.gen(function*() {
      const { port } = yield* start()
      const { status, text } = yield* send(port, { headers: { origin }, body: spans })
      assert.strictEqual(status, 403)
      assert.include(text, "toolspan dev --cors")
    }))

  it.live("is never one of another machine", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ cors: true })
      for (
        const other of ["https://evil.example", "null", "http://localhost.evil.example:3000", "http://192.168.0.1"]
      ) {
        const { headers, status } = yield* send(port, { headers: { origin: other }, body: spans })
        assert.strictEqual(status, 403, other)
        assert.isUndefined(headers["access-control-allow-origin"])
      }
    }))

  it.live("cannot smuggle headers through the question whether it may", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ cors: true })
      const asks = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "a;b, <script>"
      }
      const { headers } = yield* send(port, { method: "OPTIONS", headers: asks })
      assert.strictEqual(headers["access-control-allow-headers"], "content-type, content-encoding")
    }))
})

describe("where a token is asked for", () => {
  const bearer = { authorization: `Bearer ${token}` }

  it.live("nothing is served without it", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ token })
      const wrong: ReadonlyArray<http.OutgoingHttpHeaders> = [
        {},
        { authorization: token },
        { authorization: `Basic ${token}` },
        { authorization: "Bearer" },
        { authorization: `Bearer ${token.slice(0, -1)}` },
        { authorization: `Bearer ${token}x` },
        { authorization: `Bearer ${token.toUpperCase()}` },
        { cookie: `toolspan_${port}=${token}` },
        { cookie: `toolspan_${port}=` }
      ]
      for (const headers of wrong) {
        for (const [method, path] of paths) {
          const answer = yield* send(port, { method, path, headers, body: method === "POST" ? spans : "" })
          assert.strictEqual(answer.status, 401, `${path} ${JSON.stringify(headers)}`)
          assert.match(String(answer.headers["www-authenticate"]), /^Bearer /)
          assert.notInclude(answer.text, token)
        }
      }
      assert.strictEqual((yield* send(port, { method: "GET", path: "/?token=wrong" })).status, 401)
      assert.strictEqual((yield* send(port, { method: "POST", path: `/?token=${token}` })).status, 401)
      assert.strictEqual((yield* store.stats).spans, 0)
    }))

  it.live("what holds nothing of anybody is read without it, and no more than read", () =>
    Effect.gen(function*() {
      const extra: Receiver.ExtraHandler = (_, response) => {
        response.end("page")
        return true
      }
      const { port } = yield* start({ token, extra, isOpen: (path) => path === "/" || path === "/page.js" })
      for (const path of ["/", "/page.js", "/?tool=x", "/?token=wrong"]) {
        const answer = yield* send(port, { method: "GET", path })
        assert.strictEqual(`${answer.status} ${answer.text}`, "200 page", path)
        assert.isUndefined(answer.headers["set-cookie"])
      }
      const closed = [
        ["POST", "/"],
        ["HEAD", "/"],
        ["PUT", "/page.js"],
        ["OPTIONS", "/"],
        ["GET", "/api/calls"],
        ["GET", "/api/live"],
        ["GET", "/openapi.json"],
        ["GET", "/healthz"],
        ["POST", "/v1/traces"],
        ["GET", "//page.js"],
        ["GET", "/page.js/"],
        ["GET", "/%70age.js"],
        ["GET", "/page.js%3f"],
        ["GET", "/PAGE.JS"],
        ["GET", "/api/calls?/page.js"],
        ["GET", "http://localhost/page.js"]
      ] as const
      for (const [method, path] of closed) {
        const answer = yield* send(port, { method, path, body: method === "POST" ? spans : "" })
        assert.strictEqual(answer.status, 401, `${method} ${path}`)
      }
      // A right token still leads to the address without it, and pages of others get nothing.
      assert.strictEqual((yield* send(port, { method: "GET", path: `/?token=${token}` })).status, 303)
      for (const headers of [{ host: "evil.example" }, { origin: "https://evil.example" }]) {
        assert.strictEqual((yield* send(port, { method: "GET", path: "/", headers })).status, 403)
      }
    }))

  it.live("an app shows it in a header", () =>
    Effect.gen(function*() {
      const { port, store } = yield* start({ token })
      assert.strictEqual((yield* send(port, { headers: bearer, body: spans })).status, 200)
      assert.strictEqual((yield* send(port, { method: "GET", path: "/", headers: bearer })).text, "page")
      assert.strictEqual((yield* store.stats).spans, 1)
    }))

  it.live("a browser gets a cookie for it, and an address without it", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ token })
      const login = yield* send(port, { method: "GET", path: `/calls/a%2Fb?token=${token}&trace=1` })
      assert.strictEqual(login.status, 303)
      assert.strictEqual(login.headers.location, "/calls/a%2Fb?trace=1")
      const [cookie = ""] = login.headers["set-cookie"] ?? []
      assert.match(cookie, /; HttpOnly; SameSite=Strict$/)
      assert.notInclude(cookie, token)
      const headers = { cookie: `other=1; ${cookie.split(";")[0]}` }
      assert.strictEqual((yield* send(port, { method: "GET", path: "/", headers })).text, "page")
    }))

  it.live("a login leads nowhere else", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ token })
      for (const path of ["//evil.example/", "/\\evil.example", "///evil.example", "http://evil.example/"]) {
        const { headers } = yield* send(port, { method: "GET", path: `${path}?token=${token}` })
        assert.strictEqual(headers.location, "/", path)
      }
    }))

  it.live("a page of another port may ask whether it may, but not more without it", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ token, cors: true })
      const origin = "http://localhost:3000"
      const asks = {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization"
      }
      assert.strictEqual((yield* send(port, { method: "OPTIONS", headers: asks })).status, 204)
      assert.strictEqual((yield* send(port, { headers: { origin }, body: spans })).status, 401)
      assert.strictEqual((yield* send(port, { headers: { origin, ...bearer }, body: spans })).status, 200)
    }))

  it.live("a toolspan is still known as one", () =>
    Effect.gen(function*() {
      const { port } = yield* start({ token })
      assert.isTrue(yield* PortOwner.isToolspan(port))
    }))
})

describe("an address that other machines reach", () => {
  it.live("is not listened on without a token", () =>
    Effect.gen(function*() {
      for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com"]) {
        const error = yield* Effect.flip(start({ host }))
        assert.strictEqual(error._tag, "TokenMissing")
        assert.include(error.message, "TOOLSPAN_TOKEN")
      }
    }))

  it("is known by addresses and by the machine's own names, which nobody else can point here", () => {
    const rules = { host: "0.0.0.0", cors: false }
    const refused = (host: string) => Guard.refusal({ host }, rules) !== undefined
    for (const host of ["192.168.1.2:4318", "[fe80::1]:4318", "localhost:1", "0.0.0.0", `${hostname()}:4318`]) {
      assert.isFalse(refused(host), host)
    }
    for (const host of ["evil.example", "192.168.1.2.evil.example", "1.2.3", "[::1", "a b", ""]) {
      assert.isTrue(refused(host), host)
    }
    const named = { host: "devbox.lan", cors: false }
    assert.isUndefined(Guard.refusal({ host: "devbox.lan:4318", origin: "http://devbox.lan:4318" }, named))
    assert.isDefined(Guard.refusal({ host: "devbox.lan:4318", origin: "http://devbox.lan:3000" }, named))
  })

  it("is told from the loopback address", () => {
    for (const host of ["localhost", "127.0.0.1", "127.8.0.1", "::1"]) assert.isTrue(Guard.isLoopback(host), host)
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example"]) assert.isFalse(Guard.isLoopback(host), host)
  })
})
