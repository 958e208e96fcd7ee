/** Any conversation of a pi agent and of a bare loop: both do the same with the telling on and off, and each span is sound. */
import { fauxAssistantMessage, fauxText } from "@earendil-works/pi-ai/providers/faux"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import { kindOf } from "../cases/trail.ts"
import type { Scene } from "./PiWorld.ts"
import { call, play, playLoop, tool } from "./PiWorld.ts"

// What becomes of a call stands in its argument: the tool and the hooks do what it says.
const fates = [
  "ok",
  "throw",
  "fail",
  "progress",
  "block",
  "hook throws",
  "after fails",
  "after throws",
  "steer",
  "abort"
]

const aCall = fc.record({
  id: fc.constantFrom("a", "b", "c|fc_1", "c|fc_2", ""),
  name: fc.constantFrom("read", "send", "read", "send", "invented"),
  fate: fc.constantFrom(...fates),
  fits: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
  json: fc.integer({ min: 0, max: 9 }).map((one) => one > 0)
})

const anAnswer = fc.record({
  calls: fc.array(aCall, { maxLength: 4 }),
  stopReason: fc.constantFrom("toolUse", "toolUse", "toolUse", "toolUse", "length", "error", "aborted", "stop")
})

const aConversation = fc.record({
  answers: fc.array(anAnswer, { minLength: 1, maxLength: 5 }),
  sequential: fc.boolean(),
  approvals: fc.constantFrom<ReadonlyArray<string>>([], ["send"], ["send", "read"]),
  prompts: fc.integer({ min: 1, max: 3 })
})

type Conversation = typeof aConversation extends fc.Arbitrary<infer A> ? A : never

const fateOf = (params: unknown) => (params as { readonly path?: string }).path

const sceneOf = ({ answers, approvals, prompts, sequential }: Conversation) => {
  let abort = () => {}
  let steer = () => {}
  // What really happened, as pi says it.
  const seen = { runs: 0, calls: 0, results: 0, errors: 0 }
  const run = (params: unknown, update: ((partial: { content: []; details: object }) => void) | undefined) => {
    const fate = fateOf(params)
    seen.runs++
    if (fate === "throw") throw new RangeError("CANARY")
    if (fate === "progress") update?.({ content: [], details: {} })
    if (fate === "abort") abort()
    if (fate === "steer") steer()
    return Promise.resolve({
      content: [{ type: "text" as const, text: "done" }],
      details: {},
      isError: fate === "fail"
    })
  }
  const scene: Scene = {
    responses: answers.map(({ calls, stopReason }) =>
      fauxAssistantMessage(
        [
          fauxText("words"),
          ...calls.map(({ fate, fits, id, json, name }) => ({
            ...call(name, fits ? { path: fate } : { other: fate }, { id }),
            ...(json ? undefined : { argumentsError: "not JSON" })
          }))
        ],
        { stopReason: stopReason as "toolUse" }
      )
    ),
    tools: ["read", "send"].map((name) => tool(name, (_, params, __, onUpdate) => run(params, onUpdate))),
    trace: { needsApproval: approvals },
    options: {
      toolExecution: sequential ? "sequential" : "parallel",
      beforeToolCall: ({ args }) => {
        if (fateOf(args) === "hook throws") return Promise.reject(new Error("CANARY"))
        return Promise.resolve(fateOf(args) === "block" ? { block: true, reason: "CANARY" } : undefined)
      },
      afterToolCall: ({ args }) => {
        if (fateOf(args) === "after throws") return Promise.reject(new Error("CANARY"))
        return Promise.resolve(fateOf(args) === "after fails" ? { isError: true } : undefined)
      }
    },
    runs: Array.from({ length: prompts }, (_, at) => `prompt ${at}`),
    onEvent: (event, agent) => {
      if (event.type === "message_end" && event.message.role === "assistant") {
        seen.calls += event.message.content.filter(({ type }) => type === "toolCall").length
      }
      if (event.type === "message_end" && event.message.role === "toolResult") {
        seen.results++
        if (event.message.isError) seen.errors++
      }
      abort = () => agent.abort()
      steer = () => agent.steer({ role: "user", content: "the other way", timestamp: 0 })
    }
  }
  return { scene, seen }
}

const ofKind = (spans: ReadonlyArray<SpanRecord>, kind: string) => spans.filter((span) => kindOf(span) === kind)

const notRun: ReadonlySet<unknown> = new Set(["unknown_tool", "invalid_parameters"])

/** What the spans say happened. */
const toldOf = (spans: ReadonlyArray<SpanRecord>) => {
  const outcomes = (kind: string) => ofKind(spans, kind).map((span) => span.attributes[Attribute.toolspanOutcome])
  return {
    runs: outcomes("execute_tool").filter((outcome) => !notRun.has(outcome)).length,
    calls: ofKind(spans, "tool_call").length,
    results: outcomes("tool_result").length,
    errors: outcomes("tool_result").filter((outcome) => outcome !== "success").length
  }
}

describe("any conversation", () => {
  for (
    const [kind, run] of [["an agent", play], [
      "a bare loop",
      (scene: Scene, traced?: boolean) => playLoop(scene, "runAgentLoop", traced)
    ]] as const
  ) {
    it(`of ${kind} is the same with the telling on and off, and each span is sound`, async () => {
      await fc.assert(
        fc.asyncProperty(aConversation, async (conversation) => {
          const { scene, seen } = sceneOf(conversation)
          const told = await run(scene)
          const bare = await run(sceneOf(conversation).scene, false)
          assert.deepStrictEqual(told.host, bare.host)
          assert.deepStrictEqual(told.faults(), [])
          assert.deepStrictEqual(toldOf(told.spans), seen)
          assert.deepStrictEqual(told.counts.refused, {})
          assert.notInclude(JSON.stringify(told.spans), "CANARY")
        }),
        { numRuns: 150 }
      )
    })
  }
})
