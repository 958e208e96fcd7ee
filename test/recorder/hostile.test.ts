/** What an app, its tracer or its clock may do wrong: no throw, no span left open, no call stuck. */
import * as api from "@opentelemetry/api"
import { assert, describe, it } from "@effect/vitest"
import * as Tracer from "effect/Tracer"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import * as OtelTrail from "./OtelTrail.ts"

const given = <A>(value: A | Recorder.Refusal): A => {
  assert(!Recorder.isRefusal(value))
  return value
}

const reason = (value: unknown) => Recorder.isRefusal(value) ? value.reason : undefined

const make = (settings: Recorder.RecorderSettings = {}) => {
  let time = 1_700_000_000_000_000_000n
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1_000_000n, ...settings })
  return { recorder, recording }
}

describe("a call of another recorder", () => {
  it("is unknown", () => {
    const one = make()
    const turn = one.recorder.turn()
    const call = given(turn.decided({ id: "c1", name: "lookup" }))
    const other = make()
    assert.strictEqual(reason(other.recorder.turn().started(call)), "unknown_call")
    assert.strictEqual(reason(other.recorder.turn().carrier(call)), "unknown_call")
    given(turn.started(call)).ended()
    assert.isUndefined(turn.result(call))
  })
})

describe("a clock", () => {
  it("that gives numbers is not the recorder's", () => {
    for (const wrong of [1_700_000_000_000, Number.NaN, "now", undefined, null, {}]) {
      const { recorder, recording } = make({ now: (() => wrong) as unknown as () => bigint })
      const turn = recorder.turn()
      turn.decided({ id: "c1", name: "lookup" })
      given(turn.started("c1")).ended()
      assert.isUndefined(turn.result("c1"))
      assert.isUndefined(turn.end())
      assert.strictEqual(typeof recorder.now(), "bigint")
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
      assert.lengthOf(recording.trail().spans, 5)
    }
  })

  it("that goes back gives no span an end before its start", () => {
    let time = 1_700_000_000_000_000_000n
    const { recorder, recording } = make({ now: () => time -= 1_000_000_000n })
    const turn = recorder.turn()
    turn.requested()
    turn.decided({ id: "c1", name: "lookup" })
    turn.responded()
    turn.approvalRequested("c1")
    turn.approvalResolved("c1", { answer: "approved" })
    const run = given(turn.started("c1"))
    run.progressed()
    run.ended()
    turn.result("c1")
    turn.end()
    const { spans } = recording.trail()
    assert.lengthOf(spans, 7)
    for (const span of spans) {
      assert.isTrue(
        span.end[0] > span.start[0] || span.end[0] === span.start[0] && span.end[1] >= span.start[1],
        span.name
      )
      for (const event of span.events) assert.isTrue(event.time[0] >= span.start[0], event.name)
    }
  })
})

describe("a tracer that fails", () => {
  const names = ["LanguageModel", "chat", "tool_call", "execute_tool", "tool_result", "tool_approval"]
  const loop = (recorder: Recorder.Recorder) => {
    const turn = recorder.turn({ tools: [{ name: "lookup" }] })
    turn.requested({ model: "m" })
    turn.decided({ id: "c1", name: "lookup" })
    turn.decided({ id: "c2", name: "invented" })
    turn.responded()
    turn.approvalRequested("c1")
    turn.approvalResolved("c1", { answer: "approved" })
    const run = turn.started("c1")
    if (!Recorder.isRefusal(run)) run.ended({ error: new Error("no") })
    turn.result("c1")
    const next = turn.started("c2")
    if (!Recorder.isRefusal(next)) next.progressed("half")
    turn.consumed("c1")
    turn.end()
    return recorder.counts().refused
  }
  const whole = (tracer: Tracer.Tracer) => {
    let time = 1_700_000_000_000_000_000n
    return loop(Recorder.make({ tracer, now: () => time += 1000n }))
  }

  it("to end a span leaves no other open", () => {
    for (const name of names) {
      const recording = RecordingTracer.make()
      const refused = whole(Tracer.make({
        span: (options) => {
          const span = recording.tracer.span(options)
          if (!options.name.startsWith(name)) return span
          const end = span.end.bind(span)
          return Object.assign(span, {
            end: (...given: Parameters<typeof end>) => {
              end(...given)
              throw new Error("broken")
            }
          })
        }
      }))
      assert.deepStrictEqual(recording.open(), [], name)
      assert.isAbove(refused.internal_error ?? 0, 0)
    }
  })

  it("to open a span leaves no other open, and no call that runs for ever", () => {
    for (const name of names) {
      const recording = RecordingTracer.make()
      const refused = whole(Tracer.make({
        span: (options) => {
          if (options.name.startsWith(name)) throw new Error("broken")
          return recording.tracer.span(options)
        }
      }))
      assert.deepStrictEqual(recording.open(), [], name)
      assert.isAbove(refused.internal_error ?? 0, 0)
      assert.isUndefined(refused.execution_running, name)
    }
  })

  it("to write on a span of OpenTelemetry leaves none open", () => {
    for (const method of ["setAttribute", "addEvent", "addLinks", "setStatus", "end"] as const) {
      const sdk = OtelTrail.make()
      let begun = 0
      const recorder = Recorder.make({
        api,
        tracer: {
          startSpan: (...given) => {
            const span: api.Span = sdk.tracer.startSpan(...given as Parameters<typeof sdk.tracer.startSpan>)
            begun++
            const original = span[method].bind(span) as (...given: ReadonlyArray<unknown>) => unknown
            return Object.assign(span, {
              [method]: (...given: ReadonlyArray<unknown>) => {
                original(...given)
                throw new Error("broken")
              }
            }) as unknown as Recorder.OtelSpan
          }
        }
      })
      loop(recorder)
      assert.strictEqual(begun, 10)
      assert.lengthOf(sdk.spans(), begun, method)
      assert.isAbove(recorder.counts().refused.internal_error ?? 0, 0)
      assert.deepStrictEqual(Object.keys(recorder.counts().refused), ["internal_error"])
    }
  })
})

