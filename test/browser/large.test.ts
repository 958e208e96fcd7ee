import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { buildPage, pageFiles } from "../../scripts/page.ts"
import { inBrowser, listed, rows } from "./Chromium.ts"
import { plainCall } from "../query/CallFixture.ts"
import { fillWith, spans } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

describe("the page at its limits", { timeout: 180_000 }, () => {
  it("weighs less than 150 kB on its way, and asks nobody else for anything", async () => {
    const server = await serve({ rows: spans() })
    const { context, faults, page } = await open(server)
    let transferred = 0
    const wire = await context.newCDPSession(page)
    await wire.send("Network.enable")
    await wire.send("Network.setCacheDisabled", { cacheDisabled: true })
    const kinds = new Map<string, string>()
    wire.on(
      "Network.responseReceived",
      ({ requestId, response }) => kinds.set(requestId, new URL(response.url).pathname)
    )
    wire.on("Network.loadingFinished", ({ encodedDataLength, requestId }) => {
      if (!(kinds.get(requestId) ?? "/api/").startsWith("/api/")) transferred += encodedDataLength
    })
    await page.reload()
    await rows(page).first().waitFor()
    assert.includeMembers([...kinds.values()], ["/", "/page.js", "/page.css"])
    assert.isAbove(transferred, 5_000)
    assert.isBelow(transferred, 150_000)
    assert.deepStrictEqual(faults, [])
  })

  it("carries nothing of the server's libraries", async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-bundle-"))
    await buildPage(folder)
    const script = fs.readFileSync(path.join(folder, "page.js"), "utf8")
    assert.notMatch(script, /effect\/|~effect|SchemaAST|from"|require\(/)
    for (const file of pageFiles) {
      assert.notMatch(fs.readFileSync(path.join(folder, file), "utf8"), /https?:\/\/(?!www\.w3\.org)/, file)
    }
    fs.rmSync(folder, { recursive: true })
  })

  it("paints within a second and stays quick with 100,000 calls", async () => {
    const server = await serve({ fill: fillWith(100_000) })
    const { faults, page } = await open(server)
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
    // Back from a call, the list is where it was left.
    await page.evaluate(() => scrollTo(0, 34 * 50_000))
    await page.getByText("call_50000", { exact: true }).click()
    await page.locator(".steps").waitFor()
    assert.strictEqual(await page.evaluate(() => scrollY), 0)
    await page.keyboard.press("Escape")
    await page.getByText("call_50000", { exact: true }).waitFor()
    assert.match(await page.locator("a.row.selected").innerText(), /call_50000/)
    assert.approximately(await page.evaluate(() => scrollY), 34 * 50_000, 34 * 40)
    // What comes meanwhile moves nothing that is read, and stands at the top.
    const before = (await page.getByText("call_50000", { exact: true }).boundingBox())!
    await server.send(plainCall("call_now", { a: "n1", b: "n2", at: 60_000 }))
    await page.waitForFunction(() => document.querySelector(".fits")?.textContent === "100,000 calls or more")
    await page.waitForFunction(() => document.querySelector(".stored")?.textContent === "100,001 calls")
    await page.waitForFunction(() => document.querySelector(".list-end")?.textContent === "100,001 calls")
    assert.deepStrictEqual(await page.getByText("call_50000", { exact: true }).boundingBox(), before)
    await page.evaluate(() => scrollTo(0, 0))
    await page.getByText("call_now", { exact: true }).waitFor()
    await page.getByLabel("Outcome").selectOption("failure")
    await listed(page, "200 of 7,692 calls, more as you scroll")
    await page.locator("#search").fill("call_73421")
    await page.waitForFunction(() => document.querySelector(".fits")?.textContent === "0 calls")
    await page.getByLabel("Outcome").selectOption("")
    await listed(page, "1 call")
    assert.deepStrictEqual(faults, [])
  })
})
