import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as Chat from "effect/ai/Chat"
import * as Prompt from "effect/ai/Prompt"
import * as ResponseIdTracker from "effect/ai/ResponseIdTracker"
import * as Toolspan from "../../src/index.ts"
import * as MissingResult from "../../src/pairing/MissingResult.ts"
import { answered, asked, assistant, call, result, tool, user } from "../pairing/Prompt.ts"
import type { Answer, Mode, Played, Reach, World } from "./World.ts"
import { after, call as lookup, canary, done, finish, modes, run } from "./World.ts"

const broken = [user(), assistant(call("c1"), call("c2")), tool(result("c2"), result("zz")), user()]

const kinds = ["unanswered_call", "orphan_result"]

/** Plays one turn with a prompt, and keeps what it failed with. */
const turn = (
  prompt: unknown,
  mode: Mode,
  settings: NonNullable<Parameters<typeof run>[3]>,
  options: { readonly reach?: Reach; readonly answers?: ReadonlyArray<Answer>; readonly toolkit?: boolean } = {}
) => {
  const failures: Array<unknown> = []
  const play = (world: World) =>
    Effect.gen(function*() {
      const model = yield* world.model(...options.answers ?? [done])
      const toolkit = options.toolkit === false ? undefined : yield* world.toolkit()
      yield* world.turn(model, { prompt, ...(toolkit === undefined ? {} : { toolkit }) }).pipe(
        Effect.tapError((error) => Effect.sync(() => failures.push(error)))
      )
    })
  return run(play, mode, options.reach ?? "all", settings).then((played) => ({ ...played, failure: failures[0] }))
}

const requests = (played: Played) => played.host.filter((line) => line.startsWith("asked")).length

const spansOf = (played: Played, prefix: string) => played.trail.spans.filter(({ name }) => name.startsWith(prefix))

const violationsOf = (span: Played["trail"]["spans"][number] | undefined) =>
  span?.events.filter(({ name }) => name === "toolspan.violation").map(({ attributes }) =>
    attributes["toolspan.violation.kind"]
  )

