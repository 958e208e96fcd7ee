import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { CannotAnswer } from "../../src/store/Capability.ts"
import { StoreUnavailable } from "../../src/store/StoreError.ts"
import { listenersAtMost } from "../../src/viewer/LiveCalls.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { spanRow } from "../query/SpanBuilder.ts"
import { inBrowser, listed, rows } from "./Chromium.ts"
import { approvedId } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

describe("the page while things happen", { timeout: 60_000 }, () => {
  it("says how to connect an app, and shows its first call without being asked", async () => {
    const server = await serve()
    const { faults, page } = await open(server)
    await page.getByText("Waiting for the first tool call").waitFor()
    assert.match(
      await page.locator(".command").first().innerText(),
      new RegExp(`OTEL_EXPORTER_OTLP_ENDPOINT=${server.url} node --import toolspan/register`)
    )
    await page.getByText("Live", { exact: true }).waitFor()
    await server.send(plainCall("first"))
    await rows(page).first().waitFor()
    await server.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    await page.waitForFunction(() => document.querySelectorAll("a.row").length === 2)
    assert.match(await rows(page).first().innerText(), /second/)
    await page.waitForFunction(() => document.querySelector(".stored")?.textContent === "2 calls")
    assert.deepStrictEqual(faults, [])
  })

  it("says so when spans arrive that tell of no tool call", async () => {
    const server = await serve()
    const { page } = await open(server)
    await page.getByText("Waiting for the first tool call").waitFor()
    await server.send([spanRow({ label: "web/request", name: "GET /", at: 0 })])
    await page.getByText("Spans arrive, but no tool call yet").waitFor()
    assert.match(await page.locator(".empty").innerText(), /1 span of 1 trace[^]*toolspan doctor -- node app\.js/)
    await server.send(plainCall("first"))
    await rows(page).first().waitFor()
  })

  it("leaves alone what is being typed", async () => {
    const server = await serve({ rows: plainCall("first") })
    const { page } = await open(server)
    await page.getByText("More", { exact: true }).click()
    await page.getByLabel("Handler ran at least").pressSequentially("1")
    await server.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    await listed(page, "2 calls")
    assert.strictEqual(await page.getByLabel("Handler ran at least").inputValue(), "1")
    await page.getByLabel("Handler ran at least").pressSequentially(" s")
    await server.send(plainCall("third", { a: "e", b: "f", at: 9000 }))
    await page.waitForFunction(() => document.querySelector(".stored")?.textContent === "3 calls")
    assert.strictEqual(await page.getByLabel("Handler ran at least").inputValue(), "1 s")
  })

  it("keeps up with a flood", async () => {
    const server = await serve()
    const { faults, page } = await open(server)
    await page.getByText("Live", { exact: true }).waitFor()
    for (let index = 0; index < 1000; index += 50) {
      await server.send(
        Array.from({ length: 50 }, (_, offset) => index + offset).flatMap((number) =>
          plainCall(`call_${number}`, { a: `a${number}`, b: `b${number}`, at: number * 1000 })
        )
      )
    }
    await page.locator("a.row .c-id", { hasText: "call_999" }).waitFor()
    await page.waitForFunction(() => document.querySelector(".fits")?.textContent === "1,000 calls")
    assert.match(await rows(page).first().innerText(), /call_999/)
    assert.deepStrictEqual(faults, [])
  })

  it("is told the news also when all places of listeners are taken", async () => {
    const server = await serve({ rows: plainCall("first") })
    const stop = new AbortController()
    const listening = await Promise.all(
      Array.from({ length: listenersAtMost }, () => fetch(`${server.url}/api/live`, { signal: stop.signal }))
    )
    assert.deepStrictEqual(new Set(listening.map(({ status }) => status)), new Set([200]))
    const { page } = await open(server)
    await listed(page, "1 call")
    await server.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    await listed(page, "2 calls")
    assert.strictEqual((await fetch(`${server.url}/api/live`)).status, 503)
    stop.abort()
  })

  it("does not listen while it cannot be seen", async () => {
    const server = await serve({ rows: plainCall("first") })
    const { page } = await open(server)
    await listed(page, "1 call")
    const see = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, "hidden", { value, configurable: true })
        document.dispatchEvent(new Event("visibilitychange"))
        return new Promise(requestAnimationFrame)
      }, hidden)
    await see(true)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await server.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    const other = await open(server)
    await listed(other.page, "2 calls")
    assert.deepStrictEqual(asked, [])
    await see(false)
    await listed(page, "2 calls")
  })

  it("follows a call through its life, in the list, under a filter and on its own page", async () => {
    const story = approvedCall(approvedId, { conversation: "support-1" })
    const asked = story.filter((row) => /^(?:LanguageModel\.generateText|tool_call|tool_approval)/.test(row.name))
      .filter((row) => row.traceId === story[0]!.traceId)
    const later = story.filter((row) => !asked.includes(row) && row.name !== "chat claude-x")
    const consumer = story.filter((row) => !asked.includes(row) && row.name === "chat claude-x")
    const server = await serve({ rows: asked })
    const list = await open(server)
    const pending = await open(server, "/?state=pending")
    const call = await open(server, `/calls/${approvedId}`)
    await list.page.getByText("waits for approval").waitFor()
    await listed(pending.page, "1 call")
    await call.page.getByText("no answer yet").waitFor()
    assert.match(await call.page.locator(".lane.wait").innerText(), /waits for an answer/)
    await server.send(later)
    await list.page.locator("a.row .c-verdict", { hasText: "success" }).waitFor()
    await pending.page.getByText("No call fits").waitFor()
    await call.page.getByText("42.3 s until the answer").waitFor()
    await call.page.getByText("No turn has read the result yet").waitFor()
    // A provider request is no stage of a call: it is found all the same.
    await server.send(consumer)
    await call.page.getByText("read the result").waitFor()
    for (const { faults } of [list, pending, call]) assert.deepStrictEqual(faults, [])
  })

  it("rests while it is paused, and then looks up what came", async () => {
    const server = await serve({ rows: plainCall("first") })
    const { page } = await open(server)
    await listed(page, "1 call")
    await page.keyboard.press("p")
    await page.getByRole("button", { name: "Paused" }).waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await server.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    // The page beside it has heard of the call: this one would have, too.
    const other = await open(server)
    await listed(other.page, "2 calls")
    assert.deepStrictEqual(asked, [])
    await page.getByRole("button", { name: "Paused" }).click()
    await listed(page, "2 calls")
  })

  it("says that the server has gone, keeps what it has, and goes on when it is back", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-gone-"))
    const file = path.join(folder, "traces.db")
    const server = await serve({ file, rows: plainCall("first") })
    const { page } = await open(server)
    await page.getByText("Live", { exact: true }).waitFor()
    await listed(page, "1 call")
    const { page: other } = await open(server, "/calls/first")
    await other.locator(".steps").waitFor()
    await server.close()
    const gone = "The server does not answer. Start it again with: toolspan dev."
    await page.getByText(gone).waitFor()
    await page.getByText("Not connected").waitFor()
    await listed(page, "1 call")
    // It is said once, also where a view asks and gets no answer.
    await other.getByText(gone).waitFor()
    for (const name of ["Tools", "Faults", "Calls"]) {
      const unanswered = other.waitForEvent("requestfailed", (request) => !request.url().endsWith("/api/stats"))
      await other.getByRole("link", { name, exact: true }).click()
      await unanswered
      await other.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
      assert.strictEqual(await other.getByText(gone).count(), 1, name)
    }
    const again = await serve({ file, port: server.port })
    await again.send(plainCall("second", { a: "c", b: "d", at: 5000 }))
    await page.getByText("Live", { exact: true }).waitFor()
    await listed(page, "2 calls")
    assert.strictEqual(await page.locator(".notice").count(), 0)
    fs.rmSync(folder, { recursive: true })
  })

  it("says what to do when the store is busy, and shows the calls once it is not", async () => {
    let busy = true
    const server = await serve({
      rows: plainCall("first"),
      store: (store) => ({
        ...store,
        findCalls: (filter, options) =>
          Effect.suspend(() =>
            busy
              ? Effect.fail(new StoreUnavailable({ path: "traces.db", reason: "database is locked" }))
              : store.findCalls(filter, options)
          )
      })
    })
    const { page } = await open(server)
    await page.getByText("The store cannot answer now.").waitFor()
    assert.match(await page.locator("main").innerText(), /503[^]*database is locked/)
    busy = false
    await listed(page, "1 call")
    assert.strictEqual(await page.getByText("The store cannot answer now.").count(), 0)
  })

  it("asks for the token when the server wants one, and keeps it to itself", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-token-"))
    const file = path.join(folder, "traces.db")
    const tokens = ["first-token-0123456789", "second-token-0123456789"] as const
    const server = await serve({ file, token: tokens[0], rows: plainCall("first") })
    const { context, page } = await open(server, `/?tool=weather&token=${tokens[0]}`)
    await listed(page, "1 call")
    assert.strictEqual(page.url(), `${server.url}/?tool=weather`)
    await server.close()
    await page.getByText("Not connected").waitFor()
    await serve({ file, token: tokens[1], port: server.port })
    await page.getByText("This server wants a token.").waitFor()
    await page.getByLabel("Token").fill("not-the-token-0123456789")
    await page.keyboard.press("Enter")
    await page.getByText("This is not the token.").waitFor()
    await page.getByLabel("Token").fill(tokens[1])
    await page.keyboard.press("Enter")
    await listed(page, "1 call")
    assert.strictEqual(page.url(), `${server.url}/?tool=weather`)
    await page.getByText("Live", { exact: true }).waitFor()
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie)
    assert.notInclude(kept, "token")
    assert.deepStrictEqual((await context.cookies()).map(({ httpOnly, sameSite }) => [httpOnly, sameSite]), [[
      true,
      "Strict"
    ]])
    fs.rmSync(folder, { recursive: true })
  })

  it("asks for the token on a first visit too, whatever the address says", async () => {
    const token = "first-token-0123456789"
    const server = await serve({ token, rows: plainCall("first") })
    for (const address of ["/", "/tools", "/calls/first?x=1", "/?tool=weather&token=not-the-token-0123456789"]) {
      const { context, page } = await open(server, address)
      await page.getByRole("heading", { name: "This server wants a token." }).waitFor()
      const wrong = address.includes("token=")
      assert.strictEqual(await page.getByText("This is not the token.").count(), wrong ? 1 : 0, address)
      assert.notInclude(page.url(), "token=")
      assert.notInclude(await page.locator("body").innerText(), "first")
      await page.waitForFunction(() => document.activeElement?.getAttribute("name") === "token")
      await page.keyboard.type(token)
      await page.keyboard.press("Enter")
      await page.getByText("Live", { exact: true }).waitFor()
      await page.locator("main:not([aria-busy=true])", { hasText: "weather" }).waitFor()
      await context.close()
    }
  })

  it("gives the field for the token also where no news are heard of", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-token-"))
    const file = path.join(folder, "traces.db")
    const token = "first-token-0123456789"
    const server = await serve({ file, rows: plainCall("first") })
    const { page } = await open(server)
    await listed(page, "1 call")
    await page.keyboard.press("p")
    await page.getByRole("button", { name: "Paused" }).waitFor()
    await server.close()
    await serve({ file, token, port: server.port })
    await page.keyboard.press("t")
    await page.getByLabel("Token").fill(token)
    await page.keyboard.press("Enter")
    await page.locator("main.tools tbody tr").waitFor()
    fs.rmSync(folder, { recursive: true })
  })

  it("says what to do when the server fails", async () => {
    const server = await serve({
      rows: plainCall("first"),
      store: (store) => ({ ...store, figures: () => Effect.die("out of figures") })
    })
    const { page } = await open(server, "/tools")
    await page.getByText("The server failed at this question.").waitFor()
    assert.match(await page.locator("main").innerText(), /Look at what toolspan dev prints/)
    await page.getByRole("link", { name: "Calls", exact: true }).click()
    await listed(page, "1 call")
  })

  it("shows a store that tells no news, and does not ask for any", async () => {
    const silence = new CannotAnswer({ engine: "tempo", question: "stats", reason: "no", instead: "Ask for calls" })
    const server = await serve({
      rows: plainCall("first"),
      store: (store) => ({
        ...store,
        stats: Effect.fail(silence),
        changedCalls: () => Effect.fail(silence)
      })
    })
    const { page } = await open(server)
    await page.clock.install()
    await page.reload()
    await rows(page).first().waitFor()
    const news = page.getByText("Reload for news", { exact: true })
    await news.waitFor()
    assert.isTrue(await news.isDisabled())
    assert.strictEqual(await page.getByRole("alert").count(), 0)
    let asked = 0
    page.on("request", () => asked++)
    await page.clock.runFor(20_000)
    assert.strictEqual(asked, 0)
  })
})
