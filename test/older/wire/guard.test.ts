import { Effect } from "effect"
import { LanguageModel, type Prompt } from "effect/unstable/ai"
import * as Toolspan from "toolspan"
import { check } from "toolspan/pairing"
import { assert, describe, it } from "vitest"
import { text } from "../../../examples/replay/answer.ts"
import { chats, isSound, models, toolkit, traced } from "./trace.ts"

const call = (id: string) => ({
  type: "tool-call" as const,
  id,
  name: "lookup",
  params: { key: "alpha" },
  providerExecuted: false
})

const result = (id: string) => ({
  type: "tool-result" as const,
  id,
  name: "lookup",
  isFailure: false,
  result: "v",
  providerExecuted: false
})

const broken: Prompt.RawInput = [
  { role: "user", content: "go" },
  { role: "assistant", content: [call("call_1"), call("call_2")] },
  { role: "tool", content: [result("call_2"), result("call_9")] },
  { role: "user", content: "never mind" }
]

const answer = { id: "response_1", usage: { input: 12, output: 3 }, parts: [text("One moment.")] }

const turn = (name: keyof typeof models, guard: Toolspan.Guard) =>
  traced(
    { script: [answer] },
    (url) =>
      LanguageModel.generateText({ prompt: structuredClone(broken), toolkit }).pipe(
        Effect.mapError(Toolspan.toBrokenHistory),
        Effect.provide(models[name](url)),
        Effect.provide(Toolspan.layer({ guard }))
      )
  )

describe.each(["anthropic", "openai", "openai-compat"] as const)("a broken history of %s", (name) => {
  it("goes out as it is without the guard", async () => {
    const run = await turn(name, "off")
    const kinds = check(run.requests[0]?.body).map(({ kind }) => kind)
    assert.deepStrictEqual(kinds, ["unanswered_call", "orphan_result"])
  })

  it("goes out whole where the guard repairs it", async () => {
    const run = await turn(name, "repair")
    assert.strictEqual(run.exit._tag, "Success")
    assert.lengthOf(run.requests, 1)
    assert.deepStrictEqual(check(run.requests[0]?.body), [])
    assert.include(JSON.stringify(run.requests[0]?.body), "result-missing")
    assert.isUndefined(chats(run.spans)[0]?.["toolspan.violation.count"])
    assert.isTrue(isSound(run))
  })

  it("does not go out where the guard is strict", async () => {
    const run = await turn(name, "strict")
    assert.lengthOf(run.requests, 0)
    assert.lengthOf(chats(run.spans), 0)
    const [reason] = run.exit._tag === "Failure" ? run.exit.cause.reasons : []
    const error = reason?._tag === "Fail" ? reason.error : undefined
    assert.isTrue(error instanceof Toolspan.BrokenHistory)
    assert.isTrue(isSound(run))
  })
})
