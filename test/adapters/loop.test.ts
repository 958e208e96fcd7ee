/** The bare loops of pi: `runAgentLoop` and its kin, without an agent. */
import { agentLoop, agentLoopContinue, runAgentLoop, runAgentLoopContinue } from "@earendil-works/pi-agent-core"
import type { AgentContext, AgentLoopConfig, AgentMessage, AgentTool, StreamFn } from "@earendil-works/pi-agent-core"
import type { Message } from "@earendil-works/pi-ai"
import type { FauxResponseStep } from "@earendil-works/pi-ai/providers/faux"
import { createFauxCore, fauxAssistantMessage } from "@earendil-works/pi-ai/providers/faux"
import { assert, describe, it } from "@effect/vitest"
import type { ToldLoop } from "../../src/adapters/pi.ts"
import { traceLoop } from "../../src/adapters/pi.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import { kindOf } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import { scene, scenes } from "./PiScenes.ts"
import type { LoopKind } from "./PiWorld.ts"
import { call, calls, play, playLoop, text, tool } from "./PiWorld.ts"

const kinds: ReadonlyArray<LoopKind> = ["runAgentLoop", "agentLoop"]

/** What only an agent can do: its messages are changed between runs. */
const isLoops = (name: string) => scene(name).runs?.every((run) => typeof run === "string") ?? true

/** What was told of each call, without times, ids of spans and the texts that pi's agent adds to a conversation. */
const told = (spans: ReadonlyArray<SpanRecord>) =>
  spans.map((span) => [
    kindOf(span),
    span.name,
    span.attributes[Attribute.toolspanCallKey],
    span.attributes[Attribute.toolspanOutcome],
    span.attributes[Attribute.toolspanResultOrigin],
    span.attributes[Attribute.toolspanApprovalEvent],
    span.attributes[Attribute.toolspanApprovalState],
    span.attributes[Attribute.errorType],
    span.attributes[Attribute.toolspanViolationKinds],
    span.links.map((link) => link.attributes[Attribute.toolspanLinkType])
  ])

for (const kind of kinds) {
  describe(kind, () => {
    for (const name of Object.keys(scenes).filter(isLoops)) {
      it(`does the same with the telling on and off, and tells what an agent does: ${name}`, async () => {
        const loop = await playLoop(scene(name), kind)
        const bare = await playLoop(scene(name), kind, false)
        assert.deepStrictEqual(loop.host, bare.host)
        assert.deepStrictEqual(loop.faults(), [])
        assert.deepStrictEqual(loop.counts.refused, {})
        const agent = await play(scene(name))
        assert.deepStrictEqual(told(loop.spans), told(agent.spans))
      })
    }
  })
}

const prompt = { role: "user" as const, content: "go", timestamp: 0 }

/** One recorder, and loops of which each has its own provider. */
const world = (responses: ReadonlyArray<FauxResponseStep>, more: Partial<AgentLoopConfig> = {}) => {
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer })
  const loop = (given: ReadonlyArray<FauxResponseStep> = responses) => {
    const faux = createFauxCore({})
    faux.setResponses([...given])
    const config: AgentLoopConfig = {
      model: faux.getModel(),
      convertToLlm: (messages) => messages as Array<Message>,
      ...more
    }
    return { config, streamFn: faux.streamSimple as StreamFn, emit: () => {} }
  }
  const context: AgentContext = { messages: [], tools: [tool("read")] }
  return { context, loop, recorder, recording }
}

const round = () => calls(call("read", { path: "x" }, { id: "a" }))

const failed = (spans: ReadonlyArray<SpanRecord>) =>
  spans.filter((span) => kindOf(span) === "turn").map((span) => span.attributes[Attribute.errorType])

