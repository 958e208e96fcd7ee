import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { toAnthropic, toChatCompletions, toPrompt, toResponses } from "../../src/pairing/GroupMessages.ts"
import * as ToolCallGroup from "../../src/pairing/ToolCallGroup.ts"

const group = Result.getOrThrow(Result.gen(function*() {
  const asked = yield* ToolCallGroup.make([
    { id: "c1", name: "lookup", params: { key: "a" } },
    { id: "c2", name: "ping", params: undefined }
  ])
  const once = yield* ToolCallGroup.answer(asked, { id: "c2", isFailure: true, result: { code: 1 } })
  return yield* ToolCallGroup.answer(once, { id: "c1", isFailure: false, result: "v" })
}))

const written = (write: typeof toPrompt): unknown => Result.getOrThrow(write(group))

describe("a complete group", () => {
  it("is two messages of an Effect prompt", () => {
    const part = { providerExecuted: false }
    assert.deepStrictEqual(written(toPrompt), [
      {
        role: "assistant",
        content: [
          { type: "tool-call", id: "c1", name: "lookup", params: { key: "a" }, ...part },
          { type: "tool-call", id: "c2", name: "ping", params: undefined, ...part }
        ]
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", id: "c1", name: "lookup", isFailure: false, result: "v", ...part },
          { type: "tool-result", id: "c2", name: "ping", isFailure: true, result: { code: 1 }, ...part }
        ]
      }
    ])
  })

  it("is two messages of an Anthropic request", () => {
    assert.deepStrictEqual(written(toAnthropic), [
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "c1", name: "lookup", input: { key: "a" } },
          { type: "tool_use", id: "c2", name: "ping", input: {} }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "v", is_error: false },
          { type: "tool_result", tool_use_id: "c2", content: "{\"code\":1}", is_error: true }
        ]
      }
    ])
  })

  it("is one message of calls and one for each result of a chat completions request", () => {
    assert.deepStrictEqual(written(toChatCompletions), [
      {
        role: "assistant",
        content: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "lookup", arguments: "{\"key\":\"a\"}" } },
          { id: "c2", type: "function", function: { name: "ping", arguments: "{}" } }
        ]
      },
      { role: "tool", tool_call_id: "c1", content: "v" },
      { role: "tool", tool_call_id: "c2", content: "{\"code\":1}" }
    ])
  })

  it("is an entry for each call and result of Responses input", () => {
    assert.deepStrictEqual(written(toResponses), [
      { type: "function_call", call_id: "c1", name: "lookup", arguments: "{\"key\":\"a\"}" },
      { type: "function_call", call_id: "c2", name: "ping", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "v" },
      { type: "function_call_output", call_id: "c2", output: "{\"code\":1}" }
    ])
  })

  it("writes a result that is nothing as null", () => {
    const nothing = Result.gen(function*() {
      const asked = yield* ToolCallGroup.make([{ id: "c1", name: "ping", params: {} }])
      return yield* toResponses(yield* ToolCallGroup.answer(asked, { id: "c1", isFailure: false, result: undefined }))
    })
    assert.deepStrictEqual<object>(Result.getOrThrow(nothing)[1]!, {
      type: "function_call_output",
      call_id: "c1",
      output: "null"
    })
  })
})
