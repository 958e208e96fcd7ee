/** What a scene is, and what several of them use. */
import * as Effect from "effect/Effect"
import * as AiError from "effect/ai/AiError"
import type { Mode, Play, Reach, Settings, World } from "./World.ts"
import { call, canary, finish } from "./World.ts"

export interface Scene {
  readonly name: string
  readonly play: Play
  readonly modes?: ReadonlyArray<Mode>
  readonly reach?: Reach
  readonly settings?: Settings
  /** The modes differ in what happens, not only in how it is told. */
  readonly differs?: boolean
}

export const invalidRequest = AiError.make({
  module: "World",
  method: "request",
  reason: new AiError.InvalidRequestError({ description: canary })
})

export const streamOnly: ReadonlyArray<Mode> = ["streamText"]
export const textOnly: ReadonlyArray<Mode> = ["generateText", "streamText"]

export const lookup = (id: string) => call(id)
export const note = (id: string) => call(id, "add_note", { text: canary })
export const wipe = (id: string) => call(id, "wipe", { path: canary })

export const two = [lookup("a1"), note("b1"), finish()]

/** One turn that a handler of `lookup` behaves in. */
export const one = (
  handler: (world: World) => Effect.Effect<any, any, any>,
  options: { readonly failureMode?: "error" | "return" } = {}
): Play =>
(world) =>
  Effect.gen(function*() {
    const model = yield* world.model([lookup("a1"), finish()])
    const toolkit = yield* world.toolkit({ lookup: () => handler(world) }, options)
    return yield* world.turn(model, { toolkit })
  })
