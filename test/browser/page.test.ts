import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { buildPage } from "../../scripts/page.ts"
import { plainCall } from "../query/CallFixture.ts"
import { approvedId, hostileSpans, manyCalls, spans } from "./fixtureCalls.ts"
import * as FixtureServer from "./FixtureServer.ts"

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-browser-"))
const images = path.resolve(import.meta.dirname, "../../docs/images")
let browser: Browser
const servers: Array<FixtureServer.FixtureServer> = []

const serve = async (options: Omit<Parameters<typeof FixtureServer.start>[0], "folder"> = {}) => {
  const server = await FixtureServer.start({ folder, ...options })
  servers.push(server)
  return server
}

interface Seen {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page, and requests that left its server. */
  readonly faults: Array<string>
}

const open = async (
  server: FixtureServer.FixtureServer,
  address = "/",
  options: Parameters<Browser["newContext"]>[0] = {}
): Promise<Seen> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: "UTC", ...options })
  const page = await context.newPage()
  const faults: Array<string> = []
  page.on("pageerror", (error) => faults.push(String(error)))
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text())
  })
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) faults.push(request.url())
  })
  await page.goto(server.url + address)
  return { page, context, faults }
}

beforeAll(async () => {
  await buildPage(folder)
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync"
    ]
  })
}, 60_000)

afterAll(async () => {
  await browser?.close()
  await Promise.all(servers.map((server) => server.close()))
  fs.rmSync(folder, { recursive: true, force: true })
})

const rows = (page: Page) => page.locator("a.row")

