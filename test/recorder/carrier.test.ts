import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fromChatCompletions } from "../../src/pairing/ChatCompletions.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const tools = [{ name: "send_email" }]
const canary = "canary-9c1f"
const start = 1_700_000_000_000_000_000n

/** A recorder as a process of its own has it: nothing is shared but what is passed on. */
const process = (begins = start, ids = 0) => {
  let time = begins
  const recording = RecordingTracer.make(ids)
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1_000_000n })
  const named = (name: string) => recording.trail().spans.filter((span) => span.name === name)
  return { recorder, recording, named }
}

const given = <A>(value: A | Recorder.Refusal): A => {
  assert(!Recorder.isRefusal(value))
  return value
}

const reason = (value: unknown) => Recorder.isRefusal(value) ? value.reason : undefined

const links = (span: { readonly links: ReadonlyArray<any> } | undefined, type: string) =>
  span?.links.filter(({ attributes }) => attributes[Attribute.toolspanLinkType] === type)
    .map(({ spanId, traceId }) => ({ spanId, traceId }))

const at = ({ spanId, traceId }: { readonly spanId: string; readonly traceId: string }) => ({ spanId, traceId })

/** The first process asks, and writes down what the second needs. */
const asking = () => {
  const first = process()
  const turn = first.recorder.turn({ tools, conversation: "c" })
  turn.requested({ model: "m" })
  const email = given(turn.decided({ id: "c1", name: "send_email", arguments: { to: canary } }))
  turn.responded()
  turn.approvalRequested(email, { approvalId: "ap" })
  turn.end()
  return { ...first, turn, text: JSON.stringify(given(turn.carrier(email))) }
}

