/** Any order of signals about any calls: the spans, their links and their faults are those of a slow model. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import type { Step, Written } from "./SlowLoop.ts"
import * as SlowLoop from "./SlowLoop.ts"

const at = fc.nat({ max: 3 })
const approvalId = fc.option(fc.constantFrom("p", "q"), { nil: undefined })

const stepOf = (ids: ReadonlyArray<string>): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({ do: fc.constantFrom("turn" as const, "requested" as const, "responded" as const) }),
    fc.record({
      do: fc.constant("decided" as const),
      id: fc.constantFrom(...ids),
      arguments: fc.jsonValue()
    }),
    fc.record({ do: fc.constant("asked" as const), call: at, approvalId }),
    fc.record({
      do: fc.constant("answered" as const),
      call: at,
      approvalId,
      answer: fc.constantFrom("approved" as const, "denied" as const, "abandoned" as const)
    }),
    fc.record({ do: fc.constant("started" as const), call: at, changed: fc.boolean() }),
    fc.record({ do: fc.constant("ended" as const), run: at }),
    fc.record({ do: fc.constantFrom("result" as const, "consumed" as const), call: at })
  )

/** Each id once: what equal ids mean is told by other tests. */
const distinct = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const seen = new Set<string>()
  return steps.filter((step) => step.do !== "decided" || !seen.has(step.id) && seen.add(step.id) !== undefined)
}

const program = fc.uniqueArray(fc.string({ unit: "binary", minLength: 1, maxLength: 300 }), {
  minLength: 4,
  maxLength: 4
})
  .chain((ids) => fc.array(stepOf(ids), { maxLength: 60 }))
  .map(distinct)

const record = (steps: ReadonlyArray<Step>) => {
  const recording = RecordingTracer.make()
  let time = 1_700_000_000_000_000_000n
  const recorder = Recorder.make({ tracer: recording.tracer, now: () => time += 1000n })
  const calls: Array<{ readonly call: Recorder.RecordedCall; readonly arguments: unknown }> = []
  const runs: Array<Recorder.Execution> = []
  const refused: Array<string | undefined> = []
  let turn = recorder.turn()
  const take = (step: Step): unknown => {
    switch (step.do) {
      case "turn":
        turn.end()
        turn = recorder.turn()
        return
      case "requested":
        return turn.requested()
      case "responded":
        return turn.responded()
      case "decided": {
        const call = turn.decided({ id: step.id, name: "tool", arguments: step.arguments })
        if (!Recorder.isRefusal(call)) calls.push({ call, arguments: step.arguments })
        return call
      }
      case "ended":
        return runs[step.run]?.ended()
    }
    const known = calls[step.call]
    if (known === undefined) return
    switch (step.do) {
      case "asked":
        return turn.approvalRequested(known.call, step.approvalId === undefined ? {} : { approvalId: step.approvalId })
      case "answered":
        return turn.approvalResolved(known.call, step)
      case "started": {
        const run = turn.started(known.call, { arguments: step.changed ? { other: known.arguments } : known.arguments })
        if (!Recorder.isRefusal(run)) runs.push(run)
        return run
      }
      case "result":
        return turn.result(known.call)
      case "consumed":
        return turn.consumed(known.call)
    }
  }
  for (const step of steps) {
    const answer = take(step)
    refused.push(Recorder.isRefusal(answer) ? answer.reason : undefined)
  }
  turn.end()
  return { recording, recorder, refused }
}

const sorted = (links: Written["links"]) => links.toSorted(([a, x], [b, y]) => a < b ? -1 : a > b ? 1 : x - y)

describe("any order of signals about any calls", () => {
  it("writes the spans, links and faults, and refuses for the reasons, of a slow model", () => {
    fc.assert(
      fc.property(program, (steps) => {
        const { recorder, recording, refused } = record(steps)
        const model = SlowLoop.play(steps)
        const { spans } = recording.trail()
        const places = new Map(spans.map(({ spanId }, index) => [spanId, index]))
        const written = spans.map(({ attributes, links, name }): Written => ({
          operation: name.split(" ")[0]!,
          links: sorted(
            links.map((link) =>
              [link.attributes[Attribute.toolspanLinkType] as string, places.get(link.spanId)!] as const
            )
          ),
          faults: name.startsWith("chat")
            ? []
            : (attributes[Attribute.toolspanViolationKinds] as Written["faults"] ?? [])
        }))
        const expected = model.spans.map(({ faults, links, operation }): Written => ({
          operation,
          links: sorted(links),
          faults: [...new Set(faults)].sort()
        }))
        assert.deepStrictEqual(refused, model.refused)
        assert.deepStrictEqual(written.map((one) => ({ ...one, faults: one.faults.toSorted() })), expected)
        assert.deepStrictEqual([...recording.complaints, ...recording.open()], [])
        assert.isUndefined(recorder.counts().refused.internal_error)
      }),
      { numRuns: 1000 }
    )
  })
})
