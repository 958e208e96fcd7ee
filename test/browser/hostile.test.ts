import { assert, describe, it } from "@effect/vitest"
import { inBrowser, rows } from "./Chromium.ts"
import { hostileSpans } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

describe("hostile texts", { timeout: 60_000 }, () => {
  it("are shown inert in every view", async () => {
    const server = await serve({ rows: hostileSpans() })
    const { faults, page } = await open(server)
    await rows(page).first().waitFor()
    const check = async () => {
      assert.isUndefined(await page.evaluate(() => (window as { hurt?: number }).hurt))
      const made = "#page img, #page script, #page b, a[href^='javascript'], a[href^='//']"
      assert.strictEqual(await page.locator(made).count(), 0)
      assert.notMatch(await page.locator("body").innerText(), /(?![\n\t])[\p{Cc}\p{Cf}]/u)
      assert.notMatch(await page.title(), /[\p{Cc}\p{Cf}]/u)
      assert.deepStrictEqual(faults, [])
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
      await page.locator(".trace-part h2 a").first().click()
      await page.locator("main.trace .span").first().waitFor()
      await check()
      await page.goto(server.url)
      await rows(page).first().waitFor()
    }
    await rows(page).nth(1).click()
    await page.locator(".call-facts a").first().click()
    await page.locator(".turn").first().waitFor()
    await check()
    await page.goto(`${server.url}/tools`)
    await page.locator("tbody tr").first().waitFor()
    await check()
    await page.goto(`${server.url}/violations`)
    await page.locator(".violation").first().waitFor()
    await check()
  })

  it("do no harm in the address", async () => {
    const server = await serve({ rows: hostileSpans() })
    const bad = encodeURIComponent("<img src=x onerror=window.hurt=1>\u202E\u0000")
    for (
      const address of [`/calls/${bad}`, `/traces/${bad}`, `/conversations/${bad}`, `/?tool=${bad}&q=${bad}&x=${bad}`]
    ) {
      const { context, page } = await open(server, address)
      await page.locator(".empty").waitFor()
      assert.isUndefined(await page.evaluate(() => (window as { hurt?: number }).hurt))
      assert.strictEqual(await page.locator("#page img").count(), 0)
      assert.notMatch(await page.locator("body").innerText(), /(?![\n\t])[\p{Cc}\p{Cf}]/u)
      await context.close()
    }
  })

  it("do not keep a call with an endless id from being opened", async () => {
    const { plainCall } = await import("../query/CallFixture.ts")
    const { faults, page } = await open(await serve({ rows: plainCall("x".repeat(1_000_000)) }))
    await rows(page).first().click()
    await page.locator("main.trace .span.execution").click()
    await page.locator(".detail .attributes").first().waitFor()
    assert.deepStrictEqual(faults, [])
  })
})
