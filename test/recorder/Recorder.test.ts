import * as api from "@opentelemetry/api"
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { fromAnthropic } from "../../src/pairing/AnthropicMessages.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as MetricName from "../../src/semconv/metric.ts"
import { checkAlways } from "../cases/check/always.ts"
import type { SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import * as OtelTrail from "./OtelTrail.ts"

const tools = [{ name: "send_email", description: "Sends." }, { name: "lookup", parameters: ["key"] }, {
  name: "web_search"
}]

const make = (settings: Recorder.RecorderSettings = {}) => {
  let time = 1_700_000_000_000_000_000n
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1_000_000n, ...settings })
  const spans = () => recording.trail().spans
  const named = (name: string) => spans().filter((span) => span.name === name)
  const only = (name: string): SpanRecord => {
    assert.lengthOf(named(name), 1, name)
    return named(name)[0]!
  }
  const faults = (requests: number, pending = 0) => [
    ...recording.complaints,
    ...recording.open(),
    ...checkAlways(recording.trail(), {
      usage: Array.from({ length: requests }, () => false),
      failed: true,
      openCalls: recorder.counts().open,
      internalErrors: recorder.counts().refused.internal_error ?? 0,
      pending
    })
  ]
  const kinds = (span: SpanRecord) => span.attributes[Attribute.toolspanViolationKinds] ?? []
  return { recorder, recording, spans, named, only, faults, kinds }
}

const link = (span: SpanRecord, type: string) =>
  span.links.filter((each) => each.attributes[Attribute.toolspanLinkType] === type).map((each) => each.spanId)

const call = (value: Recorder.RecordedCall | Recorder.Refusal): Recorder.RecordedCall => {
  assert(!Recorder.isRefusal(value))
  return value
}

const running = (value: Recorder.Execution | Recorder.Refusal): Recorder.Execution => {
  assert(!Recorder.isRefusal(value))
  return value
}

const reason = (value: unknown) => Recorder.isRefusal(value) ? value.reason : undefined