describe("traceLoop", () => {
  it("goes on with what failed, and a result is used once", async () => {
    const { context, loop, recorder, recording } = world([
      round(),
      fauxAssistantMessage("", { stopReason: "error", errorMessage: "overloaded" })
    ])
    const messages = await traceLoop(
      loop(),
      { recorder },
      ({ config, emit, streamFn }) => runAgentLoop([prompt], context, config, emit, undefined, streamFn)
    )
    const left: AgentContext = { ...context, messages: messages.slice(0, -1) }
    await traceLoop(
      loop([text("ok")]),
      { recorder },
      ({ config, emit, streamFn }) => runAgentLoopContinue(left, config, emit, undefined, streamFn)
    )
    const { spans } = recording.trail()
    const chats = spans.filter((span) => kindOf(span) === "chat")
    assert.deepStrictEqual(chats.map((chat) => chat.links.length), [0, 1, 0])
    assert.deepStrictEqual(failed(spans), [undefined, "ProviderError", undefined])
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    assert.deepStrictEqual(recorder.counts().refused, {})
  })

  it("keeps runs at one time apart that have the same ids", async () => {
    const { context, loop, recorder, recording } = world([round(), text("ok")])
    await Promise.all(
      ["one", "other"].map((conversation) =>
        traceLoop(
          loop(),
          { recorder, conversation },
          ({ config, emit, streamFn }) => runAgentLoop([prompt], { ...context }, config, emit, undefined, streamFn)
        )
      )
    )
    const { spans } = recording.trail()
    const told = (conversation: string) =>
      spans.filter((span) => span.attributes[Attribute.genAiConversationId] === conversation)
        .map((span) => kindOf(span)).sort()
    assert.deepStrictEqual(told("one"), ["chat", "chat", "execute_tool", "tool_call", "tool_result", "turn", "turn"])
    assert.deepStrictEqual(told("other"), told("one"))
    assert.isFalse(spans.some((span) => span.attributes[Attribute.toolspanLinkAmbiguous] === true))
    assert.deepStrictEqual(recorder.counts().refused, {})
    assert.strictEqual(recorder.counts().open, 0)
  })

  it("runs the tools that the app adds while the loop runs, as it did", async () => {
    const load = (context: AgentContext, more: AgentTool) =>
      tool("load", () => {
        context.tools?.push(more)
        return Promise.resolve({ content: [{ type: "text", text: "loaded" }], details: {} })
      })
    const ran = async (traced: boolean) => {
      const { loop, recorder, recording } = world([
        calls(call("load", { path: "x" }, { id: "a" }), call("late", { path: "x" }, { id: "b" })),
        calls(call("late", { path: "x" }, { id: "c" })),
        text("ok")
      ], { toolExecution: "sequential" })
      const context: AgentContext = { messages: [], tools: [] }
      context.tools?.push(load(context, tool("late")))
      const run = ({ config, emit, streamFn }: ToldLoop) =>
        runAgentLoop([prompt], context, config, emit, undefined, streamFn)
      const messages = await (traced ? traceLoop(loop(), { recorder }, run) : run(loop()))
      assert.deepStrictEqual(recorder.counts().refused, {})
      const runs = recording.trail().spans.filter((span) => kindOf(span) === "execute_tool")
      return {
        results: messages.flatMap((message) =>
          message.role === "toolResult" ? [`${message.toolCallId} ${message.isError}`] : []
        ),
        names: context.tools?.map(({ name }) => name),
        told: runs.map((span) => [
          span.attributes[Attribute.genAiToolCallId],
          span.attributes[Attribute.toolspanOutcome]
        ])
      }
    }
    const told = await ran(true)
    const bare = await ran(false)
    assert.deepStrictEqual(bare.results, ["a false", "b false", "c false"])
    assert.deepStrictEqual({ ...told, told: [] }, bare)
    assert.deepStrictEqual(told.told, [["a", "success"], ["b", "success"], ["c", "success"]])
  })

  it("fails as the loop fails, and ends what is open", async () => {
    const broken = new Error("the app's own")
    const fail = () => {
      throw broken
    }
    for (
      const [more, kinds] of [
        [{ finishTurn: fail }, ["RunError"]],
        [{ prepareNextTurn: fail }, [undefined]],
        [{ convertToLlm: fail }, []]
      ] as const
    ) {
      const { context, loop, recorder, recording } = world([round(), text("ok")], more)
      const run = traceLoop(
        loop(),
        { recorder },
        ({ config, emit, streamFn }) => runAgentLoop([prompt], context, config, emit, undefined, streamFn)
      )
      assert.strictEqual(await run.then(() => undefined, (error: unknown) => error), broken)
      assert.deepStrictEqual(failed(recording.trail().spans), [...kinds])
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    }
    const { context, loop, recorder, recording } = world([])
    const rejecting: StreamFn = () => Promise.reject(broken)
    const run = traceLoop(
      { ...loop(), streamFn: rejecting },
      { recorder },
      ({ config, emit, streamFn }) => runAgentLoop([prompt], context, config, emit, undefined, streamFn)
    )
    assert.strictEqual(await run.then(() => undefined, (error: unknown) => error), broken)
    assert.deepStrictEqual(failed(recording.trail().spans), ["ProviderError"])
    assert.deepStrictEqual(recording.open(), [])
    assert.throws(
      () =>
        traceLoop(
          loop(),
          { recorder },
          ({ config, streamFn }) => agentLoopContinue(context, config, undefined, streamFn)
        ),
      "Cannot continue: no messages in context"
    )
  })

  it("ends a turn whose stream function fails, though nobody hears of the loop any more", async () => {
    const broken = new Error("the app's own")
    const failing: ReadonlyArray<StreamFn> = [
      () => Promise.reject(broken),
      () => {
        throw broken
      }
    ]
    for (const streamFn of failing) {
      const { context, loop, recorder, recording } = world([])
      let over: Promise<unknown> | undefined
      const begin = (told: ToldLoop): void => {
        over = runAgentLoop([prompt], context, told.config, told.emit, undefined, told.streamFn).catch((error) => error)
      }
      void traceLoop({ ...loop(), streamFn }, { recorder }, begin as never)
      assert.strictEqual(await over, broken)
      assert.deepStrictEqual(failed(recording.trail().spans), ["ProviderError"])
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    }
  })

  it("gives the loop's own stream back, which ends as it did", async () => {
    const { context, loop, recorder, recording } = world([round(), text("ok")])
    let own: unknown
    const stream = traceLoop(loop(), { recorder, agent: "reader" }, ({ config, streamFn }) => {
      const begun = agentLoop([prompt], context, config, undefined, streamFn)
      own = begun
      return begun
    })
    assert.strictEqual(stream, own)
    const messages: ReadonlyArray<AgentMessage> = await stream.result()
    assert.deepStrictEqual(messages.map(({ role }) => role), ["system", "user", "assistant", "toolResult", "assistant"])
    const { spans } = recording.trail()
    assert.isTrue(
      spans.filter((span) => kindOf(span) === "execute_tool").every((span) =>
        span.attributes[Attribute.genAiAgentName] === "reader"
      )
    )
    assert.deepStrictEqual(recording.open(), [])
    assert.strictEqual(recorder.counts().executions, 1)
    // What is no run is none of ours.
    assert.isUndefined(traceLoop(loop(), { recorder }, (() => undefined) as never))
  })
})
