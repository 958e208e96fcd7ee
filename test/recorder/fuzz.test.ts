/** Any order of anything: nothing throws, every span ends once, and what was refused is what was counted. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { fromPi } from "../../src/pairing/PiMessages.ts"
import * as Recorder from "../../src/recorder/index.ts"
import { checkAlways } from "../cases/check/always.ts"
import { kindOf } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const id = fc.constantFrom("a", "b", "c", "")
const approvalId = fc.constantFrom("p", "q", undefined)

const step = fc.oneof(
  fc.record({ do: fc.constant("turn" as const), conversation: fc.constantFrom("x", "y", undefined) }),
  fc.record({ do: fc.constant("requested" as const), ids: fc.array(id, { maxLength: 3 }), history: fc.boolean() }),
  fc.record({
    do: fc.constant("decided" as const),
    id: fc.option(id, { nil: undefined }),
    name: fc.constantFrom("lookup", "wipe", "invented"),
    incomplete: fc.boolean(),
    providerExecuted: fc.boolean()
  }),
  fc.record({ do: fc.constant("responded" as const), fails: fc.boolean() }),
  fc.record({ do: fc.constant("asked" as const), id, approvalId }),
  fc.record({
    do: fc.constant("answered" as const),
    id,
    approvalId,
    answer: fc.constantFrom("approved" as const, "denied" as const, "abandoned" as const)
  }),
  fc.record({ do: fc.constant("started" as const), id }),
  fc.record({ do: fc.constant("progressed" as const), at: fc.nat({ max: 5 }) }),
  fc.record({ do: fc.constant("ended" as const), at: fc.nat({ max: 5 }), fails: fc.boolean() }),
  fc.record({ do: fc.constant("result" as const), id }),
  fc.record({ do: fc.constant("consumed" as const), id }),
  fc.record({ do: fc.constant("carrier" as const), id }),
  fc.record({ do: fc.constant("resumed" as const), id, at: fc.nat({ max: 5 }), name: fc.constantFrom("lookup", "x") }),
  fc.record({ do: fc.constant("end" as const), fails: fc.boolean() })
)

type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const historyOf = (ids: ReadonlyArray<string>) =>
  fromPi(ids.flatMap((one) => [
    { role: "assistant", content: [{ type: "toolCall", id: one, name: "lookup", arguments: {} }] },
    { role: "toolResult", toolCallId: one, toolName: "lookup", content: [], isError: false }
  ]))

const play = (steps: ReadonlyArray<Step>) => {
  const recording = RecordingTracer.make()
  let time = 1_700_000_000_000_000_000n
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1000n, maxOpenCalls: 5 })
  const tools = [{ name: "lookup" }, { name: "wipe" }]
  const turns = [recorder.turn({ tools })]
  const executions: Array<Recorder.Execution> = []
  const carriers: Array<Recorder.Carrier> = []
  let refused = 0
  const take = (answer: unknown): void => {
    if (Recorder.isRefusal(answer)) refused++
  }
  for (const one of steps) {
    const turn = turns[turns.length - 1]!
    switch (one.do) {
      case "turn":
        turns.push(recorder.turn({ tools, conversation: one.conversation }))
        break
      case "requested":
        take(turn.requested(one.history ? { history: historyOf(one.ids) } : {}))
        break
      case "decided":
        take(turn.decided({ ...one, arguments: {} }))
        break
      case "responded":
        take(turn.responded(one.fails ? { error: new Error("no") } : {}))
        break
      case "asked":
        take(turn.approvalRequested(one.id, one))
        break
      case "answered":
        take(turn.approvalResolved(one.id, one))
        break
      case "started": {
        const execution = turn.started(one.id)
        take(execution)
        if (!Recorder.isRefusal(execution)) executions.push(execution)
        break
      }
      case "progressed":
        take(executions[one.at]?.progressed())
        break
      case "ended":
        take(executions[one.at]?.ended(one.fails ? { error: new Error("no") } : {}))
        break
      case "result":
        take(turn.result(one.id))
        break
      case "consumed":
        take(turn.consumed(one.id))
        break
      case "carrier": {
        const carrier = turn.carrier(one.id)
        take(carrier)
        if (!Recorder.isRefusal(carrier)) carriers.push(carrier)
        break
      }
      case "resumed":
        take(turn.resumed({ id: one.id, name: one.name, arguments: {}, carrier: carriers[one.at] }))
        break
      case "end":
        take(turn.end(one.fails ? { error: new Error("no") } : {}))
        break
    }
  }
  for (const turn of turns) take(turn.end())
  return { recorder, recording, refused, executions: executions.length }
}

describe("any order of signals", () => {
  it("throws nothing, leaves nothing open, and writes only what the contract allows", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { executions, recorder, recording, refused } = play(steps)
        const trail = recording.trail()
        const counts = recorder.counts()
        assert.deepStrictEqual(recording.complaints, [])
        assert.deepStrictEqual(recording.open(), [])
        assert.isAtMost(counts.open, 5)
        assert.strictEqual(counts.refused.internal_error, undefined)
        // Refusals inside of a request's history are counted and returned to nobody.
        assert.isAtLeast(Object.values(counts.refused).reduce((sum, count) => sum + count, 0), refused)
        assert.strictEqual(trail.spans.filter((span) => kindOf(span) === "execute_tool").length, executions)
        const chats = trail.spans.filter((span) => kindOf(span) === "chat").length
        const known = { failed: true, openCalls: undefined, internalErrors: 0, pending: 0 }
        assert.deepStrictEqual(checkAlways(trail, { ...known, usage: Array.from({ length: chats }, () => false) }), [])
      }),
      { numRuns: 400 }
    )
  })
})