describe("a strict guard", () => {
  for (const mode of modes) {
    it(`fails a ${mode} turn before anything is sent`, async () => {
      const played = await turn(broken, mode, { guard: "strict" })
      assert.strictEqual(requests(played), 0)
      assert.isTrue(AiError.isAiError(played.failure))
      const error = played.failure as AiError.AiError
      assert.deepStrictEqual(
        [error.module, error.method, error.reason._tag, error.isRetryable, error.retryAfter],
        ["Toolspan", mode, "InvalidUserInputError", false, undefined]
      )
      assert.isTrue(AiError.isAiErrorReason(error.reason))
      const history = Toolspan.toBrokenHistory(error)
      assert.isTrue(history instanceof Toolspan.BrokenHistory)
      if (!(history instanceof Toolspan.BrokenHistory)) return
      assert.deepStrictEqual(
        history.violations.map(({ key, kind, message, part }) => [kind, key, message, part]),
        [["unanswered_call", "c1", 1, 0], ["orphan_result", "zz", 2, 1]]
      )
      assert.isTrue(history.violations.every(({ advice }) => advice.endsWith(".")))
      assert.include(error.message, "unanswered_call c1 at message 1, part 0: Add a result")
      assert.deepStrictEqual([played.stats.refusedHistories, played.stats.turns], [1, 1])
    })

    it(`tells a refused ${mode} turn as a turn without a request`, async () => {
      const played = await turn(broken, mode, { guard: "strict" })
      const [span] = spansOf(played, "LanguageModel.")
      assert.strictEqual(span?.name, `LanguageModel.${mode}`)
      assert.deepStrictEqual(violationsOf(span), kinds)
      assert.strictEqual(span?.attributes["toolspan.violation.count"], 2)
      assert.lengthOf(spansOf(played, "chat"), 0)
      assert.deepStrictEqual([played.complaints, played.open, played.stats.internalErrors], [[], [], 0])
    })

    it(`lets a whole history of a ${mode} turn through as if it were off`, async () => {
      const whole = [user(), assistant(call("c1")), tool(result("c1")), user()]
      for (const guard of ["strict", "repair"] as const) {
        const guarded = await turn(whole, mode, { guard })
        const off = await turn(whole, mode, { guard: "off" })
        assert.isFalse(guarded.failed)
        assert.deepStrictEqual(guarded.host, off.host)
        assert.deepStrictEqual([guarded.stats.refusedHistories, guarded.stats.repairedHistories], [0, 0])
      }
    })
  }

  it("is off unless asked for", async () => {
    const played = await turn(broken, "generateText", { guard: "off" })
    assert.deepStrictEqual([played.failed, requests(played)], [false, 1])
    assert.deepStrictEqual(violationsOf(spansOf(played, "chat")[0]), kinds)
    const disabled = await turn(broken, "generateText", { guard: "strict", enabled: false })
    assert.deepStrictEqual([disabled.failed, requests(disabled)], [false, 1])
  })

  it("refuses where only the service is wrapped, and a prompt that can be read only once", async () => {
    const service = await turn(broken, "generateText", { guard: "strict" }, { reach: "service" })
    assert.strictEqual(requests(service), 0)
    const once = (function*() {
      yield* broken
    })()
    const iterable = await turn(once, "streamText", { guard: "strict" })
    assert.strictEqual(requests(iterable), 0)
    const decoded = await turn(Prompt.make(broken as Prompt.RawInput), "streamText", { guard: "strict" })
    assert.strictEqual(requests(decoded), 0)
  })

  it("refuses what would run an approved call twice, before it runs", async () => {
    const wipe = { name: "wipe", params: { path: "x" } }
    const pending = [user(), assistant(call("w1", "wipe", wipe), asked("a1", "w1"))]
    const twice = [...pending, tool(answered("a1", true), answered("a1", true))]
    const played = await turn(twice, "generateText", { guard: "strict" })
    assert.isFalse(played.host.some((line) => line.startsWith("start wipe")))
    const error = Toolspan.toBrokenHistory(played.failure) as Toolspan.BrokenHistory
    assert.deepStrictEqual(error.violations.map(({ approvalId, kind }) => [kind, approvalId]), [
      ["duplicate_approval", "a1"]
    ])
    const allowed = await turn([...pending, tool(answered("a1", true))], "generateText", { guard: "strict" })
    assert.deepStrictEqual([allowed.failed, requests(allowed)], [false, 1])
    const waiting = await turn(pending, "generateText", { guard: "strict" })
    assert.deepStrictEqual([waiting.failed, requests(waiting)], [false, 1])
  })

  it("is not taken for a request that the whole prompt may save", async () => {
    const played = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model(done)
          const toolkit = yield* world.toolkit()
          const parts = yield* world.turn(model, { prompt: [user()], toolkit })
          assert.isAbove(parts.length, 0)
          yield* world.turn(model, { prompt: broken, toolkit })
        }).pipe(Effect.provideServiceEffect(ResponseIdTracker.ResponseIdTracker, ResponseIdTracker.make)),
      "generateText",
      "all",
      { guard: "strict" }
    )
    assert.deepStrictEqual([played.failed, requests(played)], [true, 1])
  })

  it("works where nothing is traced, and for a chat", async () => {
    const untraced = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model(done)
          yield* world.turn(model, { prompt: broken })
        }).pipe(Effect.provideService(References.TracerEnabled, false)),
      "generateText",
      "all",
      { guard: "strict" }
    )
    assert.deepStrictEqual([untraced.failed, requests(untraced), untraced.trail.spans.length], [true, 0, 0])
    const chat = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model(done)
          yield* world.turn(model, { chat: yield* Chat.fromPrompt(broken as Prompt.RawInput) })
        }),
      "streamText",
      "all",
      { guard: "strict" }
    )
    assert.deepStrictEqual([chat.failed, requests(chat)], [true, 0])
  })

  it("guards a provider hook by itself", async () => {
    for (const guard of ["strict", "repair"] as const) {
      const seen: Array<any> = []
      const hooks = Toolspan.provider({
        generateText: (options: any) => Effect.sync(() => seen.push(options)),
        streamText: (options: any) => Stream.sync(() => seen.push(options))
      })
      const options = { prompt: Prompt.make(broken as Prompt.RawInput), tools: [] }
      const ask = Effect.all([
        Effect.exit(hooks.generateText(options)),
        Effect.exit(Stream.runCollect(hooks.streamText(options)))
      ]).pipe(Effect.provide(Toolspan.layer({ guard, isolated: true })))
      const exits = await Effect.runPromise(ask)
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        guard === "strict" ? ["Failure", "Failure"] : ["Success", "Success"]
      )
      assert.deepStrictEqual(
        seen.map(({ prompt }) => prompt.content[2].content.map((part: any) => part.id)),
        guard === "strict" ? [] : [["c2", "c1"], ["c2", "c1"]]
      )
    }
  })

  it("is encoded by the host's own schema, and any other error is left alone", async () => {
    const { failure } = await turn(broken, "generateText", { guard: "strict" })
    const encoded = Schema.encodeUnknownSync(AiError.AiError)(failure) as { readonly reason: { readonly _tag: string } }
    assert.strictEqual(encoded.reason._tag, "InvalidUserInputError")
    for (const other of [undefined, null, "text", new Error("x"), { reason: { cause: "x" } }]) {
      assert.strictEqual(Toolspan.toBrokenHistory(other), other)
    }
    const many = new Toolspan.BrokenHistory({
      violations: Array.from({ length: 7 }, (_, part) => ({
        kind: "missing_id" as const,
        scope: "conversation" as const,
        message: 0,
        part,
        advice: "x."
      }))
    })
    assert.deepStrictEqual(many.message.split("\n").slice(0, 2), [
      "The history was not sent, because 7 things in it are broken:",
      "missing_id at message 0, part 0: x."
    ])
    assert.strictEqual(many.message.split("\n").at(-1), "and 2 more")
    assert.lengthOf(many.message.split("\n"), 7)
  })
})

