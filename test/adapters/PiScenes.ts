/** What can happen to the tool calls of a pi agent, or of a bare loop of pi. */
import { normalizeContext } from "@earendil-works/pi-ai"
import { fauxAssistantMessage } from "@earendil-works/pi-ai/providers/faux"
import type { Running, Scene } from "./PiWorld.ts"
import { call, calls, text, tool } from "./PiWorld.ts"

/** Resolves when every one of `count` calls has come. */
const meeting = (count: number): () => Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let here = 0
  return () => {
    if (++here === count) resolve()
    return promise
  }
}

const untilAborted = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(new Error("aborted by the user")), { once: true })
  })

export const scenes: Readonly<Record<string, () => Scene>> = {
  "parallel calls that wait for each other": () => {
    const met = meeting(3)
    const meet = tool("meet", async () => {
      await met()
      return { content: [{ type: "text", text: "met" }], details: {} }
    })
    return {
      responses: [calls(...["a", "b", "c"].map((id) => call("meet", { path: id }, { id }))), text("all met")],
      tools: [meet]
    }
  },
  "a tool that throws, one that reports a failure, one that reports progress": () => ({
    responses: [
      calls(
        call("throws", { path: "CANARY" }, { id: "a" }),
        call("fails", { path: "x" }, { id: "b" }),
        call("works", { path: "x" }, { id: "c" })
      ),
      text("ok")
    ],
    tools: [
      tool("throws", () => Promise.reject(new TypeError("CANARY"))),
      tool("fails", () => Promise.resolve({ content: [{ type: "text", text: "no" }], details: {}, isError: true })),
      tool("works", (_, __, ___, onUpdate) => {
        onUpdate?.({ content: [{ type: "text", text: "half" }], details: {} })
        onUpdate?.({ content: [{ type: "text", text: "nearly" }], details: {} })
        return Promise.resolve({ content: [{ type: "text", text: "done" }], details: {} })
      })
    ]
  }),
  "answers that say nothing of tokens": () => ({
    responses: [calls(call("erase", { path: "x" }, { id: "a" })), text("ok")],
    tools: [tool("erase")],
    onEvent: (event) => {
      if (event.type === "message_end") delete (event.message as { usage?: unknown }).usage
    }
  }),
  "a blocked call, an approved one and a hook that throws": () => ({
    responses: [
      calls(
        call("erase", { path: "x" }, { id: "a" }),
        call("send", { path: "x" }, { id: "b" }),
        call("send", { path: "no" }, { id: "c" }),
        call("erase", { path: "throw" }, { id: "d" })
      ),
      text("ok")
    ],
    tools: [tool("erase"), tool("send")],
    trace: { needsApproval: ["send"] },
    options: {
      beforeToolCall: (context) => {
        const { path } = context.args as { path: string }
        if (path === "throw") return Promise.reject(new Error("the hook broke"))
        return Promise.resolve(
          context.toolCall.name === "erase" || path === "no" ? { block: true, reason: "CANARY" } : undefined
        )
      }
    }
  }),
  "an invented tool, arguments that do not fit, arguments that are no JSON": () => ({
    responses: [
      calls(
        call("make_coffee", { path: "x" }, { id: "a" }),
        call("read", { wrong: 1 }, { id: "b" }),
        { ...call("read", {}, { id: "c" }), argumentsError: "not JSON" }
      ),
      text("ok")
    ],
    tools: [tool("read")]
  }),
  "an answer that was cut by its length": () => ({
    responses: [fauxAssistantMessage([call("read", { path: "x" }, { id: "a" })], { stopReason: "length" }), text("ok")],
    tools: [tool("read")]
  }),
  "an abort while a tool runs and another waits": () => {
    let running: Running | undefined
    return {
      responses: [
        calls(call("wait", { path: "x" }, { id: "a" }), call("wait", { path: "y" }, { id: "b" })),
        text("ok")
      ],
      tools: [tool("wait", (_, __, signal) => {
        queueMicrotask(() => running?.abort())
        return untilAborted(signal)
      })],
      options: { toolExecution: "sequential" },
      onEvent: (_, agent) => {
        running = agent
      },
      runs: ["go", "again"]
    }
  },
  "an abort in the middle of an answer": () => ({
    responses: [calls(call("read", { path: "a long path that takes some pieces" }, { id: "a" })), text("ok")],
    tools: [tool("read")],
    tokensPerSecond: 200,
    onEvent: (event, agent) => {
      if (event.type === "message_update" && event.assistantMessageEvent.type === "toolcall_delta") agent.abort()
    },
    runs: ["go", "again"]
  }),
  "answers that break off behind a whole call": () => ({
    responses: [
      fauxAssistantMessage([call("read", { path: "x" }, { id: "a" })], { stopReason: "aborted" }),
      fauxAssistantMessage([call("read", { path: "x" }, { id: "a" })], { stopReason: "error" }),
      calls(call("read", { path: "x" }, { id: "a" })),
      text("ok")
    ],
    tools: [tool("read")],
    runs: ["go", "again", "and again"]
  }),
  "a provider that fails, and a second try": () => ({
    responses: [
      calls(call("read", { path: "x" }, { id: "a" })),
      fauxAssistantMessage("", { stopReason: "error", errorMessage: "CANARY overloaded" }),
      text("ok")
    ],
    tools: [tool("read")],
    runs: ["go", async (agent) => {
      agent.state.messages = agent.state.messages.slice(0, -1)
      await agent.continue()
    }]
  }),
  "steering between turns, and a result that a hook changes": () => ({
    responses: [
      calls(call("read", { path: "x" }, { id: "a" })),
      calls(call("read", { path: "y" }, { id: "b" })),
      text("ok")
    ],
    tools: [tool("read")],
    options: { afterToolCall: ({ toolCall }) => Promise.resolve({ isError: toolCall.id === "a" }) },
    onEvent: (event, agent) => {
      if (event.type === "tool_execution_end" && event.toolCallId === "a") {
        agent.steer({ role: "user", content: "the other one", timestamp: 0 })
      }
    }
  }),
  "a compaction that keeps a result without its call": () => ({
    responses: [calls(call("read", { path: "x" }, { id: "call_1|fc_1" })), text("one"), text("two")],
    tools: [tool("read")],
    runs: ["go", (agent) => {
      agent.state.messages = agent.state.messages.filter(({ role }) => role !== "assistant")
      return agent.prompt("and?")
    }]
  }),
  "a hook that copies, renames and patches the tools of each request": () => ({
    responses: [
      calls(call("read", { path: "x" }, { id: "a" }), call("look", { path: "x" }, { id: "b" })),
      calls(call("read", { path: "y" }, { id: "c" }), call("look", { path: "y" }, { id: "d" })),
      calls(call("read", { path: "z" }, { id: "e" }), call("look", { path: "z" }, { id: "f" })),
      text("ok")
    ],
    tools: [tool("read"), tool("look")],
    options: {
      prepareRequest: ({ context }) => {
        const [first, second] = context.tools ?? []
        const { execute } = second!
        second!.execute = (...given) => execute(...given)
        return { context: { ...context, tools: [{ ...first!, description: "Copied." }, second!] } }
      }
    }
  }),
  "a tool that asks the model by the agent's own function": () => {
    let asking: Running | undefined
    return {
      responses: [calls(call("ask", { path: "x" }, { id: "a" })), text("the tool's answer"), text("ok")],
      tools: [tool("ask", async () => {
        const stream = await asking!.streamFunction(asking!.state.model, normalizeContext({ messages: [] }))
        const { content } = await stream.result()
        return { content: content.filter((block) => block.type === "text"), details: {} }
      })],
      asides: 1,
      onEvent: (_, agent) => {
        asking = agent
      }
    }
  },
  "the same id twice in one message": () => ({
    responses: [calls(call("read", { path: "x" }, { id: "a" }), call("read", { path: "y" }, { id: "a" })), text("ok")],
    tools: [tool("read")]
  })
}

/** A scene, made anew. */
export const scene = (name: string) => scenes[name]!()
