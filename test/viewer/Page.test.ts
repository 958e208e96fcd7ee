import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { buildPage } from "../../scripts/page.ts"
import * as Page from "../../src/viewer/Page.ts"

let folder = ""
let server: http.Server

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
}

/** The path goes out as it stands: `fetch` would fold `..` away. */
const ask = (target: string, options: http.RequestOptions = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo
    http.request({ host: "127.0.0.1", port, path: target, ...options }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
    }).on("error", reject).end()
  })

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-page-"))
  await buildPage(path.join(folder, "page"))
  fs.writeFileSync(path.join(folder, "secret.txt"), "secret")
  fs.writeFileSync(path.join(folder, "page", "secret.txt"), "secret")
  const page = await Effect.runPromise(Page.make({ folder: path.join(folder, "page") }))
  server = http.createServer((request, response) => {
    if (!page.handle(request, response)) response.writeHead(404).end("not the page's")
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
}, 30_000)

afterAll(() => {
  server.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

describe("Page", () => {
  it("serves its document at every address that the page itself reads", async () => {
    const { body } = await ask("/")
    assert.match(body.toString(), /<div id="page">/)
    for (const view of ["/tools", "/calls/call_1?trace=1", "/traces/ab", "/conversations/a%2Fb", "/?tool=x"]) {
      const answer = await ask(view)
      assert.strictEqual(answer.status, 200, view)
      assert.deepStrictEqual(answer.body, body, view)
    }
  })

  it("answers nothing outside its files", async () => {
    const outside = [
      "/secret.txt",
      "/../secret.txt",
      "/..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/..\\secret.txt",
      "//page.js",
      "/page.js/",
      "/page.js%00",
      "/page.html",
      "/PAGE.JS",
      "/constructor",
      "/__proto__",
      "/calls",
      "/calls/a/b",
      "/v1/traces",
      "/api/calls"
    ]
    for (const target of outside) assert.strictEqual((await ask(target)).status, 404, target)
  })

  it("lets no script, style, image or connection in that is not its own", async () => {
    for (const target of ["/", "/page.js", "/page.css", "/icon.svg"]) {
      const { headers } = await ask(target)
      const policy = String(headers["content-security-policy"]).split("; ")
      assert.include(policy, "default-src 'none'")
      for (const kind of ["script", "style", "connect", "img"]) assert.include(policy, `${kind}-src 'self'`)
      assert.include(policy, "frame-ancestors 'none'")
      assert.include(policy, "require-trusted-types-for 'script'")
      assert.notMatch(policy.join(), /unsafe|http|\*/)
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
    }
    assert.match(String((await ask("/page.js")).headers["content-type"]), /^text\/javascript/)
  })

  it("names no other host and has nothing inline", async () => {
    const html = (await ask("/")).body.toString()
    assert.notMatch(html, /<style|style=|\son\w+=|<script(?![^>]*\ssrc=)/)
    for (const target of ["/", "/page.js", "/page.css"]) {
      const text = (await ask(target)).body.toString()
      const hosts = [...text.matchAll(/https?:\/\/([\w.-]+)/g)].map((match) => match[1])
      assert.deepStrictEqual(hosts.filter((host) => host !== "www.w3.org"), [], target)
    }
  })

  it("weighs less than 40 kB over the wire", async () => {
    const sizes = await Promise.all(
      ["/", "/page.js", "/page.css", "/icon.svg"].map(async (target) =>
        (await ask(target, { headers: { "accept-encoding": "gzip" } })).body.length
      )
    )
    assert.isBelow(sizes.reduce((sum, size) => sum + size, 0), 40_000)
  })

  it("packs for those who take it, and says so", async () => {
    const plain = await ask("/page.js")
    assert.isUndefined(plain.headers["content-encoding"])
    const packed = await ask("/page.js", { headers: { "accept-encoding": "br, gzip" } })
    assert.strictEqual(packed.headers["content-encoding"], "gzip")
    assert.deepStrictEqual(packed.body, gzipSync(plain.body, { level: 9 }))
    const refused = await ask("/page.js", { headers: { "accept-encoding": "gzip;q=0" } })
    assert.isUndefined(refused.headers["content-encoding"])
  })

  it("sends again only what has changed", async () => {
    const { headers } = await ask("/page.css")
    const again = await ask("/page.css", { headers: { "if-none-match": headers.etag } })
    assert.strictEqual(again.status, 304)
    assert.strictEqual(again.body.length, 0)
    assert.strictEqual((await ask("/page.css", { headers: { "if-none-match": "\"other\"" } })).status, 200)
  })

  it("is only read", async () => {
    const answer = await ask("/", { method: "POST" })
    assert.strictEqual(answer.status, 405)
    assert.strictEqual(answer.headers.allow, "GET, HEAD")
    const head = await ask("/page.js", { method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(head.body.length, 0)
    assert.isAbove(Number(head.headers["content-length"]), 1000)
  })

  it.effect("says which folder has no page", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Page.make({ folder: "/nowhere" }))
      assert.strictEqual(error._tag, "PageMissing")
      assert.include(error.message, "/nowhere")
    }))
})