describe("a repairing guard", () => {
  for (const mode of modes) {
    it(`sends what a provider accepts of a ${mode} turn, and says what it changed`, async () => {
      // A result that a request of this process carried before is not told again.
      const played = await turn(structuredClone(broken), mode, { guard: "repair" })
      assert.isFalse(played.failed)
      const sent = played.host.find((line) => line.startsWith("asked")) ?? ""
      assert.include(sent, MissingResult.type)
      assert.notInclude(sent, "zz")
      assert.deepStrictEqual(violationsOf(spansOf(played, "LanguageModel.")[0]), kinds)
      assert.deepStrictEqual(violationsOf(spansOf(played, "chat")[0]), [])
      assert.strictEqual(played.stats.repairedHistories, 1)
      const results = spansOf(played, "tool_result")
      assert.deepStrictEqual(
        results.map(({ attributes }) => [
          attributes["gen_ai.tool.call.id"],
          attributes["toolspan.result.origin"],
          attributes["toolspan.outcome"]
        ]),
        [["c2", "prompt", "success"], ["c1", "synthesized", "failure"]]
      )
      assert.deepStrictEqual([played.complaints, played.open, played.stats.internalErrors], [[], [], 0])
    })
  }

  it("mends what the host adds to the prompt", async () => {
    const wipe = { params: { path: "x" } }
    const prompt = [
      user(),
      assistant(call("w1", "wipe", wipe), asked("a1", "w1")),
      tool(answered("a1", true), answered("a1", true))
    ]
    const played = await turn(prompt, "generateText", { guard: "repair" })
    const sent = played.host.find((line) => line.startsWith("asked")) ?? ""
    assert.strictEqual(sent.split("\"tool-result\"").length - 1, 1)
    assert.isTrue(violationsOf(spansOf(played, "LanguageModel.")[0])?.includes("duplicate_result"))
  })

  it("tells a result that was lost as a new one, once however often the turn is tried", async () => {
    const played = await run(
      (world) =>
        Effect.gen(function*() {
          const model = yield* world.model([lookup("c1"), finish()], done)
          const toolkit = yield* world.toolkit()
          const parts = yield* world.turn(model, { prompt: "go", toolkit })
          const lost = [...after("go", parts).content.filter(({ role }) => role !== "tool"), user()]
          yield* world.turn(model, { prompt: lost, toolkit })
          yield* world.turn(model, { prompt: lost, toolkit })
        }),
      "generateText",
      "all",
      { guard: "repair" }
    )
    assert.deepStrictEqual(
      spansOf(played, "tool_result").map(({ attributes }) => attributes["toolspan.result.origin"]),
      ["handler", "synthesized"]
    )
    const [, second, third] = spansOf(played, "chat")
    assert.deepStrictEqual(
      [second, third].map((span) => span?.attributes["toolspan.tool_calls.consumed"]),
      [1, 0]
    )
    const synthesized = spansOf(played, "tool_result")[1]
    assert.deepStrictEqual(second?.links.map(({ spanId }) => spanId), [synthesized?.spanId])
    assert.deepStrictEqual([played.complaints, played.stats.internalErrors], [[], 0])
  })

  it("tells no value of a call", async () => {
    const prompt = [user(), assistant(call("c1", "lookup", { params: { key: canary } })), user()]
    for (const guard of ["strict", "repair"] as const) {
      const played = await turn(prompt, "generateText", { guard })
      assert.notInclude(JSON.stringify(played.trail.spans), canary)
    }
  })

  it("leaves the calls of the response to the turn", async () => {
    const played = await turn(broken, "generateText", { guard: "repair" }, {
      answers: [[{ type: "tool-call", id: "n1", name: "lookup", params: { key: "x" } }, finish()], done]
    })
    assert.isFalse(played.failed)
    assert.lengthOf(spansOf(played, "execute_tool"), 1)
  })
})

