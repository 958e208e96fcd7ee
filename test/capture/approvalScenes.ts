/** Approvals, and what else is said between turns. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Chat from "effect/ai/Chat"
import * as Toolspan from "../../src/index.ts"
import type { Scene } from "./scene.ts"
import { lookup, wipe } from "./scene.ts"
import type { World } from "./World.ts"
import { after, canary, done, finish } from "./World.ts"

/** The message with a human's answers: the approval, whether it is given, and why. */
export const answers = (...all: ReadonlyArray<readonly [string, boolean, string?]>) => [{
  role: "tool",
  content: all.map(([approvalId, approved, reason]) => ({
    type: "tool-approval-response",
    approvalId,
    approved,
    ...(reason === undefined ? {} : { reason })
  }))
}]

/** A chat whose first turn asks, and whose next ones say what they are given. */
export const approvalTurns = (
  world: World,
  asked: ReadonlyArray<any>,
  ...next: ReadonlyArray<any>
): Effect.Effect<unknown, unknown, any> =>
  Effect.gen(function*() {
    const chat = yield* Chat.empty
    const model = yield* world.model([...asked, finish()], done)
    const toolkit = yield* world.toolkit()
    yield* world.turn(model, { chat, toolkit })
    yield* TestClock.adjust("1 minute")
    for (const prompt of next) yield* world.turn(model, { chat, toolkit, prompt })
  })

/** Approvals in one process, and conversations. */
export const approvalScenes: ReadonlyArray<Scene> = [
  {
    name: "an approval that is given",
    play: (world) => approvalTurns(world, [wipe("w1")], answers(["ap1", true]), "thanks")
  },
  {
    name: "an approval that is refused",
    play: (world) => approvalTurns(world, [wipe("w1")], answers(["ap1", false, canary]), "thanks")
  },
  {
    name: "an approval that nobody answers",
    play: (world) => approvalTurns(world, [wipe("w1")], "never mind", "and then")
  },
  {
    name: "a free call, an approved and a refused one in one response",
    play: (world) =>
      approvalTurns(
        world,
        [lookup("a1"), wipe("w1"), wipe("w2")],
        answers(["ap1", true], ["ap2", false, canary]),
        "thanks"
      )
  },
  {
    name: "two conversations that use the same id",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("call_0"), finish()], [lookup("call_0"), finish()], done)
        const toolkit = yield* world.toolkit()
        const first = world.turn(model, { toolkit }).pipe(Toolspan.withConversation("one"))
        const second = world.turn(model, { toolkit }).pipe(Toolspan.withConversation("two"))
        const parts = [yield* first, yield* second]
        // The histories come back from a file.
        const prompts = parts.map((part) =>
          structuredClone(after("go", part).content).map((message) => ({ ...message }))
        )
        yield* world.turn(model, { toolkit, prompt: prompts[1] }).pipe(Toolspan.withConversation("two"))
        yield* world.turn(model, { toolkit, prompt: prompts[0] }).pipe(Toolspan.withConversation("one"))
      })
  }
]