describe("the page", { timeout: 60_000 }, () => {
  it("lists calls, narrows them by what the address says, and goes back", async () => {
    const { faults, page } = await open(await serve({ rows: spans() }))
    await rows(page).first().waitFor()
    assert.match(await page.locator(".list-end").innerText(), /^47 calls$/)
    await page.locator("select[name=outcome]").selectOption("failure")
    await page.waitForFunction(() => /^5 calls$/.test(document.querySelector(".list-end")?.textContent ?? ""))
    assert.match(page.url(), /\?outcome=failure$/)
    await page.reload()
    await page.waitForFunction(() => /^5 calls$/.test(document.querySelector(".list-end")?.textContent ?? ""))
    assert.strictEqual(await page.locator("select[name=outcome]").inputValue(), "failure")
    await page.goBack()
    await page.waitForFunction(() => /^47 calls$/.test(document.querySelector(".list-end")?.textContent ?? ""))
    await page.locator("#search").fill(approvedId.slice(0, 9))
    await page.waitForFunction(() => document.querySelectorAll("a.row").length === 1)
    assert.match(page.url(), /q=toolu_01J/)
    assert.deepStrictEqual(faults, [])
  })

  it("tells a call's story, with its faults, and follows its links both ways", async () => {
    const { faults, page } = await open(await serve({ rows: spans() }), `/calls/${approvedId}`)
    await page.locator(".steps").waitFor()
    const steps = await page.locator(".step-title").allInnerTexts()
    assert.deepStrictEqual(steps, [
      "claude-x asked for it in LanguageModel.generateText",
      "Approval was asked for",
      "42.3 s until the answer",
      "A human approved it",
      "The handler ran for 183 ms: success in LanguageModel.streamText",
      "Result: success, from the handler",
      "claude-x read the result in LanguageModel.streamText"
    ])
    assert.strictEqual(await page.locator(".lifeline .lane").count(), 5)
    assert.match(await page.locator(".fault").innerText(), /answered twice alike[^]*Disable the button/)
    assert.match(await page.locator("ol.inside").innerText(), /smtp deliver/)
    await page.locator(".span.execution").click()
    await page.locator(".detail").getByRole("link", { name: "tool_call send_email" }).click()
    await page.waitForURL(/\/traces\//)
    await page.locator(".detail").getByRole("link", { name: "execute_tool send_email" }).click()
    await page.locator(".span.selected.execution").waitFor()
    await page.goto(page.url().replace(/\/traces.*/, `/calls/${approvedId}`))
    await page.getByText("Raw JSON").click()
    assert.match(await page.locator(".raw pre").innerText(), /"approvals": \[/)
    assert.deepStrictEqual(faults, [])
  })

  it("copies", async () => {
    const server = await serve({ rows: spans() })
    const { context, page } = await open(server, `/calls/${approvedId}`)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url })
    await page.getByRole("button", { name: "Copy the id", exact: true }).click()
    await page.getByText("Copied").waitFor()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), approvedId)
  })

  it("shows a conversation's turns, a trace, and the tools", async () => {
    const server = await serve({ rows: spans() })
    const { faults, page } = await open(server, "/conversations/support-4812")
    await page.locator(".turn").first().waitFor()
    assert.match(await page.locator(".turns").innerText(), /generateText[^]*send_email[^]*later[^]*streamText/)
    await page.locator(".turn h2 a").first().click()
    await page.locator(".span").first().waitFor()
    await page.keyboard.press("t")
    await page.locator("tbody tr").first().waitFor()
    await page.locator("tbody").getByRole("link", { name: "weather", exact: true }).click()
    await rows(page).first().waitFor()
    assert.match(page.url(), /\?tool=weather$/)
    assert.deepStrictEqual(faults, [])
  })

  it("says how to connect an app, and shows its first call without being asked", async () => {
    const server = await serve()
    const { faults, page } = await open(server)
    await page.getByText("Waiting for the first tool call").waitFor()
    assert.match(
      await page.locator(".command").first().innerText(),
      new RegExp(`OTEL_EXPORTER_OTLP_ENDPOINT=${server.url} node --import toolspan/register`)
    )
    await page.getByText("Live", { exact: true }).waitFor()
    await server.add(plainCall("first"))
    await rows(page).first().waitFor()
    await server.add(plainCall("second", { a: "c", b: "d", at: 5000 }))
    await page.waitForFunction(() => document.querySelectorAll("a.row").length === 2)
    assert.match(await rows(page).first().innerText(), /second/)
    assert.deepStrictEqual(faults, [])
  })

  it("is used with the keyboard alone", async () => {
    const { page } = await open(await serve({ rows: spans() }))
    await rows(page).first().waitFor()
    for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key)
    assert.match(await page.locator("a.row.selected").innerText(), new RegExp(approvedId))
    await page.keyboard.press("Enter")
    await page.locator("main.call h1").waitFor()
    await page.keyboard.press("Escape")
    await page.locator("a.row.selected").waitFor()
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.keyboard.press("/")
    await page.waitForFunction(() => document.activeElement?.id === "search")
    await page.keyboard.type("jk?")
    assert.strictEqual(await page.locator("#search").inputValue(), "jk?")
  })

  it("is light or dark as the system says, or as the reader does", async () => {
    const { page } = await open(await serve({ rows: spans() }), "/", { colorScheme: "dark" })
    const lightness = () =>
      page.evaluate(() => Number(getComputedStyle(document.body).backgroundColor.match(/\d+/)?.[0] ?? -1))
    assert.isBelow(await lightness(), 40)
    await page.keyboard.press("d")
    await page.waitForFunction(() => document.documentElement.dataset["theme"] === "light")
    assert.isAbove(await lightness(), 220)
    await page.reload()
    await rows(page).first().waitFor()
    assert.isAbove(await lightness(), 220)
  })

  it("shows hostile texts inert", async () => {
    const server = await serve({ rows: hostileSpans() })
    const { faults, page } = await open(server)
    await rows(page).first().waitFor()
    const check = async () => {
      assert.isUndefined(await page.evaluate(() => (window as { hurt?: number }).hurt))
      assert.strictEqual(await page.locator("#page img, #page script, #page b, a[href^='javascript']").count(), 0)
      assert.notMatch(await page.locator("#page").innerText(), /(?![\n\t])[\p{Cc}\p{Cf}]/u)
    }
    await check()
    assert.match(await page.locator("#page").innerText(), /\\u\{202e\}/)
    for (const index of [0, 1]) {
      await rows(page).nth(index).click()
      await page.locator(".steps").waitFor()
      await page.locator(".span.execution").click()
      await page.locator(".detail .attributes").first().waitFor()
      await page.getByText("Raw JSON").click()
      await page.locator(".raw pre").waitFor()
      await check()
      await page.goto(server.url)
      await rows(page).first().waitFor()
    }
    await page.goto(`${server.url}/calls/${encodeURIComponent("<img src=x onerror=window.hurt=1>")}`)
    await page.getByText("No such call").waitFor()
    await check()
    assert.deepStrictEqual(faults, [])
  })

  it("stays quick with 100,000 calls", async () => {
    const { page } = await open(await serve({ many: manyCalls(100_000) }))
    await rows(page).first().waitFor()
    const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1)
    assert.isAbove(paint, 0)
    assert.isBelow(paint, 1000)
    while (!/^100,000 calls$/.test(await page.locator(".list-end").innerText())) {
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    await page.getByText("call_99999", { exact: true }).waitFor()
    assert.isBelow(await rows(page).count(), 80)
    await page.evaluate(() => scrollTo(0, 34 * 50_000))
    await page.getByText("call_50000", { exact: true }).waitFor()
    const frames = await page.evaluate(async () => {
      const times: Array<number> = []
      for (let step = 0; step < 30; step++) {
        const before = performance.now()
        scrollBy(0, 3000)
        await new Promise(requestAnimationFrame)
        times.push(performance.now() - before)
      }
      return times.toSorted((a, b) => a - b)
    })
    assert.isBelow(frames[15]!, 100)
  })

  it("has its picture taken", async () => {
    fs.mkdirSync(images, { recursive: true })
    const server = await serve({ rows: spans() })
    const view = { width: 1180, height: 700 }
    const list = await open(server, "/", { viewport: view, colorScheme: "light" })
    await rows(list.page).first().waitFor()
    await list.page.keyboard.press("j")
    await list.page.keyboard.press("j")
    await list.page.locator("a.row.selected").waitFor()
    await list.page.screenshot({ path: path.join(images, "calls.png") })
    const call = await open(server, `/calls/${approvedId}`, { viewport: { ...view, height: 760 }, colorScheme: "dark" })
    await call.page.locator(".steps").waitFor()
    await call.page.getByText("Live", { exact: true }).waitFor()
    await call.page.screenshot({ path: path.join(images, "call.png") })
    for (const name of ["calls.png", "call.png"]) {
      assert.isBelow(fs.statSync(path.join(images, name)).size, 200_000)
    }
  })
})