describe("a recorder", () => {
  it("tells an approved call over two turns, each stage linked to the one before", () => {
    const { faults, named, only, recorder } = make()
    const first = recorder.turn({ tools })
    first.requested({ model: "m" })
    const email = call(first.decided({ id: "c1", name: "send_email", arguments: { to: "ada" } }))
    first.responded()
    assert.isUndefined(first.approvalRequested(email, { approvalId: "ap1" }))
    first.end()
    const second = recorder.turn({ tools })
    assert.isUndefined(second.approvalResolved("c1", { approvalId: "ap1", answer: "approved" }))
    const run = running(second.started("c1", { arguments: { to: "ada" } }))
    assert.isUndefined(run.progressed({ at: 1 }))
    assert.isUndefined(run.ended({ result: "sent" }))
    assert.isUndefined(second.result("c1"))
    second.requested({ model: "m" })
    assert.isUndefined(second.consumed("c1"))
    second.responded()
    second.end()

    const decision = only("tool_call send_email")
    const [asked, answered] = named("tool_approval send_email")
    const execution = only("execute_tool send_email")
    const result = only("tool_result send_email")
    assert.strictEqual(decision.attributes[Attribute.toolspanApprovalState], "pending")
    assert.deepStrictEqual(link(asked!, "decided_by"), [decision.spanId])
    assert.deepStrictEqual(link(answered!, "answers"), [asked!.spanId])
    assert.isAbove(answered!.attributes[Attribute.toolspanApprovalWait] as number, 0)
    assert.deepStrictEqual(link(execution, "decided_by"), [decision.spanId])
    assert.deepStrictEqual(link(execution, "approved_by"), [answered!.spanId])
    assert.strictEqual(execution.attributes[Attribute.genAiToolDescription], "Sends.")
    assert.strictEqual(execution.attributes[Attribute.toolspanPreliminaryCount], 1)
    assert.deepStrictEqual(link(result, "result_of"), [execution.spanId])
    assert.strictEqual(result.attributes[Attribute.toolspanResultOrigin], "handler")
    assert.deepStrictEqual(link(named("chat m")[1]!, "consumes"), [result.spanId])
    assert.deepStrictEqual(faults(2), [])
    assert.deepStrictEqual(recorder.counts().refused, {})
    assert.strictEqual(recorder.counts().open, 0)
  })

  it("tells a denial, a failure, an interrupt, an invented tool and a call of the provider", () => {
    const { faults, only, recorder, kinds } = make()
    const turn = recorder.turn({ tools })
    turn.requested({ model: "m" })
    const denied = call(turn.decided({ id: "c1", name: "send_email" }))
    const failed = call(turn.decided({ id: "c2", name: "lookup", arguments: { key: "a", more: 1 } }))
    const invented = call(turn.decided({ id: "c3", name: "make_coffee" }))
    const searched = call(turn.decided({ id: "c4", name: "web_search", providerExecuted: true }))
    turn.result(searched)
    turn.responded()
    turn.approvalRequested(denied)
    turn.approvalResolved(denied, { answer: "denied", reason: "no" })
    turn.result(denied)
    const run = running(turn.started(failed))
    run.ended({ error: new TypeError("secret") })
    turn.result(failed)
    turn.result(invented, { outcome: "unknown_tool" })
    turn.end()
    assert.strictEqual(only("tool_result send_email").attributes[Attribute.toolspanOutcome], "denied")
    assert.strictEqual(only("tool_result send_email").attributes[Attribute.toolspanResultOrigin], "denial")
    const execution = only("execute_tool lookup")
    assert.strictEqual(execution.attributes[Attribute.errorType], "TypeError")
    assert.strictEqual(execution.attributes[Attribute.toolspanFailureMode], "return")
    assert.strictEqual(execution.attributes[Attribute.toolspanCallDroppedArguments], 1)
    assert.isTrue(execution.status.error)
    assert.isTrue(only("tool_result lookup").status.error)
    assert.strictEqual(only("tool_call _unknown").status.error, true)
    assert.deepStrictEqual(kinds(only("chat m")), ["dropped_argument", "unknown_tool"])
    assert.deepStrictEqual(faults(1), [])
  })

  it("refuses unknown ids and wrong orders with a reason, and counts them", () => {
    const { recorder, faults } = make()
    const turn = recorder.turn({ tools })
    assert.strictEqual(reason(turn.responded()), "no_request")
    assert.isUndefined(turn.requested())
    assert.strictEqual(reason(turn.requested()), "request_open")
    assert.strictEqual(reason(turn.started("nobody")), "unknown_call")
    assert.strictEqual(reason(turn.result({ _tag: "RecordedCall", key: "k", id: "k" })), "unknown_call")
    const one = call(turn.decided({ id: "c1", name: "lookup" }))
    assert.strictEqual(reason(turn.consumed(one)), "unknown_result")
    assert.strictEqual(reason(turn.approvalResolved(one, { answer: "approved" })), "unknown_approval")
    assert.isUndefined(turn.approvalRequested(one, { approvalId: "ap" }))
    assert.strictEqual(reason(turn.approvalRequested(one, { approvalId: "ap" })), "already_requested")
    const run = running(turn.started(one))
    assert.strictEqual(reason(turn.result(one)), "execution_running")
    assert.isUndefined(run.ended())
    assert.strictEqual(reason(run.ended()), "execution_already_ended")
    assert.strictEqual(reason(run.progressed()), "execution_already_ended")
    assert.isUndefined(turn.result(one))
    assert.isUndefined(turn.consumed(one))
    assert.strictEqual(reason(turn.consumed(one)), "result_already_consumed")
    assert.isUndefined(turn.end())
    assert.strictEqual(reason(turn.end()), "turn_ended")
    assert.strictEqual(reason(turn.decided({ id: "c2", name: "lookup" })), "turn_ended")
    assert.deepStrictEqual(recorder.counts().refused, {
      no_request: 1,
      request_open: 1,
      unknown_call: 2,
      unknown_result: 1,
      unknown_approval: 1,
      already_requested: 1,
      execution_running: 1,
      execution_already_ended: 2,
      result_already_consumed: 1,
      turn_ended: 2
    })
    // Its approval was never answered.
    assert.deepStrictEqual(faults(1, 1), [])
  })

  it("does not guess which of two conversations an id means, unless one is named", () => {
    const { recorder } = make()
    const decide = (conversation?: string) => {
      const turn = recorder.turn({ tools, conversation })
      turn.decided({ id: "call_0", name: "lookup" })
      turn.end()
    }
    decide("a")
    decide("b")
    assert.strictEqual(reason(recorder.turn({ tools }).started("call_0")), "ambiguous_call")
    assert.isFalse(Recorder.isRefusal(recorder.turn({ tools, conversation: "b" }).started("call_0")))
  })

  it("tells faults of approvals and runs on the turn, as the contract has them", () => {
    const { faults, kinds, named, recorder } = make()
    const turn = recorder.turn({ tools })
    const one = call(turn.decided({ id: "c1", name: "send_email", arguments: { to: "ada" } }))
    turn.approvalRequested(one, { approvalId: "ap" })
    turn.approvalResolved(one, { approvalId: "ap", answer: "approved" })
    turn.approvalResolved(one, { approvalId: "ap", answer: "approved" })
    running(turn.started(one, { arguments: { to: "eve" } })).ended()
    running(turn.started(one)).ended()
    const two = call(turn.decided({ id: "c2", name: "send_email" }))
    turn.approvalRequested(two, { approvalId: "ap2" })
    turn.approvalResolved(two, { approvalId: "ap2", answer: "approved" })
    turn.approvalResolved(two, { approvalId: "ap2", answer: "denied" })
    turn.approvalResolved(two, { approvalId: "ap?", answer: "denied" })
    turn.end()
    assert.deepStrictEqual(kinds(named("LanguageModel.streamText")[0]!), [
      "approval_mismatch",
      "contradictory_approval",
      "duplicate_approval",
      "duplicate_execution",
      "unmatched_approval"
    ])
    assert.deepStrictEqual(faults(1), [])
  })

  it("reads a history: consumes new results once, tells faults, abandoned approvals and results of others", () => {
    const { faults, kinds, named, only, recorder } = make()
    const use = (id: string, name = "lookup") => ({ type: "tool_use", id, name, input: { key: id } })
    const answer = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "v" })
    const ask = { role: "user", content: "go" }
    const calls = { role: "assistant", content: [use("c1"), use("c2", "send_email")] }
    const results = { role: "user", content: [answer("c1"), answer("ghost")] }

    const first = recorder.turn({ tools })
    first.requested({ model: "m", history: fromAnthropic([ask]) })
    first.decided({ id: "c1", name: "lookup", arguments: { key: "c1" }, source: calls.content[0]! })
    const email = call(first.decided({ id: "c2", name: "send_email", arguments: { key: "c2" } }))
    first.responded()
    first.approvalRequested(email)
    running(first.started("c1")).ended({ result: "v" })
    first.result("c1")
    first.end()

    const second = recorder.turn({ tools })
    second.requested({ model: "m", history: fromAnthropic([ask, calls, results, ask]) })
    second.responded({ error: new Error("overloaded") })
    second.requested({ model: "m", history: fromAnthropic([ask, calls, results, ask]) })
    second.responded()
    second.end()

    const [, sent, retried] = named("chat m")
    const told = only("tool_result lookup")
    const ghost = only("tool_result _unknown")
    assert.strictEqual(ghost.attributes[Attribute.toolspanResultOrigin], "prompt")
    assert.deepStrictEqual(link(sent!, "consumes"), [told.spanId, ghost.spanId])
    assert.deepStrictEqual(link(retried!, "consumes"), [])
    assert.deepStrictEqual(kinds(sent!), ["orphan_result", "unanswered_call"])
    const abandoned = named("tool_approval send_email").find((span) =>
      span.attributes[Attribute.toolspanApprovalEvent] === "abandoned"
    )
    assert.strictEqual(abandoned?.attributes[Attribute.toolspanApprovalState], "abandoned")
    assert.deepStrictEqual(kinds(named("LanguageModel.streamText")[1]!), ["abandoned_approval"])
    assert.deepStrictEqual(faults(3), [])
  })

  it("numbers equal ids of one response and links neither to the other's run", () => {
    const { faults, kinds, named, only, recorder } = make()
    const turn = recorder.turn({ tools })
    turn.requested({ model: "m" })
    const keys = [1, 2].map((at) => call(turn.decided({ id: "c", name: "lookup", arguments: { key: at } })).key)
    assert.deepStrictEqual(keys, ["c", "c#2"])
    running(turn.started("c")).ended()
    running(turn.started("c")).ended()
    turn.end()
    for (const execution of named("execute_tool lookup")) {
      assert.isTrue(execution.attributes[Attribute.toolspanLinkAmbiguous])
      assert.deepStrictEqual(execution.links, [])
    }
    assert.deepStrictEqual(kinds(only("chat m")), ["duplicate_id"])
    assert.deepStrictEqual(faults(1), [])
  })

  it("writes content only where it is asked for", () => {
    const play = (content: "off" | "all") => {
      const { recorder, spans } = make({ content })
      const turn = recorder.turn({ tools })
      const one = call(turn.decided({ id: "c1", name: "lookup", arguments: { key: "CANARY-a" } }))
      turn.approvalRequested(one)
      turn.approvalResolved(one, { answer: "approved", reason: "CANARY-b" })
      const run = running(turn.started(one))
      run.progressed("CANARY-c")
      run.ended({ error: new Error("CANARY-d") })
      turn.result(one, { value: "CANARY-e" })
      turn.end({ error: new Error("CANARY-f") })
      return JSON.stringify(spans())
    }
    assert.notInclude(play("off"), "CANARY")
    const all = play("all")
    for (const letter of ["a", "b", "c", "d", "e"]) assert.include(all, `CANARY-${letter}`)
  })

  it("ends what is open when the turn ends, and writes nothing when it is switched off", () => {
    const open = make()
    const turn = open.recorder.turn({ tools })
    turn.requested({ model: "m" })
    turn.decided({ id: "c1", name: "lookup", incomplete: true })
    turn.end({ interrupted: true })
    assert.deepStrictEqual(open.faults(1), [])
    assert.isTrue(open.only("tool_call lookup").attributes[Attribute.toolspanCallIncomplete])

    const off = make({ enabled: false })
    const silent = off.recorder.turn({ tools })
    const run = running(silent.started(call(silent.decided({ id: "c1", name: "lookup" }))))
    assert.strictEqual(run.run(() => 42), 42)
    silent.end()
    assert.deepStrictEqual(off.spans(), [])
  })

  it("measures in the process where metrics are wanted", () => {
    const { recorder } = make({ metrics: true })
    const turn = recorder.turn({ tools: [{ name: "measured" }] })
    const run = running(turn.started(call(turn.decided({ id: "c1", name: "measured" }))))
    run.ended()
    turn.end()
    const registry = Context.get(Context.empty(), Metric.MetricRegistry)
    const found = Array.from(registry.values()).filter(({ attributes }) =>
      attributes?.[Attribute.genAiToolName] === "measured"
    ).map(({ id }) => id)
    assert.includeMembers(found, [MetricName.genAiExecuteToolCalls.name, MetricName.toolspanStageCalls.name])
  })

  it("tells a run that outlives its turn as interrupted, once", () => {
    const { faults, only, recorder } = make()
    const turn = recorder.turn({ tools })
    const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
    turn.end()
    assert.strictEqual(reason(run.ended({ result: "late" })), "execution_already_ended")
    assert.strictEqual(only("execute_tool lookup").attributes[Attribute.toolspanOutcome], "interrupted")
    assert.deepStrictEqual(faults(1), [])
  })

  it("never throws, whatever the tracer does", () => {
    const broken = Tracer.make({
      span: () => {
        throw new Error("broken")
      }
    })
    const recorder = Recorder.make({ tracer: broken })
    const turn = recorder.turn({ tools })
    turn.decided({ id: "c1", name: "lookup" })
    const run = turn.started("c1")
    assert.strictEqual(Recorder.isRefusal(run) ? 1 : run.run(() => 1), 1)
    turn.end()
    assert.isAbove(recorder.counts().refused.internal_error ?? 0, 0)
  })

  it("never throws, whatever it is given", () => {
    const hostile: ReadonlyArray<unknown> = [
      null,
      0,
      "text",
      new Proxy({}, {
        get: () => {
          throw new Error("hostile")
        },
        ownKeys: () => {
          throw new Error("hostile")
        }
      })
    ]
    for (const input of hostile as ReadonlyArray<any>) {
      const { recorder, recording } = make()
      recorder.turn(input).end()
      const turn = recorder.turn({ tools })
      turn.requested(input)
      turn.decided(input)
      const known = call(turn.decided({ id: "c1", name: "lookup" }))
      for (const one of [known, input]) {
        turn.consumed(one)
        turn.approvalRequested(one, input)
        turn.approvalResolved(one, input)
        turn.started(one, input)
        turn.result(one, input)
      }
      const run = running(turn.started(call(turn.decided({ id: "c2", name: "lookup" }))))
      run.progressed(input)
      run.ended(input)
      turn.responded(input)
      turn.end(input)
      // What could not be read has ended nothing.
      run.ended()
      turn.responded()
      turn.end()
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    }
  })

  it("never throws, whatever the clock does, and goes on by its own", () => {
    const recording = RecordingTracer.make()
    const recorder = Recorder.make({
      tracer: recording.tracer,
      now: () => {
        throw new Error("no clock")
      }
    })
    const turn = recorder.turn({ tools })
    running(turn.started(call(turn.decided({ id: "c1", name: "lookup" })))).ended({ result: "v" })
    turn.result("c1")
    turn.end()
    assert.isTrue(recorder.now() > 0n)
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    assert.lengthOf(recording.trail().spans, 5)
  })

  it("runs a tool once, whatever the API of OpenTelemetry does, and throws only what the tool throws", () => {
    const sdk = OtelTrail.make()
    const failing = (before: boolean) =>
      ({
        ...api,
        context: {
          active: () => api.context.active(),
          with: (_: unknown, body: () => unknown) => {
            if (!before) body()
            throw new Error("broken")
          }
        }
      }) as unknown as typeof api
    for (const before of [true, false]) {
      const turn = Recorder.make({ tracer: sdk.tracer, api: failing(before) }).turn({ tools })
      const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
      let ran = 0
      assert.strictEqual(run.run(() => ++ran), 1)
      assert.strictEqual(ran, 1)
      assert.throws(
        () =>
          run.run(() => {
            ran++
            throw new Error("the tool's own")
          }),
        "the tool's own"
      )
      assert.strictEqual(ran, 2)
    }
  })

  it("keeps at most its limit of calls in mind, and writes every span of 5,000", () => {
    const { recorder, spans } = make({ maxOpenCalls: 100 })
    for (let index = 0; index < 1000; index++) {
      const turn = recorder.turn({ tools })
      turn.requested({ model: "m" })
      for (let at = 0; at < 5; at++) {
        const one = call(turn.decided({ id: `c${index}-${at}`, name: "lookup" }))
        running(turn.started(one)).ended()
        turn.result(one)
      }
      turn.end()
      assert.isAtMost(recorder.counts().open, 100)
    }
    assert.lengthOf(spans(), 1000 * 2 + 5000 * 3)
    assert.strictEqual(recorder.counts().evicted, 4900)
  })

  it("takes 10,000 calls in one turn, and refuses the next by name", () => {
    const { recorder, spans } = make()
    const turn = recorder.turn({ tools })
    for (let index = 0; index < 10_000; index++) call(turn.decided({ id: `c${index}`, name: "lookup" }))
    assert.strictEqual(reason(turn.decided({ id: "one more", name: "lookup" })), "too_many_calls")
    for (let index = 0; index < 10_000; index++) running(turn.started(`c${index}`)).ended()
    turn.end()
    assert.lengthOf(spans(), 2 + 2 * 10_000)
    assert.deepStrictEqual(recorder.counts().refused, { too_many_calls: 1 })
  })

  it("counts the faults of one turn up to a limit, and those beyond it as dropped", () => {
    const { kinds, only, recorder } = make()
    const turn = recorder.turn({ tools })
    turn.requested()
    const email = call(turn.decided({ id: "c1", name: "send_email" }))
    for (let index = 0; index < 5_000; index++) {
      assert.strictEqual(
        reason(turn.approvalResolved(email, { approvalId: "nobody's", answer: "approved" })),
        "unknown_approval"
      )
    }
    turn.end()
    const span = only("LanguageModel.streamText")
    assert.deepStrictEqual(kinds(span), ["unmatched_approval"])
    assert.strictEqual(span.attributes[Attribute.toolspanViolationCount], 1_024)
    assert.strictEqual(recorder.counts().dropped.violations, 5_000 - 20)
  })

  it("counts each of 150,000 faults of a history", () => {
    const { only, recorder } = make()
    const turn = recorder.turn({ tools })
    const content = Array.from({ length: 150_000 }, (_, index) => ({
      type: "tool_use",
      id: `c${index}`,
      name: "lookup",
      input: {}
    }))
    const history = fromAnthropic([{ role: "assistant", content }, { role: "user", content: "go on" }])
    assert.isUndefined(turn.requested({ model: "m", history }))
    turn.end()
    assert.strictEqual(only("chat m").attributes[Attribute.toolspanViolationCount], 150_000)
    assert.deepStrictEqual(recorder.counts().refused, {})
  })
})

