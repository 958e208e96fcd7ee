/** Any app: what a model may answer, what handlers may do and how a turn may end, as data. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Prompt from "effect/ai/Prompt"
import * as AiError from "effect/ai/AiError"
import * as Chat from "effect/ai/Chat"
import * as fc from "fast-check"
import * as Toolspan from "../../src/index.ts"
import type { Answer, Play } from "./World.ts"
import { after, call, canary, finish, Refused } from "./World.ts"

const behaviours = ["succeed", "fail", "throw", "die", "interrupt", "preliminary", "slow", "slower", "wrong"] as const

type Behaviour = typeof behaviours[number]

interface AnyTurn {
  readonly calls: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly behaviour: Behaviour
    readonly fragments: number
    /** The model gives an argument that the tool does not have. */
    readonly invents: boolean
  }>
  readonly ends: "tool-calls" | "stop" | "length" | "fails" | "dies"
  readonly oneChunk: boolean
  readonly take: number | undefined
  readonly answers: ReadonlyArray<{ readonly approvalId: string; readonly approved: boolean }>
  readonly history: "chat" | "parts" | "file" | "trimmed" | "goes on" | "none"
  readonly resolves: boolean
  readonly concurrency: number | "unbounded"
}

export interface AnyApp {
  readonly failureMode: "error" | "return"
  readonly turns: ReadonlyArray<AnyTurn>
  /** The same app runs twice at once, with the same ids. */
  readonly alongside: boolean
  /** Each of them names its conversation. */
  readonly named: boolean
}

const often = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...rare) })

const anyTurn = fc.record({
  calls: fc.array(
    fc.record({
      id: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("a", "b", "c") }, fc.constantFrom("", "a#2", "?1", "%")),
      name: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("lookup", "add_note", "wipe", "lookup", "count", "wipe") },
        fc.constantFrom("search", "no_such_tool", "constructor", "web_search")
      ),
      behaviour: fc.constantFrom(...behaviours),
      fragments: fc.constantFrom(0, 0, 0, 2),
      invents: often(false, true)
    }),
    { maxLength: 4 }
  ),
  ends: often<AnyTurn["ends"]>("tool-calls", "stop", "length", "fails", "dies"),
  oneChunk: fc.boolean(),
  take: often<number | undefined>(undefined, 1, 2, 4),
  answers: fc.array(
    fc.record({ approvalId: fc.constantFrom("ap1", "ap1", "ap2", "ap3", "ap4"), approved: often(true, false) }),
    { maxLength: 3 }
  ),
  history: fc.constantFrom<AnyTurn["history"]>("chat", "parts", "file", "trimmed", "goes on", "none"),
  resolves: often(true, false),
  concurrency: fc.constantFrom<AnyTurn["concurrency"]>("unbounded", 1, 2)
})

export const anyApp: fc.Arbitrary<AnyApp> = fc.record({
  failureMode: fc.constantFrom<AnyApp["failureMode"]>("return", "error"),
  turns: fc.array(anyTurn, { minLength: 1, maxLength: 4 }),
  alongside: often(false, true),
  named: fc.boolean()
})

const failed = AiError.make({
  module: "World",
  method: "request",
  reason: new AiError.InternalProviderError({ description: canary })
})

const yields = (times: number) => Effect.repeat(Effect.yieldNow, { times })

const behave = (text: string, preliminary: (value: any) => Effect.Effect<void>): Effect.Effect<any, any> => {
  switch (text.split(" ")[0] as Behaviour) {
    case "succeed":
      return Effect.succeed(text)
    case "fail":
      return Effect.fail(new Refused({ detail: text }))
    case "throw":
      return Effect.sync(() => {
        throw new TypeError(text)
      })
    case "die":
      return Effect.die({ text })
    case "interrupt":
      return Effect.interrupt
    case "preliminary":
      return Effect.as(Effect.andThen(preliminary(text), yields(2)), text)
    case "slow":
      return Effect.as(yields(5), text)
    case "slower":
      return Effect.as(yields(40), text)
    case "wrong":
      return Effect.succeed({ text })
  }
}

