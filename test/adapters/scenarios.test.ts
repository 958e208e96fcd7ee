/** What agents of one process do side by side, and what is done to them while they run. */
import { Agent } from "@earendil-works/pi-agent-core"
import * as api from "@opentelemetry/api"
import type { AgentOptions } from "@earendil-works/pi-agent-core"
import type { FauxResponseStep } from "@earendil-works/pi-ai/providers/faux"
import { createFauxCore } from "@earendil-works/pi-ai/providers/faux"
import { assert, describe, it } from "@effect/vitest"
import * as Tracer from "effect/Tracer"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import { traceAgent } from "../../src/adapters/pi.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import { kindOf } from "../cases/trail.ts"
import * as OtelTrail from "../recorder/OtelTrail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import { call, calls, text, tool } from "./PiWorld.ts"

const world = () => {
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer })
  const agentOf = (responses: ReadonlyArray<FauxResponseStep>, options: Partial<AgentOptions> = {}) => {
    const faux = createFauxCore({})
    faux.setResponses([...responses])
    const initialState = { model: faux.getModel(), tools: [tool("read")], ...options.initialState }
    return new Agent({ streamFn: faux.streamSimple, ...options, initialState })
  }
  /** Everything that was begun has ended, nothing was refused and nothing is remembered. */
  const assertSound = () => {
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    assert.deepStrictEqual(recorder.counts().refused, {})
    assert.strictEqual(recorder.counts().open, 0)
  }
  return { agentOf, assertSound, recorder, spans: () => recording.trail().spans }
}

const ofKind = (spans: ReadonlyArray<SpanRecord>, kind: string) => spans.filter((span) => kindOf(span) === kind)

const user = (content: string) => ({ role: "user" as const, content, timestamp: 0 })

const round = (...ids: ReadonlyArray<string>) => calls(...ids.map((id) => call("read", { path: "x" }, { id })))

/** That each span of a call is in the trace, and links to the spans, of its own agent. */
const assertApart = (spans: ReadonlyArray<SpanRecord>) => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  for (const span of spans) {
    assert.notStrictEqual(span.attributes[Attribute.toolspanLinkAmbiguous], true, span.name)
    for (const { spanId } of span.links) {
      assert.strictEqual(
        byId.get(spanId)?.attributes[Attribute.genAiAgentName],
        span.attributes[Attribute.genAiAgentName],
        span.name
      )
    }
  }
}

describe("agents of one process", () => {
  for (const conversation of [undefined, "own"]) {
    it(`keep equal ids apart, with ${conversation ?? "no"} conversation`, async () => {
      const { agentOf, assertSound, recorder, spans } = world()
      const names = ["one", "other", "third"]
      await Promise.all(names.map(async (name) => {
        const agent = agentOf([round("call_0", "call_1"), round("call_0"), text("ok")])
        traceAgent(agent, { recorder, agent: name, conversation: conversation && `${conversation} ${name}` })
        await agent.prompt("go")
      }))
      assertApart(spans())
      for (const kind of ["tool_call", "execute_tool", "tool_result"]) {
        assert.lengthOf(ofKind(spans(), kind), 9, kind)
      }
      assert.lengthOf(
        spans().flatMap((span) => span.links).filter((link) =>
          link.attributes[Attribute.toolspanLinkType] === "consumes"
        ),
        9
      )
      assertSound()
    })
  }

  it("tell an agent that runs inside of another's tool below that tool", async () => {
    const sdk = OtelTrail.make()
    const recorder = Recorder.make({ tracer: sdk.tracer, api })
    const { agentOf } = world()
    const inner = agentOf([round("call_0"), text("inner")])
    traceAgent(inner, { recorder, agent: "inner" })
    const delegate = tool("delegate", async () => {
      await inner.prompt("go")
      return { content: [{ type: "text", text: "done" }], details: {} }
    })
    const outer = agentOf([calls(call("delegate", { path: "x" }, { id: "call_0" })), text("outer")], {
      initialState: { tools: [delegate] }
    })
    traceAgent(outer, { recorder, agent: "outer" })
    await outer.prompt("go")
    const { spans } = sdk.trail()
    assertApart(spans)
    const delegated = ofKind(spans, "execute_tool").find(({ name }) => name === "execute_tool delegate")!
    const below = spans.filter(({ parentSpanId }) => parentSpanId === delegated.spanId)
    assert.deepStrictEqual(below.map(kindOf), ["turn", "turn"])
    assert.deepStrictEqual(recorder.counts().refused, {})
    assert.strictEqual(recorder.counts().open, 0)
  })
})