describe("through an Effect tracer", () => {
  it.effect("gives the span of a run to the effects of its tool", () =>
    Effect.gen(function*() {
      const { only, recorder, recording } = make()
      const outer = recording.tracer.span({
        name: "app",
        parent: Option.none(),
        annotations: Context.empty(),
        links: [],
        startTime: 0n,
        kind: "internal",
        root: true,
        sampled: true
      })
      const turn = recorder.turn({ tools, parent: outer })
      const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
      yield* Effect.void.pipe(
        Effect.withSpan("inside"),
        Effect.withParentSpan(run.span),
        Effect.withTracer(recording.tracer)
      )
      run.ended()
      turn.end()
      outer.end(1n, Exit.void)
      assert.strictEqual(only("inside").parentSpanId, only("execute_tool lookup").spanId)
      assert.strictEqual(only("LanguageModel.streamText").parentSpanId, only("app").spanId)
    }))
})

describe("without a toolkit", () => {
  it("every name counts as a tool's, in a history as in a decision", () => {
    const { named, recorder } = make()
    const turn = recorder.turn()
    turn.requested({
      history: fromAnthropic([
        { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "lookup", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "v" }] }
      ])
    })
    turn.end()
    assert.lengthOf(named("tool_result lookup"), 1)
  })
})

