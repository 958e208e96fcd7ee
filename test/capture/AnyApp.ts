/** Any app: what a model may answer, what handlers may do and how a turn may end, as data. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Prompt from "effect/ai/Prompt"
import * as AiError from "effect/ai/AiError"
import * as Chat from "effect/ai/Chat"
import * as fc from "fast-check"
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
  }>
  readonly ends: "tool-calls" | "stop" | "length" | "fails" | "dies"
  readonly oneChunk: boolean
  readonly take: number | undefined
  readonly answers: ReadonlyArray<{ readonly approvalId: string; readonly approved: boolean }>
  readonly history: "chat" | "parts" | "file" | "none"
  readonly resolves: boolean
  readonly concurrency: number | "unbounded"
}

export interface AnyApp {
  readonly failureMode: "error" | "return"
  readonly turns: ReadonlyArray<AnyTurn>
  /** The same app runs twice at once, with the same ids. */
  readonly alongside: boolean
}

const often = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...rare) })

const anyTurn = fc.record({
  calls: fc.array(
    fc.record({
      id: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("a", "b", "c") }, fc.constantFrom("", "a#2", "?1", "%")),
      name: fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom("lookup", "add_note", "wipe", "lookup", "count") },
        fc.constantFrom("search", "no_such_tool", "constructor")
      ),
      behaviour: fc.constantFrom(...behaviours),
      fragments: fc.constantFrom(0, 0, 0, 2)
    }),
    { maxLength: 4 }
  ),
  ends: often<AnyTurn["ends"]>("tool-calls", "stop", "length", "fails", "dies"),
  oneChunk: fc.boolean(),
  take: often<number | undefined>(undefined, 1, 2, 4),
  answers: fc.array(
    fc.record({ approvalId: fc.constantFrom("ap1", "ap2", "ap3", "ap4"), approved: fc.boolean() }),
    { maxLength: 3 }
  ),
  history: fc.constantFrom<AnyTurn["history"]>("chat", "parts", "file", "none"),
  resolves: often(true, false),
  concurrency: fc.constantFrom<AnyTurn["concurrency"]>("unbounded", 1, 2)
})

export const anyApp: fc.Arbitrary<AnyApp> = fc.record({
  failureMode: fc.constantFrom<AnyApp["failureMode"]>("return", "error"),
  turns: fc.array(anyTurn, { minLength: 1, maxLength: 4 }),
  alongside: often(false, true)
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

const argument: Readonly<Record<string, string>> = { add_note: "text", wipe: "path" }

const answerOf = (turn: AnyTurn): Answer => {
  const calls = turn.calls.flatMap(({ behaviour, fragments, id, name }) => {
    const params = { [argument[name] ?? "key"]: `${behaviour} ${canary}` }
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

/** The app that does this. */
export const play = (app: AnyApp): Play => (world) =>
  app.alongside
    ? Effect.all([turns(app)(world), turns(app)(world)], { concurrency: 2, discard: true })
    : turns(app)(world)

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
      const prompt = turn.history === "file" ? fromFile(whole) : turn.history === "none" ? "go" : whole
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
