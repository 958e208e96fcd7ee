import { Agent } from "@earendil-works/pi-agent-core"
import { createFauxCore } from "@earendil-works/pi-ai/providers/faux"
import { assert, describe, it } from "@effect/vitest"
import { traceAgent } from "../../src/adapters/pi.ts"
import { inspect } from "node:util"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import { kindOf } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import { scene, scenes } from "./PiScenes.ts"
import type { Scene } from "./PiWorld.ts"
import { call, calls, play, text, tool } from "./PiWorld.ts"

const link = (span: SpanRecord, type: string) =>
  span.links.filter((each) => each.attributes[Attribute.toolspanLinkType] === type).map((each) => each.spanId)

const tell = (spans: ReadonlyArray<SpanRecord>, kind: string, ...keys: ReadonlyArray<string>) =>
  spans.filter((span) => kindOf(span) === kind).map((span) =>
    [span.attributes[Attribute.genAiToolCallId], ...keys.map((key) => span.attributes[key])].join(" ")
  ).sort()

const results = (spans: ReadonlyArray<SpanRecord>) =>
  tell(spans, "tool_result", Attribute.toolspanOutcome, Attribute.toolspanResultOrigin)

const executions = (spans: ReadonlyArray<SpanRecord>) => tell(spans, "execute_tool", Attribute.toolspanOutcome)

const kinds = (spans: ReadonlyArray<SpanRecord>) =>
  spans.flatMap((span) => span.attributes[Attribute.toolspanViolationKinds] ?? [])