describe("through the OpenTelemetry API", () => {
  it("hangs no turn below a run that is over: one that its tool's callback begins stands beside the turn before", () => {
    const { spans, tracer } = OtelTrail.make()
    const recorder = Recorder.make({ tracer, api })
    tracer.startActiveSpan("app", (app) => {
      const turn = recorder.turn({ tools })
      const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
      run.run(() => {
        // An agent of the tool's own is the run's.
        recorder.turn({ agent: "inner" }).end()
        run.ended()
        turn.end()
        recorder.turn({ agent: "next" }).end()
      })
      app.end()
    })
    const turns = spans().filter(({ name }) => name === "LanguageModel.streamText")
    const parents = new Map(
      turns.map((span) => [span.attributes[Attribute.genAiAgentName] ?? "first", span.parentSpanContext?.spanId])
    )
    const named = (name: string) => spans().find((span) => span.name === name)!.spanContext().spanId
    assert.deepStrictEqual(
      [parents.get("inner"), parents.get("first"), parents.get("next")],
      [named("execute_tool lookup"), named("app"), named("app")]
    )
  })

  it("begins a trace of its own after a run without anything above", () => {
    const { spans, tracer } = OtelTrail.make()
    const recorder = Recorder.make({ tracer, api })
    let turn = recorder.turn({ tools })
    for (let round = 0; round < 3; round++) {
      const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
      run.run(() => {
        run.ended()
        turn.end()
        turn = recorder.turn({ tools })
      })
    }
    turn.end()
    const turns = spans().filter(({ name }) => name === "LanguageModel.streamText")
    assert.deepStrictEqual(turns.map((span) => span.parentSpanContext), [undefined, undefined, undefined, undefined])
  })

  it("puts the run into context, hangs turns below the active span, and gives failures a status", async () => {
    const { spans, tracer } = OtelTrail.make()
    const recorder = Recorder.make({ tracer, api })
    await tracer.startActiveSpan("app", async (app) => {
      const turn = recorder.turn({ tools })
      const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
      await run.run(async () => {
        await Promise.resolve()
        tracer.startSpan("inside").end()
      })
      run.ended({ error: new Error("no") })
      turn.end()
      app.end()
    })
    const named = (name: string) => spans().find((span) => span.name === name)!
    const parent = (name: string) => named(name).parentSpanContext?.spanId
    assert.strictEqual(parent("inside"), named("execute_tool lookup").spanContext().spanId)
    assert.strictEqual(parent("LanguageModel.streamText"), named("app").spanContext().spanId)
    assert.strictEqual(named("execute_tool lookup").status.code, api.SpanStatusCode.ERROR)
    assert.strictEqual(named("LanguageModel.streamText").status.code, api.SpanStatusCode.UNSET)
  })

  it("writes nothing of a turn that is not sampled", () => {
    const { spans, tracer } = OtelTrail.make({ sampled: false })
    const recorder = Recorder.make({ tracer, api })
    const turn = recorder.turn({ tools })
    const run = running(turn.started(call(turn.decided({ id: "c1", name: "lookup" }))))
    assert.strictEqual(run.run(() => 1), 1)
    run.ended()
    turn.end()
    assert.lengthOf(spans(), 0)
    assert.deepStrictEqual(recorder.counts().refused, {})
  })
})