describe("the guard of a client", () => {
  const body = {
    model: "m",
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "lookup", input: {} }] },
      { role: "user", content: "x" }
    ]
  }

  const clientOf = () => {
    const sent: Array<any> = []
    const take = (request: any) => Effect.sync(() => void sent.push(request))
    return {
      sent,
      client: Toolspan.client({
        createMessage: take,
        createMessageStream: (request: any) => Effect.as(take(request), [{}, Stream.empty]),
        client: { messagesPost: take }
      } as Record<string, any>)
    }
  }

  const all = (client: any) =>
    Effect.all([
      Effect.exit(client.createMessage({ payload: body, params: { beta: "b" } })),
      Effect.exit(client.createMessageStream({ payload: body })),
      Effect.exit(client.client.messagesPost(body))
    ]) as Effect.Effect<ReadonlyArray<any>, never, any> as Effect.Effect<ReadonlyArray<any>>

  it("refuses a request that is part of no turn", async () => {
    const { client, sent } = clientOf()
    const exits = await Effect.runPromise(
      Effect.provide(all(client), Toolspan.layer({ guard: "strict", isolated: true }))
    )
    assert.deepStrictEqual(exits.map(({ _tag }) => _tag), ["Failure", "Failure", "Failure"])
    assert.lengthOf(sent, 0)
    const flipped = await Effect.runPromise(
      Effect.flip(client["createMessage"]({ payload: body })).pipe(
        Effect.map(Toolspan.toBrokenHistory),
        Effect.provide(Toolspan.layer({ guard: "strict" }))
      ) as Effect.Effect<Toolspan.BrokenHistory>
    )
    assert.deepStrictEqual(flipped.violations.map(({ key, kind }) => [kind, key]), [["unanswered_call", "c1"]])
  })

  it("mends its body and leaves the rest of the options", async () => {
    const { client, sent } = clientOf()
    await Effect.runPromise(Effect.provide(all(client), Toolspan.layer({ guard: "repair", isolated: true })))
    assert.deepStrictEqual(sent.map((one) => Object.keys(one)), [["payload", "params"], ["payload"], [
      "model",
      "messages"
    ]])
    for (const one of sent) {
      const { messages } = one.payload ?? one
      assert.deepStrictEqual(messages[1].content.map((block: any) => block.type), ["tool_result", "text"])
    }
  })

  it("leaves it alone when off, and where everything pairs up", async () => {
    const off = clientOf()
    await Effect.runPromise(Effect.provide(all(off.client), Toolspan.layer({ guard: "off", isolated: true })))
    assert.isTrue(off.sent.every((one) => (one.payload ?? one) === body))
    const whole = { model: "m", messages: [{ role: "user", content: "x" }] }
    const strict = clientOf()
    const options = { payload: whole }
    await Effect.runPromise(
      Effect.provide(strict.client["createMessage"](options), Toolspan.layer({ guard: "strict", isolated: true }))
    )
    assert.strictEqual(strict.sent[0], options)
  })
})
