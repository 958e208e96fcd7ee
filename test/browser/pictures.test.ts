import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { installOlder } from "../journeys/installation.ts"
import { inBrowser, listed, rows } from "./Chromium.ts"
import * as Demo from "./Demo.ts"
import { conversations, pictured } from "./demoConversations.ts"

const { folder, open, serve } = inBrowser()

/** The pictures of the README; made anew when they are not there, or when TOOLSPAN_PICTURES is set. */
const images = path.resolve(import.meta.dirname, "../../docs/images")
const names = ["calls.png", "call.png"] as const
const wanted = process.env["TOOLSPAN_PICTURES"] !== undefined
  || names.some((name) => !fs.existsSync(path.join(images, name)))

describe("the demo on the page", { timeout: 120_000 }, () => {
  beforeAll(installOlder, 120_000)

  it("is told call by call, while it happens, and has its picture taken", async () => {
    const server = await serve()
    const view = { width: 1180, height: 520 }
    const list = await open(server, "/", { viewport: view, colorScheme: "light" })
    await list.page.getByText("Waiting for the first tool call").waitFor()
    for (const conversation of conversations) await Demo.talk(conversation, server.url)
    await listed(list.page, "10 calls")
    const verdicts = await list.page.locator("a.row .c-verdict").allInnerTexts()
    assert.includeMembers(verdicts.map((verdict) => verdict.split(/\s{2}|\n/)[0]!.trim()), ["waits for approval"])
    await list.page.keyboard.press("j")
    await list.page.locator("a.row.selected").waitFor()
    const shots = Object.fromEntries(names.map((name) => [name, path.join(folder, name)])) as Record<
      typeof names[number],
      string
    >
    await list.page.screenshot({ path: shots["calls.png"] })

    const call = await open(server, `/calls/${pictured}`, {
      viewport: { width: 1180, height: 820 },
      colorScheme: "dark"
    })
    await call.page.locator(".steps").waitFor()
    await call.page.getByText("Live", { exact: true }).waitFor()
    assert.match(
      await call.page.locator(".steps").innerText(),
      /A human approved it[^]*smtp\.deliver[^]*read the result/
    )
    await call.page.screenshot({ path: shots["call.png"] })
    assert.deepStrictEqual([...list.faults, ...call.faults], [])
    for (const name of names) {
      assert.isBelow(fs.statSync(shots[name]).size, 200_000)
      if (wanted) fs.copyFileSync(shots[name], path.join(images, name))
    }
    assert.isAbove(await rows(list.page).count(), 5)
  })
})
