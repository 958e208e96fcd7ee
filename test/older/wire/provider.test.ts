import { AnthropicTool } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiTool } from "@effect/ai-openai"
import { Effect, Stream } from "effect"
import { Chat, LanguageModel, Toolkit } from "effect/unstable/ai"
import { assert, describe, expect, it } from "vitest"
import { chats, isSound, models, openaiClient, traced, tree } from "./trace.ts"

// Calls that run at the provider, with its own approvals and pauses.

const usage = { input_tokens: 5, output_tokens: 7, total_tokens: 12 }

const response = (id: string, output: ReadonlyArray<unknown>) => ({
  body: { id, object: "response", created_at: 1, model: "gpt-x", status: "completed", output, usage }
})

const mcpToolkit = Toolkit.make(OpenAiTool.Mcp({ server_label: "files", server_url: "http://127.0.0.1/mcp" }))

describe("an MCP call that OpenAI asks approval for", () => {
  // The next turn cannot be had from this host: it looks for a handler of the approved call, and dies.
  it("waits for its answer, and its approval is asked for once", async () => {
    const script = [
      response("resp_1", [
        {
          type: "mcp_approval_request",
          id: "mcpr_1",
          name: "read",
          arguments: "{\"path\":\"a\"}",
          server_label: "files"
        }
      ])
    ]
    const run = await traced(
      { script },
      (url) =>
        LanguageModel.generateText({ prompt: "go", toolkit: mcpToolkit }).pipe(Effect.provide(models.openai(url)))
    )
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    expect(tree(run.spans)).toMatchSnapshot()
  })

  it("is pending too where the app calls the client itself", async () => {
    const asked = { type: "mcp_approval_request", id: "mcpr_1", name: "read", arguments: "{}", server_label: "files" }
    const ran = { ...asked, type: "mcp_call", id: "mcp_1", approval_request_id: "mcpr_1", output: "text" }
    const run = await traced(
      { script: [response("resp_1", [asked]), response("resp_2", [ran])] },
      (url) =>
        OpenAiClient.OpenAiClient.use((client) =>
          Effect.andThen(
            client.createResponse({ model: "gpt-x", input: "go" }),
            client.createResponse({ model: "gpt-x", input: "go" })
          )
        ).pipe(Effect.provide(openaiClient(url)))
    )
    assert.isTrue(isSound(run))
    const calls = run.spans.filter((span) => span.name.startsWith("tool_call"))
    assert.deepEqual(
      calls.map(({ attributes }) => [
        attributes.get("toolspan.approval.state"),
        attributes.get("toolspan.approval.id"),
        attributes.get("toolspan.call.id_source")
      ]),
      [["pending", "mcpr_1", "synthesized"], ["approved", "mcpr_1", "synthesized"]]
    )
    assert.isTrue(chats(run.spans).every((chat) => chat["toolspan.violation.count"] === undefined))
  })
})

const message = (id: string, content: ReadonlyArray<unknown>, stop_reason: string) => ({
  body: {
    id,
    type: "message",
    role: "assistant",
    model: "claude-x",
    content,
    stop_reason,
    stop_sequence: null,
    usage: {
      cache_creation: null,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 100,
      inference_geo: null,
      input_tokens: 5,
      output_tokens: 7,
      service_tier: null
    }
  }
})

const searching = Toolkit.make(AnthropicTool.WebSearch_20250305({}))

describe("an Anthropic turn that pauses", () => {
  it("has the pause as its finish reason, and a call whose result is not there yet is no fault", async () => {
    const call = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } }
    const script = [
      message("msg_1", [call], "pause_turn"),
      message("msg_2", [{ type: "text", text: "Done.", citations: null }], "end_turn")
    ]
    const run = await traced({ script }, (url) =>
      Effect.gen(function*() {
        const chat = yield* Chat.empty
        yield* chat.generateText({ prompt: "go", toolkit: searching })
        yield* chat.generateText({ prompt: [], toolkit: searching })
      }).pipe(Effect.provide(models.anthropic(url))))
    assert.isTrue(isSound(run))
    assert.strictEqual(run.exit._tag, "Success")
    const [first, second, ...more] = chats(run.spans)
    assert.lengthOf(more, 0)
    assert.deepEqual(first?.["gen_ai.response.finish_reasons"], ["pause_turn"])
    assert.deepEqual(second?.["gen_ai.response.finish_reasons"], ["end_turn"])
    assert.strictEqual(first?.["gen_ai.usage.input_tokens"], 108)
    assert.strictEqual(first?.["gen_ai.usage.cache_read.input_tokens"], 100)
    assert.strictEqual(first?.["gen_ai.usage.cache_write.input_tokens"], 3)
    assert.isUndefined(first?.["toolspan.violation.count"])
    assert.isUndefined(second?.["toolspan.violation.count"])
    const decision = run.spans.find((span) => span.name.startsWith("tool_call"))
    assert.strictEqual(decision?.attributes.get("gen_ai.tool.type"), "extension")
  })
})

describe("an error event inside of an Anthropic stream", () => {
  it("ends the chat span with the provider's kind of error", async () => {
    const events = [
      {
        event: "message_start",
        data: { type: "message_start", message: { ...message("msg_1", [], "end_turn").body, stop_reason: null } }
      },
      {
        event: "error",
        data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: null }
      }
    ]
    const run = await traced(
      { script: [{ events }] },
      (url) => LanguageModel.streamText({ prompt: "go" }).pipe(Stream.runDrain, Effect.provide(models.anthropic(url)))
    )
    assert.isTrue(isSound(run))
    const [chat] = chats(run.spans)
    assert.deepEqual(chat?.["gen_ai.response.finish_reasons"], ["error"])
    assert.isString(chat?.["error.type"])
  })
})