describe("a pi agent that is told", () => {
  it("from the middle of a run on is told from the next run on", async () => {
    const { agentOf, assertSound, recorder, spans } = world()
    let agent: Agent | undefined
    const attach = tool("read", () => {
      if (agent !== undefined) traceAgent(agent, { recorder })
      return Promise.resolve({ content: [{ type: "text", text: "read" }], details: {} })
    })
    agent = agentOf([round("a"), round("b"), text("ok"), round("c"), text("ok")], { initialState: { tools: [attach] } })
    await agent.prompt("go")
    assert.strictEqual(recorder.counts().turns, 0)
    await agent.prompt("again")
    assert.deepStrictEqual(
      ofKind(spans(), "execute_tool").map((span) => span.attributes[Attribute.genAiToolCallId]),
      ["c"]
    )
    // What it did untold is a sound history all the same.
    assert.deepStrictEqual(spans().flatMap((span) => span.events), [])
    assertSound()
  })

  it("goes on after an abort", async () => {
    const { agentOf, assertSound, recorder, spans } = world()
    let agent: Agent | undefined
    const once = tool("read", (id, _, signal) => {
      if (id !== "a") return Promise.resolve({ content: [{ type: "text", text: "read" }], details: {} })
      agent?.abort()
      return Promise.reject(signal?.reason)
    })
    agent = agentOf([
      round("a", "b"),
      text("the answer that was aborted"),
      round("c"),
      text("ok")
    ], { initialState: { tools: [once] }, toolExecution: "sequential" })
    traceAgent(agent, { recorder })
    await agent.prompt("go")
    assert.strictEqual(agent.state.messages.at(-1)?.role, "assistant")
    agent.state.messages = agent.state.messages.slice(0, -1)
    await agent.continue()
    assert.deepStrictEqual(
      ofKind(spans(), "tool_result").map(({ attributes }) => [
        attributes[Attribute.genAiToolCallId],
        attributes[Attribute.toolspanOutcome]
      ]),
      [["a", "interrupted"], ["b", "not_started"], ["c", "success"]]
    )
    assert.deepStrictEqual(spans().flatMap((span) => span.events), [])
    assertSound()
  })

  it("takes steering and follow-ups as what they are: users' messages of the same conversation", async () => {
    const { agentOf, assertSound, recorder, spans } = world()
    const agent = agentOf([round("a"), text("first"), round("b"), text("second"), text("third")])
    traceAgent(agent, { recorder })
    agent.followUp(user("later"))
    agent.followUp(user("much later"))
    agent.subscribe((event) => {
      if (event.type === "tool_execution_end" && event.toolCallId === "a") agent.steer(user("the other way"))
    })
    await agent.prompt("go")
    assert.strictEqual(recorder.counts().turns, 5)
    assert.deepStrictEqual(ofKind(spans(), "chat").map((span) => span.links.length), [0, 1, 0, 1, 0])
    assert.deepStrictEqual(spans().flatMap((span) => span.events), [])
    assertSound()
  })

  it("grows by nothing, however many calls it makes", async () => {
    v8.setFlagsFromString("--expose-gc")
    const collect = vm.runInNewContext("gc") as () => void
    const used = () => {
      collect()
      return process.memoryUsage().heapUsed
    }
    const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })
    const recorder = Recorder.make({ tracer })
    const rounds = 20
    const ids = Array.from({ length: 100 }, (_, at) => `call_${at}`)
    const faux = createFauxCore({})
    const agent = new Agent({
      streamFn: faux.streamSimple,
      initialState: { model: faux.getModel(), tools: [tool("read")] }
    })
    traceAgent(agent, { recorder })
    const run = async (times: number) => {
      for (let at = 0; at < times; at++) {
        faux.setResponses([round(...ids), text("ok")])
        await agent.prompt("go")
        agent.reset()
      }
      return used()
    }
    const warm = await run(rounds)
    const after = await run(4 * rounds)
    assert.strictEqual(recorder.counts().executions, 5 * rounds * ids.length)
    assert.strictEqual(recorder.counts().open, 0)
    // 8,000 calls more: at a hundred bytes each they would be 0.8 MB.
    assert.isBelow(after - warm, 800_000)
  }, 60_000)
})
