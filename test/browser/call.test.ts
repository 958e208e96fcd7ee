import { assert, describe, it } from "@effect/vitest"
import * as Attribute from "../../src/semconv/attribute.ts"
import { approvedCall } from "../query/CallFixture.ts"
import { inBrowser, rows } from "./Chromium.ts"
import { approvedId, spans } from "./fixtureCalls.ts"

const { open, serve } = inBrowser()

describe("a call's page", { timeout: 60_000 }, () => {
  it("tells the story, with its faults, and follows links both ways", async () => {
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
    assert.deepStrictEqual(await page.locator(".lane-name").allInnerTexts(), [
      "Decision",
      "Approval",
      "Execution",
      "Result",
      "Used by"
    ])
    // The wait is a bar, between the decision's bar and the execution's.
    const boxOf = async (lane: string) => (await page.locator(`.lane.${lane} .mark`).boundingBox())!
    const [decision, wait, execution] = [await boxOf("decision"), await boxOf("wait"), await boxOf("execution")]
    assert.isAbove(wait.width, 50)
    assert.isAbove(wait.x, decision.x + decision.width)
    assert.isBelow(wait.x + wait.width, execution.x)
    // The app's spans lie within the execution.
    const inner = page.locator(".lane.execution .mark > i")
    assert.strictEqual(await inner.count(), 3)
    for (const box of await Promise.all((await inner.all()).map((mark) => mark.boundingBox()))) {
      assert.isAtLeast(box!.x, execution.x - 1)
      assert.isAtMost(box!.x + box!.width, execution.x + execution.width + 1)
    }
    assert.match(await page.locator(".fault").innerText(), /answered twice alike[^]*Disable the button/)
    assert.match(await page.locator("ol.inside").innerText(), /compose message[^]*smtp deliver[^]*dns lookup/)

    await page.locator(".span.execution").click()
    const detail = page.locator(".detail")
    await detail.locator(".attributes").waitFor()
    assert.match(await detail.innerText(), /Links to[^]*decided by[^]*approved by[^]*Linked from[^]*result of/)
    assert.match(await detail.locator(".attributes").innerText(), /gen_ai\.tool\.name[^]*send_email/)
    await detail.getByRole("link", { name: "tool_call send_email" }).click()
    await page.waitForURL(/\/traces\//)
    await detail.getByRole("link", { name: "execute_tool send_email" }).click()
    await page.locator(".span.selected.execution").waitFor()
    await detail.getByRole("link", { name: "The whole call" }).click()
    await page.locator(".steps").waitFor()
    assert.match(page.url(), new RegExp(`/calls/${approvedId}`))
    await page.getByRole("link", { name: "read the result" }).click()
    await page.locator(".span.selected.chat").waitFor()
    assert.match(await detail.innerText(), /1 event[^]*toolspan\.violation[^]*duplicate_approval/)
    assert.deepStrictEqual(faults, [])
  })

  it("copies the id, the address, the command, attributes and the raw JSON", async () => {
    const server = await serve({ rows: spans() })
    const { context, page } = await open(server, `/calls/${approvedId}`)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url })
    const copied = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).click()
      await page.getByText("Copied").waitFor()
      const text = await page.evaluate(() => navigator.clipboard.readText())
      await page.getByText("Copied").waitFor({ state: "detached" })
      return text
    }
    assert.strictEqual(await copied("Copy the id"), approvedId)
    const address = await copied("Copy the address of this page")
    assert.strictEqual(await copied("Copy the command that shows this call"), `toolspan show ${approvedId}`)
    await page.locator(".span.execution").click()
    await page.locator(".detail .attributes > div").first().hover()
    assert.strictEqual(await copied("Copy gen_ai.tool.name"), "send_email")
    await page.getByText("Raw JSON").click()
    const raw = await copied("Copy the JSON")
    const answer = await (await fetch(`${server.url}/api/calls/${approvedId}/story`)).json() as {
      readonly stories: ReadonlyArray<unknown>
    }
    assert.deepStrictEqual(JSON.parse(raw), answer.stories[0])
    await page.goto(address)
    await page.locator("main.call h1").getByText("send_email").waitFor()
  })

  it("copies where the browser has no clipboard for the page", async () => {
    const server = await serve({ rows: spans() })
    const { context, page } = await open(server)
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url })
    const plain = await context.newPage()
    await plain.addInitScript(() => Object.defineProperty(Navigator.prototype, "clipboard", { value: undefined }))
    await plain.goto(`${server.url}/calls/${approvedId}`)
    await plain.getByRole("button", { name: "Copy the id", exact: true }).click()
    await plain.getByText("Copied").waitFor()
    await page.bringToFront()
    assert.strictEqual(await page.evaluate(() => navigator.clipboard.readText()), approvedId)
  })

  it("leads to the conversation's turns, a trace, the tools and the faults", async () => {
    const server = await serve({ rows: spans() })
    const { faults, page } = await open(server, `/calls/${approvedId}`)
    await page.getByRole("link", { name: "support-4812" }).click()
    await page.locator(".turn").first().waitFor()
    assert.match(
      await page.locator(".turns").innerText(),
      /generateText[^]*send_email[^]*42\.3 s later[^]*streamText[^]*read the result of send_email/
    )
    await page.locator(".turn h2 a").first().click()
    await page.locator(".span.turn").first().waitFor()
    assert.deepStrictEqual(
      (await page.locator(".span .span-name").allInnerTexts()).map((name) => name.replace(/^[◆◇]/, "").trim()),
      ["LanguageModel.generateText", "chat claude-x", "tool_call send_email", "tool_approval send_email"]
    )
    await page.getByRole("link", { name: "Tools", exact: true }).click()
    const line = page.locator("tbody tr", { hasText: "send_email" })
    await line.waitFor()
    assert.deepStrictEqual(
      (await line.locator("td").allInnerTexts()).map((text) => text.trim()),
      ["1", "0", "183 ms", "183 ms", "42.3 s", "42.3 s", "0", "1"]
    )
    await line.getByRole("link", { name: "1", exact: true }).click()
    await page.waitForURL(/\/violations\?tool=send_email$/)
    await page.getByRole("link", { name: /duplicate approval/ }).click()
    await page.waitForURL(/kind=duplicate_approval/)
    assert.match(await page.locator(".kind-text").innerText(), /answered twice alike[^]*Disable the button/)
    await page.reload()
    await page.locator(".violation").getByRole("link", { name: approvedId }).click()
    await page.locator(".steps").waitFor()
    await page.getByRole("link", { name: "duplicate_approval" }).click()
    await rows(page).first().waitFor()
    assert.match(page.url(), /\?violation=duplicate_approval$/)
    assert.strictEqual(await rows(page).count(), 1)
    assert.deepStrictEqual(faults, [])
  })

  it("says what is known of a call that only faults name, and leads there and back", async () => {
    const orphan = {
      name: "toolspan.violation",
      at: 42_600,
      attributes: {
        [Attribute.toolspanViolationKind]: "orphan_result",
        [Attribute.toolspanViolationScope]: "conversation",
        [Attribute.genAiToolCallId]: "gone",
        [Attribute.toolspanCallKey]: "gone"
      }
    }
    const server = await serve({ rows: approvedCall("t1", { conversation: "demo", chatEvents: [orphan] }) })
    const { faults, page } = await open(server, "/violations?kind=orphan_result")
    await page.getByText("gone", { exact: true }).click()
    await page.getByText("Only faults are known of this call").waitFor()
    assert.include(await page.locator("main").innerText(), "1 fault names gone.")
    await page.getByText("What was reported").click()
    await page.locator(".violation").waitFor()
    assert.include(page.url(), "/violations?id=gone")
    await page.goBack()
    await page.getByText("Only faults are known of this call").waitFor()
    await page.goBack()
    await page.locator(".violation").waitFor()
    assert.include(page.url(), "/violations?kind=orphan_result")
    await page.goto(`${server.url}/calls/never`)
    await page.getByText("No such call").waitFor()
    assert.deepStrictEqual(faults, [])
  })

  it("keeps calls apart that share an id", async () => {
    const { plainCall } = await import("../query/CallFixture.ts")
    const inConversation = (name: string) => ({ "gen_ai.conversation.id": name })
    const { page } = await open(
      await serve({
        rows: [
          ...plainCall("call_0", { a: "s1", b: "s2", tool: "first", values: inConversation("one") }),
          ...plainCall("call_0", { a: "s3", b: "s4", tool: "second", at: 9000, values: inConversation("two") })
        ]
      })
    )
    await rows(page).nth(1).click()
    await page.locator("main.call h1").getByText("first").waitFor()
    await page.getByText("1 other call with this id").waitFor()
    await page.locator(".others a").click()
    await page.locator("main.call h1").getByText("second").waitFor()
  })
})
