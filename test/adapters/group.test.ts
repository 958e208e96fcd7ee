import type { AssistantMessage, ToolResultMessage } from "@earendil-works/pi-ai"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { round } from "../../examples/pi-group.ts"
import { check } from "../../src/pairing/Check.ts"
import { call, calls, play, text, tool } from "./PiWorld.ts"

/** The first round of a real agent: its message with calls, and its results. */
const played = async (): Promise<readonly [AssistantMessage, ReadonlyArray<ToolResultMessage>]> => {
  let message: AssistantMessage | undefined
  const results: Array<ToolResultMessage> = []
  await play({
    responses: [calls(call("read", { path: "x" }, { id: "a" }), call("read", { path: "y" }, { id: "b" })), text("ok")],
    tools: [tool("read")],
    onEvent: (event) => {
      if (event.type !== "message_end") return
      if (event.message.role === "assistant") message ??= event.message
      else if (event.message.role === "toolResult") results.push(event.message)
    }
  })
  return [message!, results]
}

const reasonOf = (written: ReturnType<typeof round>) =>
  Result.isFailure(written) ? [written.failure.reason, written.failure.id] : undefined

describe("a group of calls of a pi message", () => {
  it("writes the two messages that a provider wants", async () => {
    const [message, results] = await played()
    const written = Result.getOrThrow(round(message, results))
    assert.deepStrictEqual(written, [
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "read", input: { path: "x" } },
          { type: "tool_use", id: "b", name: "read", input: { path: "y" } }
        ]
      },
      {
        role: "user",
        content: ["a", "b"].map((id) => ({
          type: "tool_result",
          tool_use_id: id,
          content: "read done",
          is_error: false
        }))
      }
    ])
    assert.deepStrictEqual(check(written, { format: "anthropic" }), [])
  })

  it("refuses what no provider takes, with a reason", async () => {
    const [message, [first, second]] = await played()
    assert.deepStrictEqual(reasonOf(round(message, [first!])), ["unanswered_call", "b"])
    assert.deepStrictEqual(reasonOf(round(message, [first!, first!, second!])), ["duplicate_result", "a"])
    assert.deepStrictEqual(reasonOf(round(message, [{ ...first!, toolCallId: "gone" }])), ["orphan_result", "gone"])
    assert.deepStrictEqual(reasonOf(round(message, [{ ...first!, toolName: "write" }])), ["renamed_tool", "a"])
  })
})
