/** The same loop as an Effect program and told to a recorder: span by span the same attributes, links and events. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { answers, approvalTurns } from "../capture/approvalScenes.ts"
import { lookup, note, wipe } from "../capture/scene.ts"
import { call, done, finish, Refused, run } from "../capture/World.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

/** Whatever differs from run to run is left out: ids of spans and times. */
const written = (spans: ReadonlyArray<SpanRecord>) => {
  const told = spans.filter((span) => !["turn", "other"].includes(kindOf(span)))
  const named = (span: SpanRecord) =>
    [
      span.name,
      span.attributes[Attribute.toolspanCallKey],
      span.attributes[Attribute.toolspanApprovalEvent],
      span.attributes[Attribute.toolspanToolCallsDecided]
    ].filter((part) => part !== undefined).join(" ")
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const plain = (attributes: SpanRecord["attributes"]) =>
    Object.fromEntries(
      Object.entries(attributes).filter(([key]) => !key.startsWith("toolspan.link.") || key.endsWith("ambiguous"))
        .map(([key, value]) => [key, key === Attribute.toolspanApprovalWait ? "a time" : value] as const)
        .toSorted(([one], [other]) => one < other ? -1 : 1)
    )
  const parentOf = (span: SpanRecord) => {
    const parent = byId.get(span.parentSpanId ?? "")
    return parent === undefined ? undefined : kindOf(parent) === "turn" ? "turn" : named(parent)
  }
  return told.map((span) => ({
    span: named(span),
    parent: parentOf(span),
    attributes: plain(span.attributes),
    twins: Object.keys(span.attributes).filter((key) => key.startsWith("toolspan.link.")).toSorted(),
    error: span.status.error,
    events: span.events.map(({ attributes, name }) => ({ name, attributes })),
    links: span.links.map((link) => [link.attributes, named(byId.get(link.spanId)!)] as const).toSorted((
      [, a],
      [, b]
    ) => a < b ? -1 : 1)
  })).toSorted((one, other) => one.span < other.span ? -1 : 1)
}

const tools = [
  { name: "lookup", parameters: ["key"] },
  { name: "add_note", parameters: ["text"], description: "Adds a note" },
  { name: "wipe", parameters: ["path"] },
  { name: "count", parameters: ["key"] }
]

const response = (reason: string): Recorder.ResponseInput => ({
  finishReasons: [reason],
  inputTokens: 5,
  outputTokens: 7,
  timeToFirstChunkSeconds: 0
})

/** What a recorder writes when it is told of a loop. */
const recorded = (tell: (recorder: Recorder.Recorder) => void) => {
  let time = 1_700_000_000_000_000_000n
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1_000_000n, content: "all" })
  tell(recorder)
  assert.deepStrictEqual(recorder.counts().refused, {})
  return recording.trail().spans
}

const decide = (turn: Recorder.Turn, part: ReturnType<typeof call>) =>
  turn.decided({ id: part.id, name: part.name, arguments: part.params })

const ran = (execution: Recorder.Execution | Recorder.Refusal, end: Recorder.EndedInput) => {
  assert(!Recorder.isRefusal(execution))
  execution.ended(end)
}

const canary = (part: ReturnType<typeof call>) => Object.values(part.params as object)[0] as string

describe("a recorder writes what an Effect program writes", () => {
  it("of a free call, an approved and a refused one", async () => {
    const calls = [lookup("a1"), wipe("w1"), wipe("w2")] as const
    const effect = await run(
      (world) => approvalTurns(world, calls, answers(["ap1", true], ["ap2", false, "no"])),
      "streamText",
      "all",
      { content: "all" }
    )
    const spans = recorded((recorder) => {
      const first = recorder.turn({ tools })
      first.requested({ model: "m1", provider: "vendor" })
      for (const part of calls) decide(first, part)
      first.responded(response("tool-calls"))
      ran(first.started("a1"), { result: `found ${canary(calls[0])}` })
      first.result("a1")
      first.approvalRequested("w1", { approvalId: "ap1" })
      first.approvalRequested("w2", { approvalId: "ap2" })
      first.end()
      const second = recorder.turn({ tools })
      second.approvalResolved("w1", { approvalId: "ap1", answer: "approved" })
      second.approvalResolved("w2", { approvalId: "ap2", answer: "denied", reason: "no" })
      ran(second.started("w1", { arguments: calls[1].params }), { result: `wiped ${canary(calls[1])}` })
      second.result("w1")
      second.result("w2", { value: { type: "execution-denied", reason: "no" } })
      second.requested({ model: "m1", provider: "vendor" })
      for (const id of ["a1", "w1", "w2"]) second.consumed(id)
      second.responded(response("stop"))
      second.end()
    })
    assert.deepStrictEqual(written(spans), written(effect.trail.spans))
  })

  it("of a run that failed, whose failure the model gets", async () => {
    const calls = [lookup("a1"), note("b1")] as const
    const effect = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model([...calls, finish()], done)
          const toolkit = yield* world.toolkit({ add_note: () => Effect.fail(new Refused({ detail: "too long" })) })
          return yield* world.turn(model, { toolkit })
        }),
      "streamText",
      "all",
      { content: "all" }
    )
    const spans = recorded((recorder) => {
      const turn = recorder.turn({ tools })
      turn.requested({ model: "m1", provider: "vendor" })
      decide(turn, calls[0])
      decide(turn, calls[1])
      turn.responded(response("tool-calls"))
      ran(turn.started("a1"), { result: `found ${canary(calls[0])}` })
      turn.result("a1")
      const failure = new Refused({ detail: "too long" })
      ran(turn.started("b1"), { error: failure, result: failure })
      turn.result("b1")
      turn.end()
    })
    assert.deepStrictEqual(written(spans), written(effect.trail.spans))
  })
})
