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
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly behaviour: Behaviour }>
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
}

const often = <A>(usual: A, ...rare: ReadonlyArray<A>): fc.Arbitrary<A> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...rare) })

const anyTurn: fc.Arbitrary<AnyTurn> = fc.record({
  calls: fc.array(
    fc.record({
      id: fc.oneof({ weight: 5, arbitrary: fc.constantFrom("a", "b", "c") }, fc.constantFrom("", "a#2", "?1", "%")),
      name: fc.constantFrom("lookup", "add_note", "wipe", "lookup", "count"),
      behaviour: fc.constantFrom(...behaviours)
    }),
    { maxLength: 4 }
  ),
  ends: often("tool-calls", "stop", "length", "fails", "dies"),
  oneChunk: fc.boolean(),
  take: often<number | undefined>(undefined, 1, 2, 4),
  answers: fc.array(
    fc.record({ approvalId: fc.constantFrom("ap1", "ap2", "ap3"), approved: fc.boolean() }),
    { maxLength: 3 }
  ),
  history: fc.constantFrom("chat", "parts", "file", "none"),
  resolves: often(true, false),
  concurrency: fc.constantFrom("unbounded", 1, 2)
})

export const anyApp: fc.Arbitrary<AnyApp> = fc.record({
  failureMode: fc.constantFrom("return" as const, "error" as const),
  turns: fc.array(anyTurn, { minLength: 1, maxLength: 4 })
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

const argument: Readonly<Record<string, string>> = { lookup: "key", add_note: "text", wipe: "path", count: "key" }

const answerOf = (turn: AnyTurn): Answer => {
  const calls = turn.calls.map(({ behaviour, id, name }) =>
    call(id, name, { [argument[name]!]: `${behaviour} ${canary}` })
  )
  if (turn.ends === "fails") return { fails: failed, after: calls }
  if (turn.ends === "dies") return { dies: new RangeError(canary), after: calls }
  const parts = [...calls, finish(turn.ends)]
  return turn.oneChunk ? { chunk: parts } : parts
}

const answered = (turn: AnyTurn): ReadonlyArray<any> =>
  turn.answers.length === 0 ? [] : [{
    role: "tool",
    content: turn.answers.map((answer) => ({ type: "tool-approval-response", ...answer, reason: canary }))
  }]

/** The same messages, as if they came back from a file: no object is the one that it was. */
const fromFile = (prompt: Prompt.Prompt): Prompt.RawInput =>
  prompt.content.map((message) => JSON.parse(JSON.stringify(message)))

/** The app that does this. A turn that fails is only noted; the next one goes on. */
export const play = (app: AnyApp): Play => (world) =>
  Effect.gen(function*() {
    const model = yield* world.model(...app.turns.map(answerOf))
    const handler = (params: any, { preliminary }: any) => behave(Object.values(params).join(" "), preliminary)
    const toolkit = yield* world.toolkit(
      { lookup: handler, add_note: handler, wipe: handler, count: handler },
      { failureMode: app.failureMode }
    )
    const chat = yield* Chat.empty
    let history: Prompt.Prompt = Prompt.empty
    for (const [index, turn] of app.turns.entries()) {
      const extra = answered(turn)
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
      world.note(exit._tag === "Success" ? "turn: success" : `turn: ${exit.cause.reasons.map((one) => one._tag)}`)
      if (exit._tag === "Success") history = after(whole, exit.value)
    }
  })

/** The same app, interrupted after so many steps. */
export const interrupted = (inner: Play, steps: number): Play => (world) =>
  Effect.gen(function*() {
    const over = yield* Deferred.make<void>()
    const waits = Effect.andThen(yields(steps), Deferred.succeed(over, undefined))
    yield* Effect.raceFirst(inner(world), Effect.andThen(waits, Deferred.await(over)))
  })