describe("a carrier", () => {
  it("links an approval, its run and its result in another process to the decision and the question in the first", () => {
    const { named: before, text } = asking()
    const [decision, asked] = [before("tool_call send_email")[0]!, before("tool_approval send_email")[0]!]
    const second = process(start + 3_600_000_000_000n, 1_000_000)
    const turn = second.recorder.turn({ tools, conversation: "c" })
    const call = given(turn.resumed({
      id: "c1",
      name: "send_email",
      arguments: { to: canary },
      approvalId: "ap",
      carrier: JSON.parse(text)
    }))
    assert.strictEqual(call.key, "c1")
    assert.isUndefined(turn.approvalResolved("c1", { approvalId: "ap", answer: "approved" }))
    given(turn.started(call, { arguments: { to: canary } })).ended({ result: "sent" })
    assert.isUndefined(turn.result(call))
    turn.requested({ model: "m" })
    assert.isUndefined(turn.consumed("c1"))
    turn.responded()
    turn.end()

    const answered = second.named("tool_approval send_email")[0]!
    const execution = second.named("execute_tool send_email")[0]!
    assert.deepStrictEqual(links(answered, "answers"), [at(asked)])
    assert.closeTo(answered.attributes[Attribute.toolspanApprovalWait] as number, 3600, 1)
    assert.deepStrictEqual(links(execution, "decided_by"), [at(decision)])
    assert.deepStrictEqual(links(execution, "approved_by"), [at(answered)])
    assert.isUndefined(
      second.recording.trail().spans.find((span) => span.attributes[Attribute.toolspanViolationKinds] !== undefined)
    )
    assert.deepStrictEqual(second.recorder.counts().refused, {})
    assert.strictEqual(second.recorder.counts().open, 0)
  })

  it("is short JSON without content, in the form of Effect programs", () => {
    const { text } = asking()
    assert.isBelow(text.length, 200)
    assert.notInclude(text, canary)
    assert.deepStrictEqual(Object.keys(JSON.parse(text) as object), ["v", "decided", "asked", "askedAt"])
  })

  it("tells changed arguments as a mismatch", () => {
    const { text } = asking()
    const second = process(start + 1_000_000_000n)
    const turn = second.recorder.turn({ tools })
    const input = { id: "c1", name: "send_email", arguments: { to: "ada" }, carrier: JSON.parse(text) as unknown }
    const call = given(turn.resumed(input))
    turn.approvalResolved(call, { answer: "approved" })
    given(turn.started(call, { arguments: { to: "eve" } })).ended()
    turn.result(call)
    turn.end()
    const kinds = second.recording.trail().spans.flatMap((span) =>
      span.attributes[Attribute.toolspanViolationKinds] ?? []
    )
    assert.deepStrictEqual(kinds, ["approval_mismatch"])
  })

  it("finds the call itself where it is remembered", () => {
    const { recorder, text } = asking()
    const turn = recorder.turn({ tools, conversation: "c" })
    given(turn.resumed({ id: "c1", name: "send_email", carrier: JSON.parse(text) }))
    given(turn.resumed({ id: "c1", name: "send_email", carrier: JSON.parse(text) }))
    assert.strictEqual(recorder.counts().open, 1)
    assert.isUndefined(turn.approvalResolved("c1", { answer: "denied" }))
    turn.end()
  })

  it("keeps the key of the second call of an id, and refuses one that is not the id's", () => {
    const { text } = asking()
    const turn = process(start + 1_000_000_000n).recorder.turn({ tools })
    const carrier = JSON.parse(text) as unknown
    assert.strictEqual(given(turn.resumed({ id: "c1", key: "c1#2", name: "send_email", carrier })).key, "c1#2")
    for (const key of ["c2", "c1#1", "c1#x", "?1", ""]) {
      assert.strictEqual(
        reason(turn.resumed({ id: "c1", key, name: "send_email", carrier: null })),
        "unreadable_carrier"
      )
      const other = process(start + 1_000_000_000n).recorder.turn({ tools })
      assert.strictEqual(reason(other.resumed({ id: "c1", key, name: "send_email", carrier })), "unknown_call", key)
    }
  })

  it("is refused when it is too old, from the future or of another version, and after the turn", () => {
    const { text } = asking()
    const carrier = JSON.parse(text) as object
    const input = { id: "c1", name: "send_email" }
    const day = 86_400_000_000_000n
    const late = process(start + day + day).recorder.turn({ tools })
    assert.strictEqual(reason(late.resumed({ ...input, carrier })), "unreadable_carrier")
    const early = process(start - day).recorder.turn({ tools })
    assert.strictEqual(reason(early.resumed({ ...input, carrier })), "unreadable_carrier")
    const { recorder } = process(start + 1_000_000_000n)
    const turn = recorder.turn({ tools })
    assert.strictEqual(reason(turn.resumed({ ...input, carrier: { ...carrier, v: 2 } })), "unreadable_carrier")
    turn.end()
    assert.strictEqual(reason(turn.resumed({ ...input, carrier })), "turn_ended")
    assert.deepStrictEqual(recorder.counts().refused, { unreadable_carrier: 1, turn_ended: 1 })
    assert.strictEqual(reason(turn.carrier("c1")), "unknown_call")
  })

  it("may be missing: the call goes on, linked to nothing before it", () => {
    const { named, recorder, recording } = process(start + 1_000_000_000n)
    const turn = recorder.turn({ tools, conversation: "c" })
    const input = { id: "c1", name: "send_email", arguments: { to: "ada" }, approvalId: "ap" }
    const call = given(turn.resumed(input))
    assert.isUndefined(turn.approvalResolved("c1", { answer: "approved" }))
    given(turn.started(call, { arguments: { to: "eve" } })).ended({ result: "sent" })
    assert.isUndefined(turn.result("c1"))
    assert.strictEqual(reason(turn.carrier("c1")), "unknown_decision")
    // One that nobody was asked about.
    given(turn.started(given(turn.resumed({ id: "c2", name: "send_email" })))).ended()
    turn.end()
    const [answered] = named("tool_approval send_email")
    const [execution, other] = named("execute_tool send_email")
    assert.deepStrictEqual(answered!.links, [])
    assert.isUndefined(answered!.attributes[Attribute.toolspanApprovalWait])
    assert.deepStrictEqual(links(execution, "approved_by"), [at(answered!)])
    assert.deepStrictEqual(links(execution, "decided_by"), [])
    assert.strictEqual(other!.attributes[Attribute.toolspanApprovalState], "not_required")
    assert.deepStrictEqual(
      recording.trail().spans.flatMap((span) => span.attributes[Attribute.toolspanViolationKinds] ?? []),
      ["approval_mismatch"]
    )
    assert.deepStrictEqual(recorder.counts().refused, { unknown_decision: 1 })
  })

  it("missing, finds the one call of the id that is remembered, and guesses none of two", () => {
    const { recorder, text } = asking()
    const turn = recorder.turn({ tools, conversation: "c" })
    given(turn.resumed({ id: "c1", name: "send_email" }))
    assert.strictEqual(recorder.counts().open, 1)
    const carrier = JSON.parse(text) as unknown
    given(recorder.turn({ tools, conversation: "d" }).resumed({ id: "c1", name: "send_email", carrier }))
    assert.strictEqual(recorder.counts().open, 2)
    assert.strictEqual(reason(recorder.turn({ tools }).resumed({ id: "c1", name: "send_email" })), "ambiguous_call")
    assert.isUndefined(turn.approvalResolved("c1", { answer: "approved" }))
  })

  it("is found again in a later history by its arguments", () => {
    const { text } = asking()
    const second = process(start + 1_000_000_000n, 1_000_000)
    const turn = second.recorder.turn({ tools, conversation: "c" })
    const call = given(turn.resumed({
      id: "c1",
      name: "send_email",
      arguments: { to: canary },
      approvalId: "ap",
      carrier: JSON.parse(text)
    }))
    turn.approvalResolved(call, { answer: "approved" })
    given(turn.started(call)).ended({ result: "sent" })
    turn.result(call)
    turn.requested({
      history: fromChatCompletions([
        { role: "user", content: "send it" },
        {
          role: "assistant",
          tool_calls: [{
            id: "c1",
            type: "function",
            function: { name: "send_email", arguments: JSON.stringify({ to: canary }) }
          }]
        },
        { role: "tool", tool_call_id: "c1", content: "sent" }
      ])
    })
    turn.end()
    const [result, ...more] = second.named("tool_result send_email")
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual(links(second.named("chat")[0], "consumes"), [at(result!)])
    assert.strictEqual(second.recorder.counts().open, 0)
  })

  it("throws nothing whatever it is", () => {
    const hostile = {
      get v(): number {
        throw new Error(canary)
      }
    }
    const turn = process().recorder.turn({ tools })
    assert.strictEqual(
      reason(turn.resumed({ id: "c1", name: "send_email", carrier: hostile })),
      "internal_error"
    )
    fc.assert(fc.property(fc.anything().filter((one) => one !== undefined), fc.string(), (carrier, id) => {
      assert.isTrue(Recorder.isRefusal(turn.resumed({ id, name: "send_email", carrier })))
    }))
  })
})
