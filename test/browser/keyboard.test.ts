import { assert, describe, it } from "@effect/vitest"
import { inBrowser, listed, rows } from "./Chromium.ts"
import { approvedId, spans } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

describe("the page for everybody", { timeout: 60_000 }, () => {
  it("is used with the keyboard alone", async () => {
    const { page } = await open(await serve({ rows: spans() }))
    await rows(page).first().waitFor()
    // Faster than any hand: all of them before a row is drawn.
    await page.evaluate(() => {
      for (const key of "jjjjjjjjjkkkkkkk") document.dispatchEvent(new KeyboardEvent("keydown", { key }))
    })
    await page.locator("a.row.selected", { hasText: approvedId }).waitFor()
    for (const key of ["j", "j", "j", "k", "k", "k"]) await page.keyboard.press(key)
    await page.locator("a.row.selected", { hasText: approvedId }).waitFor()
    assert.isTrue(await page.locator("a.row.selected").evaluate((row) => row === document.activeElement))
    await page.keyboard.press("Enter")
    await page.locator("main.call h1").waitFor()
    await page.keyboard.press("Escape")
    await page.locator("a.row.selected").waitFor()
    await page.keyboard.press("Escape")
    await page.locator("a.row.selected").waitFor({ state: "detached" })
    await page.keyboard.press("?")
    await page.getByRole("dialog", { name: "Keys" }).waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await page.keyboard.press("/")
    await page.waitForFunction(() => document.activeElement?.id === "search")
    await page.keyboard.type("jk?")
    assert.strictEqual(await page.locator("#search").inputValue(), "jk?")
    // Out of the field, where what was typed is in force at once, and out of the filter.
    await page.keyboard.press("Escape")
    await page.waitForURL(/q=jk%3F/)
    await page.getByText("No call fits").waitFor()
    await page.keyboard.press("Escape")
    await listed(page, "47 calls")
    assert.strictEqual(await page.locator("#search").inputValue(), "")
    await page.keyboard.press("t")
    await page.locator("main.tools tbody tr").first().waitFor()
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key)
    await page.waitForURL(/\?tool=/)
    await listed(page, "7 calls")
    await page.keyboard.press("Escape")
    await listed(page, "47 calls")
    await page.keyboard.press("f")
    await page.locator("main.violations .violation").first().waitFor()
    for (const key of ["j", "Enter"]) await page.keyboard.press(key)
    await page.locator("main.call .steps").waitFor()
    for (const key of ["j", "j", "Enter"]) await page.keyboard.press(key)
    assert.match(await page.locator(".detail h3").innerText(), /^chat claude-x$/)
    await page.keyboard.press("g")
    await rows(page).first().waitFor()
    // Past the rows that are drawn: the list follows.
    for (let step = 0; step < 46; step++) await page.keyboard.press("j")
    assert.match(await page.locator("a.row.selected .c-id").innerText(), /^call_/)
    const box = await page.locator("a.row.selected").boundingBox()
    assert.isBelow(box!.y + box!.height, 801)
    assert.isAbove(box!.y, 100)
  })

  it("takes keys from the very moment the sheet of keys opens and closes", async () => {
    const { page } = await open(await serve({ rows: spans() }))
    await rows(page).first().waitFor()
    // A browser tells of the closing later, and leaves the focus in what is closed until then.
    const focused = await page.evaluate(async () => {
      const press = (key: string, on: Element) =>
        on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }))
      press("?", document.body)
      await Promise.resolve()
      const sheet = document.querySelector("dialog")!
      const opened = sheet.open
      press("/", sheet)
      const under = document.activeElement === sheet
      sheet.close()
      press("/", sheet)
      return { opened, under, after: document.activeElement?.id }
    })
    assert.deepStrictEqual(focused, { opened: true, under: true, after: "search" })
    await page.getByRole("dialog", { includeHidden: true }).waitFor({ state: "detached" })
    assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "search")
  })

  it("has the search of another view at hand before the next key", async () => {
    const { page } = await open(await serve({ rows: spans() }), "/tools")
    await page.locator("main.tools tbody tr").first().waitFor()
    const focused = await page.evaluate(async () => {
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "/" }))
      await new Promise((done) => setTimeout(done))
      return document.activeElement?.id
    })
    assert.strictEqual(focused, "search")
  })

  it("goes back with Escape, but not to where the reader was before", async () => {
    const server = await serve({ rows: spans() })
    const { page } = await open(server, "/healthz")
    await page.goto(`${server.url}/conversations/support-4812`)
    await page.locator(".turn").first().waitFor()
    await page.locator(".turn a.row").first().click()
    await page.locator(".steps").waitFor()
    await page.reload()
    await page.locator(".steps").waitFor()
    await page.keyboard.press("Escape")
    await page.locator(".turn").first().waitFor()
    await page.keyboard.press("Escape")
    await listed(page, "47 calls")
  })

  it("moves through the spans of a trace", async () => {
    const server = await serve({ rows: spans() })
    const { page } = await open(server, `/calls/${approvedId}`)
    await page.locator(".trace-part h2 a").first().click()
    await page.locator(".span").first().waitFor()
    await page.evaluate(() => {
      for (const key of "jjjk") document.dispatchEvent(new KeyboardEvent("keydown", { key }))
    })
    await page.locator(".span.selected", { hasText: "chat claude-x" }).waitFor()
    assert.match(page.url(), /span=[0-9a-f]{16}$/)
    await page.reload()
    await page.locator(".span.selected", { hasText: "chat claude-x" }).waitFor()
    await page.locator(".detail", { hasText: "gen_ai.provider.name" }).waitFor()
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

  it("has a name for every control, and a ring around the one in use", async () => {
    const server = await serve({ rows: spans() })
    for (const address of ["/", `/calls/${approvedId}`, "/tools", "/violations", "/conversations/support-4812"]) {
      const { context, page } = await open(server, address)
      await page.locator("main:not([aria-busy=true])").waitFor()
      const nameless = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>("a, button, input, select, summary")].filter((control) => {
          const label = control.getAttribute("aria-label") ?? ""
          const labels = "labels" in control ? [...control.labels as NodeListOf<HTMLElement>] : []
          return `${label}${control.innerText}${labels.map((of) => of.textContent).join("")}`.trim() === ""
        }).map((control) => control.outerHTML)
      )
      assert.deepStrictEqual(nameless, [], address)
      assert.strictEqual(await page.getByRole("main").count(), 1, address)
      assert.strictEqual(await page.getByRole("navigation", { name: "Main" }).count(), 1, address)
      for (let step = 0; step < 6; step++) {
        await page.keyboard.press("Tab")
        const ring = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineStyle)
        assert.strictEqual(ring, "solid", `${address}, control ${step}`)
      }
      await context.close()
    }
    const { page } = await open(server)
    await rows(page).first().waitFor()
    assert.strictEqual(await page.getByRole("list", { name: "Tool calls" }).getByRole("listitem").count() > 20, true)
    const first = page.getByRole("listitem").first()
    assert.strictEqual(await first.getAttribute("aria-setsize"), "47")
    assert.match(await first.getByRole("link").innerText(), /search_docs/)
  })

  it("fits on 380 pixels", async () => {
    const server = await serve({ rows: spans() })
    const addresses = ["/", `/calls/${approvedId}`, "/tools", "/violations", "/conversations/support-4812", "/calls/no"]
    for (const address of addresses) {
      const { context, page } = await open(server, address, { viewport: { width: 380, height: 700 } })
      await page.locator("main:not([aria-busy=true])").waitFor()
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.isAtMost(over, 0, address)
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll("a.row > span, h1, .call-facts dd, .mark-label, button")]
          .filter((part) => part.getBoundingClientRect().right > innerWidth)
          .map((part) => part.outerHTML)
      )
      assert.deepStrictEqual(cut, [], address)
      await context.close()
    }
    const { page } = await open(server, "/", { viewport: { width: 380, height: 700 } })
    await rows(page).first().waitFor()
    await page.getByText("More", { exact: true }).click()
    const sheet = await page.locator(".more-sheet").boundingBox()
    assert.isAtLeast(sheet!.x, 0)
    assert.isAtMost(sheet!.x + sheet!.width, 380)
  })
})