const answerOf = (turn: AnyTurn, index: number): Answer => {
  const calls = turn.calls.flatMap(({ behaviour, fragments, id, invents, name }, position) => {
    // No two calls of an app have the same parameters: a run tells which of them it is of.
    const params = {
      [name === "add_note" ? "text" : name === "wipe" ? "path" : "key"]: `${behaviour} ${canary} ${index}.${position}`,
      ...invents ? { invented: canary } : {}
    }
    const start = { type: "tool-params-start", id, name }
    const deltas = Array.from({ length: fragments }, () => ({ type: "tool-params-delta", id, delta: canary }))
    if (name !== "search") return [...fragments > 0 ? [start, ...deltas] : [], call(id, name, params)]
    const result = {
      type: "tool-result",
      id: `s${id}`,
      name,
      providerExecuted: true,
      isFailure: behaviour === "fail",
      result: canary
    }
    return [call(result.id, name, params, { providerExecuted: true }), ...behaviour === "slow" ? [] : [result]]
  })
  if (turn.ends === "fails") return { fails: failed, after: calls }
  if (turn.ends === "dies") return { dies: new RangeError(canary), after: calls }
  const parts = [...calls, finish(turn.ends)]
  return turn.oneChunk ? { chunk: parts } : parts
}

const answered = (turn: AnyTurn, requested: ReadonlySet<string>): ReadonlyArray<any> => {
  const answers = turn.answers.filter((answer) => requested.has(answer.approvalId))
  return answers.length === 0 ? [] : [{
    role: "tool",
    content: answers.map((answer) => ({ type: "tool-approval-response", ...answer, reason: canary }))
  }]
}

/** The same messages, as if they came back from a file: no object is the one that it was. */
const fromFile = (prompt: Prompt.Prompt): Prompt.RawInput =>
  prompt.content.map((message) => JSON.parse(JSON.stringify(message)))

const said: Prompt.RawInput = [{ role: "user", content: "go on" }]

/** What the app asks with: the whole history, or what it makes of it. */
const promptOf = (history: AnyTurn["history"], whole: Prompt.Prompt): Prompt.RawInput => {
  switch (history) {
    case "file":
      return fromFile(whole)
    case "trimmed":
      return fromFile(Prompt.fromMessages(whole.content.slice(2)))
    case "goes on":
      return Prompt.concat(whole, said)
    case "none":
      return "go"
    case "chat":
    case "parts":
      return whole
  }
}

/** The app that does this. */
export const play = (app: AnyApp): Play => (world) => {
  const one = (conversation: string) =>
    app.named ? Toolspan.withConversation(conversation)(turns(app)(world)) : turns(app)(world)
  return app.alongside ? Effect.all([one("one"), one("other")], { concurrency: 2, discard: true }) : one("one")
}

// A turn that fails is only noted; the next one goes on.
const turns = (app: AnyApp): Play => (world) =>
  Effect.gen(function*() {
    const model = yield* world.model(...app.turns.map(answerOf))
    const handler = (params: any, { preliminary }: any) => behave(Object.values(params).join(" "), preliminary)
    const toolkit = yield* world.toolkit(
      { lookup: handler, add_note: handler, wipe: handler, count: handler },
      { failureMode: app.failureMode }
    )
    const chat = yield* Chat.empty
    const requested = new Set<string>()
    let history: Prompt.Prompt = Prompt.empty
    for (const [index, turn] of app.turns.entries()) {
      const extra = answered(turn, requested)
      const asked = extra.length > 0 ? extra : index === 0 ? "go" : []
      const options = {
        toolkit,
        concurrency: turn.concurrency,
        ...(turn.resolves ? {} : { disableToolCallResolution: true }),
        ...(turn.take === undefined ? {} : { take: turn.take })
      }
      const whole = Prompt.concat(history, Prompt.make(asked as any))
      const prompt = promptOf(turn.history, whole)
      const run = turn.history === "chat"
        ? world.turn(model, { ...options, chat, prompt: asked })
        : world.turn(model, { ...options, prompt })
      const exit = yield* Effect.exit(run)
      world.note(
        exit._tag === "Success" ? "turn: success" : `turn: ${exit.cause.reasons.map((one) => one._tag).join()}`
      )
      if (exit._tag === "Failure") continue
      history = after(whole, exit.value)
      for (const part of exit.value) if (part.type === "tool-approval-request") requested.add(part.approvalId)
    }
  })

/** What an app ends with that was interrupted. */
export const outOfSteps = "out of steps"

/** The same app, interrupted after so many steps; what was over before is as it was. */
export const interrupted = (inner: Play, steps: number): Play => (world) =>
  Effect.gen(function*() {
    const over = yield* Deferred.make<string>()
    const waits = Effect.andThen(yields(steps), Deferred.succeed(over, outOfSteps))
    return yield* Effect.raceFirst(inner(world), Effect.andThen(waits, Deferred.await(over)))
  })
