import { assert, describe, it } from "@effect/vitest"
import type { Page } from "playwright-core"
import { inBrowser, listed, rows } from "./Chromium.ts"
import { plainCall } from "../query/CallFixture.ts"
import { approvedId, fillWith, spans } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

const failures = /^5 calls$/

/** The list at this address: how many calls it has, and the ids of those that are drawn. */
const listAt = async (page: Page, address: string) => {
  await page.goto(address)
  await page.locator("main.list[aria-busy=false]").waitFor()
  const ids = await page.locator("a.row .c-id").allInnerTexts()
  return { ids, count: Number.parseInt(await page.locator(".fits").innerText(), 10) }
}

const address = (page: Page): URLSearchParams => new URL(page.url()).searchParams

describe("the list", { timeout: 60_000 }, () => {
  it("is narrowed by a choice, says so in the address, and goes back", async () => {
    const { faults, page } = await open(await serve({ rows: spans() }))
    await rows(page).first().waitFor()
    await listed(page, "47 calls")
    assert.match(await page.locator(".stored").innerText(), /^47 calls$/)
    await page.getByLabel("Outcome").selectOption("failure")
    await listed(page, "5 calls")
    assert.match(page.url(), /\?outcome=failure$/)
    assert.match(await page.locator(".fits").innerText(), failures)
    await page.reload()
    await listed(page, "5 calls")
    assert.strictEqual(await page.getByLabel("Outcome").inputValue(), "failure")
    await page.goBack()
    await listed(page, "47 calls")
    await page.locator("#search").fill(approvedId.slice(0, 9))
    await page.waitForFunction(() => document.querySelectorAll("a.row").length === 1)
    assert.strictEqual(address(page).get("q"), "toolu_01J")
    await page.getByRole("link", { name: "Clear" }).click()
    await listed(page, "47 calls")
    assert.deepStrictEqual(faults, [])
  })

  it("goes back from a search to the list that it was begun in, in one step", async () => {
    const server = await serve({ rows: spans() })
    const { page } = await open(server, "/?outcome=success")
    await rows(page).first().waitFor()
    const before = await page.locator(".list-end").textContent()
    await page.keyboard.press("/")
    for (const typed of ["sea", "search"]) {
      await page.locator("#search").fill(typed)
      await page.waitForURL((url) => url.searchParams.get("q") === typed)
    }
    await page.goBack()
    await page.waitForURL((url) => url.search === "?outcome=success")
    await listed(page, before!)
    const holds = (text: string) =>
      page.waitForFunction((text) => document.querySelector<HTMLInputElement>("#search")?.value === text, text)
    await holds("")
    await page.goForward()
    await page.waitForURL((url) => url.searchParams.get("q") === "search")
    await holds("search")
  })

  it("offers the tools of calls that are far down", async () => {
    const rare = plainCall("call_rare", { tool: "rare_tool", a: "r1", b: "r2", at: -86_400_000 })
    const { page } = await open(await serve({ rows: rare, fill: fillWith(2_000) }))
    await rows(page).first().waitFor()
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    assert.strictEqual(await page.getByLabel("Tool", { exact: true }).locator("option").count(), 8)
    await page.getByLabel("Tool", { exact: true }).focus()
    await page.getByLabel("Tool", { exact: true }).selectOption("rare_tool")
    await listed(page, "1 call")
    assert.include(asked, "/api/tools")
  })

  it("takes every filter from the address", async () => {
    const server = await serve({ rows: spans() })
    const all = 47
    const { faults, page } = await open(server)
    const count = async (query: string) => (await listAt(page, `${server.url}/?${query}`)).count
    for (
      const query of [
        `id=${approvedId}`,
        `key=${approvedId}`,
        "idPrefix=toolu_",
        "tool=send_email",
        "state=approved",
        "violation=duplicate_approval",
        "conversation=support-4812"
      ]
    ) {
      assert.deepStrictEqual(await listAt(page, `${server.url}/?${query}`), { ids: [approvedId], count: 1 }, query)
    }
    assert.strictEqual(await count("service=assistant"), all)
    assert.strictEqual(await count("service=other"), 0)
    assert.strictEqual(await count("state=pending"), 3)
    // The text of an argument that was captured.
    assert.strictEqual(await count("q=Lisbon"), 12)
    assert.strictEqual(await count("from=2026-03-01T09:11:30Z"), 2)
    assert.strictEqual(await count("to=2026-03-01T09:11:30Z"), all - 2)
    assert.strictEqual(await count("since=1h"), 0)
    const [quick, slow] = [await count("maxDuration=999.9"), await count("minDuration=1000")]
    assert.isAbove(quick, 0)
    assert.isAbove(slow, 0)
    assert.strictEqual(quick + slow, all - 3)
    assert.strictEqual(await count("outcome=failure&minDuration=1000&tool=query_orders"), 1)
    assert.deepStrictEqual(faults, [])
  })

  it("takes what is asked for now and then from a sheet, and shows it as chips", async () => {
    const { faults, page } = await open(await serve({ rows: spans() }))
    await listed(page, "47 calls")
    await page.getByText("More", { exact: true }).click()
    await page.getByLabel("Handler ran at least").fill("1 s")
    await page.getByLabel("Handler ran at least").press("Enter")
    await page.waitForURL(/minDuration=1000/)
    await page.getByLabel("Began before").fill("2026-03-01T09:05:00")
    await page.getByLabel("Began before").blur()
    await page.waitForURL(/to=2026-03-01T09%3A05%3A00.000Z/)
    await page.getByLabel("Conversation").fill("support-4803")
    await page.getByLabel("Conversation").press("Enter")
    await page.waitForURL(/conversation=support-4803/)
    assert.deepStrictEqual(await page.locator(".chip bdi").allInnerTexts(), ["support-4803", "2026-03-01 09:05", "1 s"])
    await page.getByLabel("Handler ran at least").fill("soon")
    await page.getByLabel("Handler ran at least").press("Enter")
    await page.locator("input[name=minDuration]:invalid").waitFor()
    await page.keyboard.press("Escape")
    await page.locator(".more-filters[open]").waitFor({ state: "detached" })
    await page.getByRole("link", { name: "Do not narrow by ran at least" }).click()
    await page.waitForURL((url) => !url.searchParams.has("minDuration"))
    assert.deepStrictEqual(faults, [])
  })

  it("is ordered by time, duration or wait", async () => {
    const server = await serve({ rows: spans() })
    const { faults, page } = await open(server)
    await listed(page, "47 calls")
    const column = async (name: string) => (await page.locator(`a.row .${name}`).allInnerTexts()).filter(Boolean)
    const oldest = await (await fetch(`${server.url}/api/calls?sort=oldest&limit=1`)).json() as {
      readonly calls: ReadonlyArray<{ readonly id: string }>
    }
    await page.locator(".head").getByRole("link", { name: "Time" }).click()
    await page.waitForURL(/sort=oldest/)
    await page.waitForFunction(
      (text) => document.querySelector("a.row .c-id")?.textContent === text,
      oldest.calls[0]?.id
    )
    await page.locator(".head").getByRole("link", { name: "Took" }).click()
    await page.waitForURL(/sort=slowest/)
    await listed(page, "44 calls")
    const millis = (await column("c-took")).map((text) => Number.parseFloat(text) * (text.endsWith(" ms") ? 1 : 1000))
    assert.deepStrictEqual(millis, millis.toSorted((a, b) => b - a))
    await page.getByLabel("Order").selectOption("longest-wait")
    await listed(page, "1 call")
    assert.match(await rows(page).innerText(), /send_email[^]*42\.3 s/)
    assert.deepStrictEqual(faults, [])
  })

  it("says when nothing fits, and what is wrong with an address that cannot be read", async () => {
    const server = await serve({ rows: spans() })
    const { page } = await open(server, "/?tool=nobody")
    await page.getByText("No call fits").waitFor()
    await page.getByRole("link", { name: "Show all calls" }).click()
    await listed(page, "47 calls")
    await page.goto(`${server.url}/?minDuration=soon`)
    await page.getByText("The server does not understand this question.").waitFor()
    assert.match(await page.locator(".empty").innerText(), /400 minDuration: /)
    await page.getByRole("link", { name: "Show all calls" }).click()
    await listed(page, "47 calls")
    await page.goto(`${server.url}/calls/nobody`)
    await page.getByText("No such call").waitFor()
    await page.goto(`${server.url}/traces/nobody`)
    await page.getByText("No such trace").waitFor()
    await page.goto(`${server.url}/conversations/nobody`)
    await page.getByText("No such conversation").waitFor()
  })
})
