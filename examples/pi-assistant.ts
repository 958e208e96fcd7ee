// The assistant of examples/demo as a pi agent, told by toolspan. Run by test/adapters/demo.test.ts.
import { Agent } from "@earendil-works/pi-agent-core"
import type { AgentTool } from "@earendil-works/pi-agent-core"
import type { Model } from "@earendil-works/pi-ai"
import { streamSimple } from "@earendil-works/pi-ai/api/anthropic-messages"
import type { Tracer } from "@opentelemetry/api"
import { setTimeout } from "node:timers/promises"

const question = "Can I have lunch with Ada in the park on Thursday? If so, send an invitation to ada@example.com."

const words = { type: "string" } as const

/** The tools, each with spans of its own as any app has. */
const toolsWith = (tracer: Tracer): ReadonlyArray<AgentTool> => {
  const inside = async (name: string, millis: number): Promise<void> => {
    const span = tracer.startSpan(name)
    await setTimeout(millis)
    span.end()
  }
  const tool = (
    name: string,
    description: string,
    parameters: ReadonlyArray<string>,
    work: () => Promise<unknown>
  ): AgentTool => ({
    name,
    label: name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(parameters.map((key) => [key, words])),
      required: parameters
    },
    execute: async () => ({ content: [{ type: "text", text: JSON.stringify(await work()) }], details: {} })
  })
  return [
    tool("read_calendar", "The appointments of one day.", ["day"], async () => {
      await inside("calendar.query", 60)
      return [
        { from: "09:00", to: "10:30", title: "Planning" },
        { from: "14:00", to: "15:00", title: "Review" }
      ]
    }),
    tool("get_weather", "The weather forecast for a city on one day.", ["city", "day"], async () => {
      await inside("weather.locate", 15)
      await inside("weather.forecast", 80)
      return { sky: "sunny", celsius: 21 }
    }),
    tool("send_email", "Sends an e-mail. A human has to approve it first.", ["to", "subject", "body"], async () => {
      await inside("smtp.deliver", 120)
      return { messageId: "<lunch-1@mail.example>" }
    })
  ]
}

/** The agent, on Anthropic's API or on what answers like it at `baseUrl`. */
export const assistant = (settings: {
  readonly model: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly tracer: Tracer
}): Agent => {
  const model: Model<"anthropic-messages"> = {
    id: settings.model,
    name: settings.model,
    api: "anthropic-messages",
    provider: "anthropic",
    baseUrl: settings.baseUrl,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200_000,
    maxTokens: 1024
  }
  return new Agent({
    streamFn: (_, context, options) => streamSimple(model, context, options),
    getApiKey: () => settings.apiKey,
    // The human thinks about it, and says yes.
    beforeToolCall: async ({ toolCall }) => {
      if (toolCall.name === "send_email") await setTimeout(200)
      return undefined
    },
    initialState: {
      model,
      systemPrompt: "You are an assistant. It is Tuesday and we are in Lisbon.",
      tools: [...toolsWith(settings.tracer)]
    }
  })
}

/** The conversation of the demo. */
export const converse = (agent: Agent): Promise<void> => agent.prompt(question)
