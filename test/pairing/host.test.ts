import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import * as fc from "fast-check"
import { resolutions } from "../../src/pairing/Approval.ts"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { answered, asked, assistant, call, result, said, tool, user } from "./Prompt.ts"

const wipe = Tool.make("wipe", {
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const toolkit = Toolkit.make(wipe)

interface Turn {
  readonly runs: ReadonlyArray<string>
  readonly sent: Prompt.Prompt
}

/** What the host really does with a history: which handler runs, in their order, and the prompt that goes out. */
const hostTurn = (history: ReadonlyArray<object>): Effect.Effect<Turn, unknown> => {
  const runs: Array<string> = []
  let sent = Prompt.empty
  const model = LanguageModel.make({
    generateText: (options) => {
      sent = options.prompt
      return Effect.succeed([{ type: "text", text: "ok" }])
    },
    streamText: () => {
      throw new Error("not streamed")
    }
  })
  const handlers = toolkit.toLayer({
    wipe: ({ path }) =>
      Effect.sync(() => {
        runs.push(path)
        return "done"
      })
  })
  return Effect.gen(function*() {
    const service = yield* model
    const prompt = yield* Schema.decodeUnknownEffect(Prompt.Prompt)({ content: history })
    yield* service.generateText({ prompt, toolkit: yield* toolkit, concurrency: 1 })
    return { runs, sent }
  }).pipe(Effect.provide(handlers))
}

const round = fc.record({
  ids: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 2 }),
  asks: fc.boolean(),
  approvalId: fc.constantFrom("p", "q"),
  answers: fc.array(fc.record({ approvalId: fc.constantFrom("p", "q", "r"), approved: fc.boolean() }), {
    maxLength: 3
  }),
  results: fc.array(fc.constantFrom("a", "b"), { maxLength: 1 }),
  ends: fc.constantFrom("user", "assistant", "none")
})

const histories = fc.array(round, { minLength: 1, maxLength: 3 }).map((rounds) => {
  const history: Array<object> = [user()]
  for (const [index, { answers, approvalId, asks, ends, ids, results }] of rounds.entries()) {
    history.push(assistant(
      ...ids.map((id, part) => call(id, "wipe", { params: { path: `${index}.${part}` } })),
      ...(asks ? ids.map((id, part) => asked(`${approvalId}${part === 0 ? "" : part}`, id)) : [])
    ))
    if (answers.length > 0) history.push(tool(...answers.map((one) => answered(one.approvalId, one.approved))))
    if (results.length > 0) history.push(tool(...results.map((id) => result(id, "wipe"))))
    if (ends === "user") history.push(user())
    if (ends === "assistant") history.push(said())
  }
  return history
})

const pathOf = (params: unknown): string => (params as { readonly path: string }).path

describe("the host", () => {
  it.effect("runs what resolutions says, in that order, and adds one result for each", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const { runs, sent } = await Effect.runPromise(hostTurn(history))
          const before = pair(fromPrompt(history))
          const expected = resolutions(before)
          assert.deepStrictEqual(
            runs,
            expected.flatMap((one) => one.action === "run" ? [pathOf(one.call?.params)] : [])
          )
          const acted = expected.filter((one) => one.action !== "none").length
          assert.strictEqual(pair(fromPrompt(sent)).results.length, before.results.length + acted)
        }),
        { numRuns: 150 }
      )
    ))

  it.effect("leaves no call unanswered that the check of the whole history excuses as settled", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const { sent } = await Effect.runPromise(hostTurn(history))
          const before = pair(fromPrompt(history))
          const after = pair(fromPrompt(sent))
          const alone = (id: string | undefined) => before.occurrences.get(id ?? "") === 1
          for (const one of before.calls) {
            if (one.state !== "approved" && one.state !== "denied") continue
            if (!alone(one.id)) continue
            const told = before.violations.some((fault) => fault.kind === "unanswered_call" && fault.key === one.key)
            const sentWithout = after.calls.some((other) => other.key === one.key && other.results.length === 0)
            assert.strictEqual(told, sentWithout, JSON.stringify(history))
          }
        }),
        { numRuns: 150 }
      )
    ))
})