describe("a name that is no text", () => {
  it("is told as an invented one, and ends no turn", () => {
    for (const wrong of [undefined, null, 5, {}, Symbol("s")]) {
      for (const tools of [undefined, [{ name: "lookup" }]]) {
        const { recorder, recording } = make()
        const turn = recorder.turn({ tools })
        turn.requested()
        assert.isFalse(Recorder.isRefusal(turn.decided({ id: "c1", name: wrong as unknown as string })))
        turn.decided({ id: "c2", name: "lookup" })
        assert.isUndefined(turn.end())
        assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
        assert.deepStrictEqual(
          recording.trail().spans.map(({ name }) => name),
          ["LanguageModel.streamText", "chat", "tool_call _unknown", "tool_call lookup"]
        )
        assert.deepStrictEqual(recorder.counts().refused, {})
      }
    }
  })
})

describe("arguments that cannot be looked at", () => {
  it("cost no span and no other fault of their response", () => {
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const throwing = new Proxy({}, {
      ownKeys: () => {
        throw new Error("hostile")
      }
    })
    for (const hostile of [revoked.proxy, throwing, new Uint8Array(30_000_000)]) {
      const { recorder, recording } = make()
      const turn = recorder.turn({ tools: [{ name: "lookup", parameters: ["key"] }] })
      turn.requested()
      given(turn.decided({ id: "c1", name: "lookup", arguments: hostile }))
      given(turn.decided({ id: "c1", name: "lookup", arguments: { key: 1, more: 2 } }))
      given(turn.started("c1", { arguments: hostile })).ended({ result: hostile, error: hostile })
      assert.isUndefined(turn.result("c1", { value: hostile }))
      assert.isUndefined(turn.end({ error: hostile }))
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
      const chat = recording.trail().spans.find(({ name }) => name === "chat")!
      assert.deepStrictEqual(chat.attributes[Attribute.toolspanViolationKinds], ["dropped_argument", "duplicate_id"])
      assert.deepStrictEqual(recorder.counts().refused, {})
    }
  }, 1_000)
})

describe("a word that is none of the types'", () => {
  it("is refused, and neither an answer nor an outcome", () => {
    const { recorder, recording } = make()
    const turn = recorder.turn()
    const call = given(turn.decided({ id: "c1", name: "lookup" }))
    turn.approvalRequested(call)
    for (const wrong of ["yes", true, "", undefined, "__proto__", "constructor"]) {
      assert.strictEqual(reason(turn.approvalResolved(call, { answer: wrong as "approved" })), "invalid_input")
    }
    assert.isUndefined(turn.approvalResolved(call, { answer: "approved" }))
    const run = given(turn.started(call))
    for (const wrong of ["failed", 1, "", "toString"]) {
      assert.strictEqual(reason(run.ended({ outcome: wrong as "failure" })), "invalid_input")
    }
    assert.isUndefined(run.ended())
    for (const wrong of ["failed", 1, "", "toString"]) {
      assert.strictEqual(reason(turn.result(call, { outcome: wrong as "failure" })), "invalid_input")
      assert.strictEqual(reason(turn.result(call, { origin: wrong as "handler" })), "invalid_input")
    }
    assert.isUndefined(turn.result(call))
    turn.end()
    assert.deepStrictEqual(recorder.counts().refused, { invalid_input: 18 })
    assert.lengthOf(recording.trail().spans, 7)
  })
})