describe("a pi agent", () => {
  for (const name of Object.keys(scenes)) {
    it(`does the same with the telling on and off, and every span is sound: ${name}`, async () => {
      const told = await play(scene(name))
      const bare = await play(scene(name), false)
      assert.deepStrictEqual(told.host, bare.host)
      assert.deepStrictEqual(told.faults(), [])
      assert.deepStrictEqual(told.counts.refused, {})
      assert.notInclude(JSON.stringify(told.spans), "CANARY")
    })
  }

  it("tells parallel calls with the next request that uses them", async () => {
    const { spans } = await play(scene("parallel calls that wait for each other"))
    assert.deepStrictEqual(executions(spans), ["a success", "b success", "c success"])
    assert.deepStrictEqual(results(spans), ["a success handler", "b success handler", "c success handler"])
    const chats = spans.filter((span) => kindOf(span) === "chat")
    const told = spans.filter((span) => kindOf(span) === "tool_result").map((span) => span.spanId)
    assert.deepStrictEqual(chats.map((chat) => link(chat, "consumes").length), [0, 3])
    assert.sameMembers([...link(chats[1]!, "consumes")], told)
    const decisions = spans.filter((span) => kindOf(span) === "tool_call")
    for (const decision of decisions) {
      assert.isAbove(decision.attributes[Attribute.toolspanCallParamsDeltas] as number, 0)
    }
  })

  it("tells failures by their kind, and preliminary results", async () => {
    const { spans } = await play(
      scene("a tool that throws, one that reports a failure, one that reports progress")
    )
    assert.deepStrictEqual(
      tell(spans, "execute_tool", Attribute.toolspanOutcome, Attribute.errorType, Attribute.toolspanPreliminaryCount),
      ["a failure TypeError ", "b failure ToolError ", "c success  2"]
    )
    assert.deepStrictEqual(results(spans), ["a failure handler", "b failure handler", "c success handler"])
  })

  it("tells blocked calls as denials, and the hook of some tools as an approval", async () => {
    const { spans } = await play(scene("a blocked call, an approved one and a hook that throws"))
    assert.deepStrictEqual(executions(spans), ["b success"])
    assert.deepStrictEqual(results(spans), [
      "a denied denial",
      "b success handler",
      "c denied denial",
      "d not_started synthesized"
    ])
    assert.deepStrictEqual(
      tell(spans, "tool_approval", Attribute.toolspanApprovalEvent, Attribute.toolspanApprovalState),
      [
        "a requested pending",
        "a resolved denied",
        "b requested pending",
        "b resolved approved",
        "c requested pending",
        "c resolved denied"
      ]
    )
    const execution = spans.find((span) => kindOf(span) === "execute_tool")!
    assert.lengthOf(link(execution, "approved_by"), 1)
  })

  it("tells calls that no tool could run", async () => {
    const { spans } = await play(scene("an invented tool, arguments that do not fit, arguments that are no JSON"))
    assert.deepStrictEqual(executions(spans), ["a unknown_tool", "b invalid_parameters", "c invalid_parameters"])
    assert.deepStrictEqual(kinds(spans), ["argument_parse_error", "unknown_tool"])
    assert.isTrue(spans.some((span) => span.name === "execute_tool _unknown"))
    const cut = await play(scene("an answer that was cut by its length"))
    assert.deepStrictEqual(executions(cut.spans), [])
    assert.deepStrictEqual(results(cut.spans), ["a not_started synthesized"])
  })

  it("tells aborts of tools and of answers", async () => {
    const { spans } = await play(scene("an abort while a tool runs and another waits"))
    assert.deepStrictEqual(executions(spans), ["a interrupted"])
    assert.deepStrictEqual(results(spans), ["a interrupted handler", "b not_started synthesized"])
    const answer = await play(scene("an abort in the middle of an answer"))
    assert.deepStrictEqual(executions(answer.spans), [])
    const decision = answer.spans.find((span) => kindOf(span) === "tool_call")
    assert.isTrue(decision?.attributes[Attribute.toolspanCallIncomplete])
    assert.isFalse(decision?.status.error)
  })

  it("remembers no call of an answer that broke off: pi sends none again", async () => {
    const { counts, spans } = await play(scene("answers that break off behind a whole call"))
    const decisions = spans.filter((span) => kindOf(span) === "tool_call")
    assert.deepStrictEqual(decisions.map((span) => span.attributes[Attribute.toolspanCallIncomplete]), [
      undefined,
      undefined,
      undefined
    ])
    assert.deepStrictEqual(executions(spans), ["a success"])
    assert.strictEqual(counts.open, 0)
  })

  it("tells a turn after whose answer the run failed", async () => {
    const failing = (): Scene => ({
      ...scene("a compaction that keeps a result without its call"),
      runs: ["go"],
      options: {
        finishTurn: () => {
          throw new Error("CANARY")
        }
      }
    })
    const told = await play(failing())
    const bare = await play(failing(), false)
    assert.deepStrictEqual(told.host, bare.host)
    assert.deepStrictEqual(told.faults(), [])
    assert.notInclude(JSON.stringify(told.spans), "CANARY")
    const turns = told.spans.filter((span) => kindOf(span) === "turn")
    assert.deepStrictEqual(turns.map((span) => span.attributes[Attribute.errorType]), ["RunError"])
  })

  it("counts a result as used once, though its request failed and was sent again", async () => {
    const { spans } = await play(scene("a provider that fails, and a second try"))
    const chats = spans.filter((span) => kindOf(span) === "chat")
    assert.deepStrictEqual(chats.map((chat) => link(chat, "consumes").length), [0, 1, 0])
    assert.strictEqual(chats[1]!.attributes[Attribute.errorType], "ProviderError")
  })

  it("follows steering, and what the hook after a call makes of it", async () => {
    const { spans } = await play(scene("steering between turns, and a result that a hook changes"))
    assert.deepStrictEqual(executions(spans), ["a success", "b success"])
    assert.deepStrictEqual(results(spans), ["a failure handler", "b success handler"])
    assert.deepStrictEqual(kinds(spans), [])
  })

  it("tells each run once, however often an app copies and patches its tools", async () => {
    const { spans } = await play(scene("a hook that copies, renames and patches the tools of each request"))
    assert.deepStrictEqual(executions(spans), ["a", "b", "c", "d", "e", "f"].map((id) => `${id} success`))
  })

  it("guesses nothing of a call that a hook blocks which was set behind it", async () => {
    for (const chained of [false, true]) {
      const { counts, spans } = await play({
        responses: [
          calls(
            call("read", { path: "x" }, { id: "a" }),
            call("read", { path: "y" }, { id: "b" }),
            call("look", { path: "y" }, { id: "c" }),
            { ...call("read", {}, { id: "d" }), argumentsError: "not JSON" }
          ),
          text("ok")
        ],
        tools: [tool("read")],
        runs: [(agent) => {
          const { beforeToolCall } = agent
          agent.beforeToolCall = (context, signal) =>
            context.toolCall.id === "a"
              ? Promise.resolve({ block: true, reason: "no" })
              : chained
              ? beforeToolCall!(context, signal)
              : Promise.resolve(undefined)
          return agent.prompt("go")
        }]
      })
      assert.deepStrictEqual(executions(spans), ["b success", "c unknown_tool", "d invalid_parameters"])
      assert.deepStrictEqual(results(spans), [
        "a not_started synthesized",
        "b success handler",
        "c unknown_tool handler",
        "d invalid_parameters handler"
      ])
      assert.deepStrictEqual(counts.refused, {})
    }
  })

  it("tells the tools of a request that the app prepares around ours", async () => {
    const { counts, spans } = await play({
      responses: [calls(call("read", { path: "x" }, { id: "a" })), text("ok")],
      tools: [tool("read")],
      runs: [(agent) => {
        const { prepareRequest } = agent
        agent.prepareRequest = async (request, signal) => {
          const context = Object.freeze({ ...request.context, tools: agent.state.tools.slice() })
          const update = await prepareRequest?.({ ...request, context }, signal) ?? undefined
          return { ...update, context: update?.context ?? context }
        }
        return agent.prompt("go")
      }]
    })
    assert.deepStrictEqual(executions(spans), ["a success"])
    assert.deepStrictEqual(results(spans), ["a success handler"])
    assert.deepStrictEqual(counts.refused, {})
  })

  it("shows hooks the app's own tools, in a log too", async () => {
    let seen = ""
    const read = tool("read")
    await play({
      responses: [calls(call("read", { path: "x" }, { id: "a" })), text("ok")],
      tools: [read],
      options: {
        beforeToolCall: ({ context }) => {
          const [given] = context.tools ?? []
          seen = inspect(given, { depth: 0 })
          assert.deepStrictEqual({ ...given, execute: read.execute }, { ...read })
          return Promise.resolve(undefined)
        }
      }
    })
    assert.strictEqual(seen, inspect(read, { depth: 0 }))
  })

  it("leaves alone what a tool asks the model", async () => {
    const { counts, spans } = await play(scene("a tool that asks the model by the agent's own function"))
    assert.strictEqual(counts.turns, 2)
    assert.deepStrictEqual(executions(spans), ["a success"])
    assert.deepStrictEqual(results(spans), ["a success handler"])
  })

  it("finds the orphan that a compaction leaves, under the call's own id", async () => {
    const { spans } = await play(scene("a compaction that keeps a result without its call"))
    assert.deepStrictEqual(kinds(spans), ["orphan_result"])
    const decision = spans.find((span) => kindOf(span) === "tool_call")!
    assert.strictEqual(decision.attributes[Attribute.genAiToolCallId], "call_1")
    assert.strictEqual(decision.attributes[Attribute.toolspanCallWireItemId], "fc_1")
    // Its result is known by the message itself and not told again.
    assert.lengthOf(results(spans), 1)
  })

  it("keeps two calls of one id apart", async () => {
    const { spans } = await play(scene("the same id twice in one message"))
    assert.deepStrictEqual(tell(spans, "execute_tool", Attribute.toolspanCallKey), ["a a", "a a#2"])
    assert.deepStrictEqual(tell(spans, "tool_result", Attribute.toolspanCallKey), ["a a", "a a#2"])
    assert.deepStrictEqual(kinds(spans), ["duplicate_id", "duplicate_id"])
  })

  it("is told once, stops when it is told to, and leaves the agent as it was", async () => {
    const faux = createFauxCore({})
    faux.setResponses([calls(call("read", { path: "x" }, { id: "a" })), text("ok"), text("more")])
    const recording = RecordingTracer.make()
    const recorder = Recorder.make({ tracer: recording.tracer })
    const hook = () => Promise.resolve(undefined)
    const agent = new Agent({
      streamFn: faux.streamSimple,
      beforeToolCall: hook,
      initialState: { model: faux.getModel(), tools: [tool("read")] }
    })
    const stop = traceAgent(agent, { recorder })
    const second = traceAgent(agent, { recorder })
    await agent.prompt("go")
    second()
    stop()
    assert.strictEqual(recorder.counts().turns, 2)
    assert.strictEqual(recorder.counts().executions, 1)
    assert.strictEqual(agent.streamFunction, faux.streamSimple)
    assert.strictEqual(agent.beforeToolCall, hook)
    assert.isUndefined(agent.prepareRequest)
    await agent.prompt("and?")
    assert.strictEqual(recorder.counts().turns, 2)
    assert.deepStrictEqual(recording.open(), [])
  })

  it("tells nothing any more once it is stopped, in the middle of a run or under a function of the app", async () => {
    const faux = createFauxCore({})
    const round = () => calls(call("read", { path: "x" }, { id: "a" }))
    faux.setResponses([round(), text("ok"), round(), text("more")])
    const recording = RecordingTracer.make()
    const recorder = Recorder.make({ tracer: recording.tracer })
    let stop = () => {}
    const read = tool("read", () => {
      stop()
      return Promise.resolve({ content: [{ type: "text", text: "read" }], details: {} })
    })
    const agent = new Agent({ streamFn: faux.streamSimple, initialState: { model: faux.getModel(), tools: [read] } })
    stop = traceAgent(agent, { recorder })
    const ours = agent.streamFunction
    agent.streamFunction = (...given) => ours(...given)
    await agent.prompt("go")
    assert.strictEqual(recorder.counts().turns, 1)
    assert.deepStrictEqual(recording.open(), [])
    stop = () => {}
    const again = traceAgent(agent, { recorder })
    await agent.prompt("and?")
    again()
    assert.strictEqual(recorder.counts().turns, 3)
    assert.strictEqual(recorder.counts().executions, 2)
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
  })

  it("writes content where it is asked for", async () => {
    const { spans } = await play({
      ...scene("a tool that throws, one that reports a failure, one that reports progress"),
      settings: { content: "all" }
    })
    assert.include(JSON.stringify(spans), "nearly")
    assert.include(JSON.stringify(spans), "CANARY")
  })

  it("does the same where nothing is told, and writes nothing", async () => {
    for (
      const name of [
        "parallel calls that wait for each other",
        "a blocked call, an approved one and a hook that throws"
      ]
    ) {
      const off = await play({ ...scene(name), settings: { enabled: false } })
      assert.deepStrictEqual(off.host, (await play(scene(name), false)).host)
      assert.deepStrictEqual(off.spans, [])
      assert.deepStrictEqual(off.counts.refused, {})
    }
  })

  it("tells 5,000 calls and remembers none of them", async () => {
    const rounds = 50
    const { counts, spans } = await play({
      responses: [
        ...Array.from(
          { length: rounds },
          (_, round) =>
            calls(...Array.from({ length: 100 }, (__, at) => call("read", { path: "x" }, { id: `c${round}-${at}` })))
        ),
        text("ok")
      ],
      tools: [tool("read")],
      settings: { maxOpenCalls: 200 }
    })
    for (const kind of ["tool_call", "execute_tool", "tool_result"]) {
      assert.lengthOf(spans.filter((span) => kindOf(span) === kind), 5000, kind)
    }
    assert.lengthOf(spans, 3 * 5000 + 2 * (rounds + 1))
    assert.deepStrictEqual(counts.refused, {})
    assert.strictEqual(counts.evicted, 0)
    assert.strictEqual(counts.open, 0)
  }, 60_000)

  it("tells 5,000 calls of one message, of one id or of many", async () => {
    for (const id of [(at: number) => `c${at}`, () => "a"]) {
      const { counts, spans } = await play({
        responses: [
          calls(...Array.from({ length: 5000 }, (_, at) => call("read", { path: "x" }, { id: id(at) }))),
          text("ok")
        ],
        tools: [tool("read")]
      })
      assert.lengthOf(spans.filter((span) => kindOf(span) === "tool_result"), 5000)
      assert.deepStrictEqual(executions(spans).filter((line) => !line.endsWith(" success")), [])
      assert.lengthOf(executions(spans), 5000)
      assert.deepStrictEqual(counts.refused, {})
      assert.strictEqual(counts.open, 0)
    }
  }, 60_000)
})
