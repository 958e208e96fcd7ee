/** Arguments as the wire has them (JSON text) and as a loop has them (a value) are the same arguments. */
import { assert, describe, it } from "@effect/vitest"
import { fromChatCompletions } from "../../src/pairing/ChatCompletions.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const text = "{\"city\": \"Oslo\", \"days\": [1, 2]}"
const value = { days: [1, 2], city: "Oslo" }
const tools = [{ name: "weather", parameters: ["city"] }]

const start = (content: "off" | "all" = "off", begins = 1_700_000_000_000_000_000n) => {
  let time = begins
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1_000_000n, content })
  const spans = () => recording.trail().spans
  const kinds = () => spans().flatMap((span) => span.attributes[Attribute.toolspanViolationKinds] ?? [])
  return { recorder, spans, kinds }
}

const running = (execution: Recorder.Execution | Recorder.Refusal): Recorder.Execution => {
  assert(!Recorder.isRefusal(execution))
  return execution
}

/** As a loop on chat completions keeps it: in a database, as text. */
const stored = () =>
  fromChatCompletions(JSON.parse(JSON.stringify([
    { role: "user", content: "weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "weather", arguments: text } }]
    },
    { role: "tool", tool_call_id: "c1", content: "snow" }
  ])))

describe("arguments", () => {
  for (const [given, told] of [["text", text], ["a value", value]] as const) {
    it(`told as ${given} are found again in a stored history of chat completions`, () => {
      const { kinds, recorder, spans } = start()
      const first = recorder.turn({ tools: [{ name: "weather" }] })
      first.requested()
      first.decided({ id: "c1", name: "weather", arguments: told })
      first.responded()
      running(first.started("c1")).ended({ result: "snow" })
      first.result("c1")
      first.end()
      const second = recorder.turn({ tools: [{ name: "weather" }] })
      second.requested({ history: stored() })
      second.responded()
      second.end()
      assert.lengthOf(spans().filter(({ name }) => name === "tool_result weather"), 1)
      assert.deepStrictEqual(kinds(), [])
      assert.strictEqual(recorder.counts().open, 0)
    })

    it(`approved as ${given} may run as the other`, () => {
      const { kinds, recorder } = start()
      const turn = recorder.turn({ tools: [{ name: "weather" }] })
      turn.decided({ id: "c1", name: "weather", arguments: told })
      turn.approvalRequested("c1")
      const carrier = turn.carrier("c1")
      turn.approvalResolved("c1", { answer: "approved" })
      running(turn.started("c1", { arguments: told === text ? value : text })).ended()
      turn.end()
      const other = start("off", 1_700_000_001_000_000_000n)
      const later = other.recorder.turn({ tools: [{ name: "weather" }] })
      later.resumed({ id: "c1", name: "weather", arguments: told, carrier })
      later.approvalResolved("c1", { answer: "approved" })
      running(later.started("c1", { arguments: told === text ? value : text })).ended()
      later.end()
      assert.deepStrictEqual([...kinds(), ...other.kinds()], [])
    })

    it(`told as ${given} are checked against the tool's parameters, and written once as JSON`, () => {
      const { kinds, recorder, spans } = start("all")
      const turn = recorder.turn({ tools })
      turn.decided({ id: "c1", name: "weather", arguments: told })
      running(turn.started("c1")).ended()
      turn.end()
      assert.deepStrictEqual(kinds(), ["dropped_argument"])
      for (const name of ["tool_call weather", "execute_tool weather"]) {
        const written = spans().find((span) => span.name === name)!.attributes[Attribute.genAiToolCallArguments]
        assert.deepStrictEqual(JSON.parse(written as string), value)
      }
    })
  }

  it("of a decision that told none are no others than those that run", () => {
    const { kinds, recorder } = start()
    const turn = recorder.turn()
    turn.decided({ id: "c1", name: "weather" })
    turn.approvalRequested("c1")
    turn.approvalResolved("c1", { answer: "approved" })
    running(turn.started("c1", { arguments: value })).ended()
    turn.end()
    assert.deepStrictEqual(kinds(), [])
  })

  it("that are none are an empty text on some wires", () => {
    const { kinds, recorder, spans } = start()
    const first = recorder.turn()
    first.decided({ id: "c1", name: "clock", arguments: {} })
    first.approvalRequested("c1")
    first.approvalResolved("c1", { answer: "approved" })
    running(first.started("c1", { arguments: "" })).ended()
    first.result("c1")
    first.end()
    const second = recorder.turn()
    second.requested({
      history: fromChatCompletions([
        { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "clock", arguments: "" } }] },
        { role: "tool", tool_call_id: "c1", content: "noon" }
      ])
    })
    second.end()
    assert.lengthOf(spans().filter(({ name }) => name === "tool_result clock"), 1)
    assert.deepStrictEqual(kinds(), [])
  })

  it("that are a text of their own stay one", () => {
    for (const own of ["plain", "{no json", "17", "", "null"]) {
      const { kinds, recorder, spans } = start("all")
      const turn = recorder.turn({ tools: [{ name: "weather" }] })
      turn.decided({ id: "c1", name: "weather", arguments: own })
      turn.approvalRequested("c1")
      turn.approvalResolved("c1", { answer: "approved" })
      running(turn.started("c1", { arguments: own })).ended()
      turn.end()
      assert.deepStrictEqual(kinds(), [])
      const written = spans().find(({ name }) => name === "execute_tool weather")!.attributes
      assert.strictEqual(written[Attribute.genAiToolCallArguments], JSON.stringify(own))
    }
  })
})