describe("a turn whose input cannot be read", () => {
  it("leaves what its tools open where the app has it", () => {
    const sdk = OtelTrail.make()
    const recorder = Recorder.make({ tracer: sdk.tracer, api })
    sdk.tracer.startActiveSpan("app", (app) => {
      const turn = recorder.turn(null as unknown as Recorder.TurnInput)
      turn.decided({ id: "c1", name: "lookup" })
      given(turn.started("c1")).run(() => sdk.tracer.startSpan("inside").end())
      turn.end()
      app.end()
    })
    const [inside, app] = sdk.spans()
    assert.lengthOf(sdk.spans(), 2)
    assert.strictEqual(inside!.parentSpanContext?.spanId, app!.spanContext().spanId)
  })
})

describe("an error that is null, as callbacks say that there is none", () => {
  it("is none", () => {
    const { recorder, recording } = make()
    const turn = recorder.turn()
    turn.requested()
    turn.decided({ id: "c1", name: "lookup" })
    turn.responded({ error: null })
    given(turn.started("c1")).ended({ error: null, result: "v" })
    turn.result("c1")
    turn.end({ error: null })
    for (const { attributes, name, status } of recording.trail().spans) {
      assert.isFalse(status.error, name)
      assert.isUndefined(attributes[Attribute.errorType], name)
      assert.include([undefined, "success"], attributes[Attribute.toolspanOutcome], name)
    }
    assert.strictEqual(recorder.counts().open, 1)
  })
})

describe("a time or a source that is none", () => {
  it("is left out, and what it came with is told", () => {
    for (const wrong of [1_700_000_000_000, "now", null, Symbol("s")]) {
      const { recorder, recording } = make()
      const turn = recorder.turn({ tools: null as unknown as undefined })
      turn.requested()
      given(turn.decided({
        id: "c1",
        name: "lookup",
        startTime: wrong as unknown as bigint,
        source: wrong as unknown as object
      }))
      assert.isUndefined(turn.approvalRequested("c1", { time: wrong as unknown as bigint }))
      assert.isUndefined(turn.approvalResolved("c1", { answer: "approved" }))
      given(turn.started("c1")).ended()
      assert.isUndefined(turn.result("c1", { source: wrong as unknown as object }))
      turn.end()
      assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
      assert.deepStrictEqual(recorder.counts().refused, {})
      assert.deepStrictEqual(recording.trail().spans.map(({ name }) => name.split(" ")[0]), [
        "LanguageModel.streamText",
        "chat",
        "tool_call",
        "tool_approval",
        "tool_approval",
        "execute_tool",
        "tool_result"
      ])
    }
  })
})

describe("a tool that tells its own run", () => {
  it("may end it, its call and its turn from inside", () => {
    const { recorder, recording } = make()
    const turn = recorder.turn()
    turn.requested()
    turn.decided({ id: "c1", name: "lookup" })
    turn.decided({ id: "c2", name: "lookup" })
    const outer = given(turn.started("c1"))
    const value = outer.run(() => {
      assert.isUndefined(outer.ended({ result: 1 }))
      assert.isUndefined(turn.result("c1"))
      const inner = given(turn.started("c2"))
      inner.run(() => assert.isUndefined(turn.end()))
      assert.strictEqual(reason(inner.ended()), "execution_already_ended")
      return 5
    })
    assert.strictEqual(value, 5)
    assert.strictEqual(reason(outer.ended()), "execution_already_ended")
    assert.strictEqual(reason(outer.progressed()), "execution_already_ended")
    assert.strictEqual(reason(turn.result("c2")), "turn_ended")
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
  })

  it("may end its run and its turn while its arguments and its result are written", () => {
    const { recorder, recording } = make({ content: "all" })
    const turn = recorder.turn()
    turn.requested()
    turn.decided({
      id: "c1",
      name: "lookup",
      arguments: {
        toJSON: () => {
          turn.end()
          return {}
        }
      }
    })
    const run = turn.started("c1")
    if (!Recorder.isRefusal(run)) {
      run.ended({
        result: {
          toJSON: () => {
            run.ended()
            turn.end()
            return {}
          }
        }
      })
    }
    turn.end()
    assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
    assert.isUndefined(recorder.counts().refused.internal_error)
  })
})

describe("two turns at once", () => {
  it("keep their calls of one id apart, and nobody guesses between them", () => {
    const { recorder, recording } = make()
    const [one, other] = [recorder.turn(), recorder.turn()]
    for (const turn of [one, other]) {
      turn.requested()
      turn.decided({ id: "call_0", name: "lookup" })
    }
    const runs = [other, one].map((turn) => given(turn.started("call_0")))
    for (const run of runs) run.ended()
    one.end()
    other.end()
    assert.strictEqual(reason(recorder.turn().started("call_0")), "ambiguous_call")
    const spans = recording.trail().spans
    const decisions = spans.filter(({ name }) => name === "tool_call lookup").map(({ spanId }) => spanId)
    const decidedBy = spans.filter(({ name }) => name === "execute_tool lookup").map(({ links }) => links[0]!.spanId)
    assert.deepStrictEqual(decidedBy, decisions.toReversed())
  })
})
