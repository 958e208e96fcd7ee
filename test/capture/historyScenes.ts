/** Calls whose life goes on in a later turn, or outside of one. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Chat from "effect/ai/Chat"
import * as Prompt from "effect/ai/Prompt"
import * as ResponseIdTracker from "effect/ai/ResponseIdTracker"
import type { Scene } from "./scene.ts"
import { invalidRequest, lookup, note, textOnly, wipe } from "./scene.ts"
import type { Play } from "./World.ts"
import { after, call, canary, done, finish } from "./World.ts"

const manual = (id: (call: any) => string | undefined, read: boolean): Play => (world) =>
  Effect.gen(function*() {
    const model = yield* world.model([lookup("a1"), finish()], done)
    const toolkit = yield* world.toolkit()
    const parts = yield* world.turn(model, { toolkit, disableToolCallResolution: true })
    const results: Array<any> = []
    for (const part of parts.filter((part) => part.type === "tool-call")) {
      const handled = id(part) === undefined
        ? toolkit.handle(part.name, part.params)
        : toolkit.handle(part.name, part.params, id(part))
      const stream = (yield* handled) as Stream.Stream<any>
      if (read) {
        yield* Stream.runForEach(stream, (result) =>
          Effect.sync(() => {
            results.push(result)
            world.note(`result ${JSON.stringify(result)}`)
          }))
      }
    }
    if (!read) return
    const prompt = Prompt.concat(
      after("go", parts),
      Prompt.make([{
        role: "tool",
        content: [{ type: "tool-result", id: "a1", name: "lookup", isFailure: false, result: results[0].encodedResult }]
      }])
    )
    return yield* world.turn(model, { toolkit, prompt })
  }).pipe(Effect.withSpan("app", { root: true }))

/** Results, ids and histories. */
export const historyScenes: ReadonlyArray<Scene> = [
  {
    name: "a finish that cut the response off",
    differs: true,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("a1"), note("b1"), finish("length")], done)
        const toolkit = yield* world.toolkit()
        const parts = yield* world.turn(model, { toolkit })
        return yield* world.turn(model, { toolkit, prompt: after("go", parts) })
      })
  },
  {
    name: "calls that the provider runs",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([
          call("s1", "search", { key: canary }, { providerExecuted: true }),
          { type: "tool-result", id: "s1", name: "search", providerExecuted: true, isFailure: false, result: canary },
          call("s2", "search", { key: canary }, { providerExecuted: true }),
          { type: "tool-result", id: "s2", name: "search", providerExecuted: true, isFailure: true, result: canary },
          finish("stop")
        ], done)
        const toolkit = yield* world.toolkit()
        const parts = yield* world.turn(model, { toolkit })
        return yield* world.turn(model, { toolkit, prompt: after("go", parts) })
      })
  },
  {
    name: "one id for a call of the provider, a free one and one that needs approval",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([
          call("x", "search", { key: canary }, { providerExecuted: true }),
          { type: "tool-result", id: "x", name: "search", providerExecuted: true, isFailure: false, result: canary },
          lookup("x"),
          wipe("x"),
          finish()
        ])
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "two calls of the provider with one id",
    play: (world) =>
      Effect.gen(function*() {
        const search = call("x", "search", { key: canary }, { providerExecuted: true })
        const result = { type: "tool-result", id: "x", name: "search", providerExecuted: true, result: canary }
        const model = yield* world.model([search, search, { ...result, isFailure: false }, finish("stop")])
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a history with a result of the app, sent again after a failure",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({ fails: invalidRequest }, done)
        const toolkit = yield* world.toolkit()
        const prompt = Prompt.make([
          { role: "user", content: [{ type: "text", text: "go" }] },
          { role: "assistant", content: [{ ...lookup("a1"), type: "tool-call", providerExecuted: false }] },
          {
            role: "tool",
            content: [{ type: "tool-result", id: "a1", name: "lookup", isFailure: false, result: canary }]
          }
        ])
        yield* Effect.exit(world.turn(model, { toolkit, prompt }))
        return yield* world.turn(model, { toolkit, prompt })
      })
  },
  {
    name: "handled by hand, with the call's id",
    modes: textOnly,
    play: manual((part) => part.id, true)
  },
  {
    name: "handled by hand, without an id",
    modes: textOnly,
    play: manual(() => undefined, true)
  },
  {
    name: "handled by hand, and the results never read",
    modes: textOnly,
    play: manual((part) => part.id, false)
  },
  {
    name: "handled by hand under a name that no tool has",
    modes: ["generateText"],
    play: (world) =>
      Effect.gen(function*() {
        const toolkit = yield* world.toolkit()
        return yield* Effect.exit(toolkit.handle("no_such_tool", { key: canary }, "a1"))
      }).pipe(Effect.withSpan("app"))
  },
  {
    name: "a request by parts of the prompt that falls back to the whole",
    modes: textOnly,
    play: (world) =>
      Effect.gen(function*() {
        const chat = yield* Chat.empty
        const metadata = { type: "response-metadata", id: "r1" }
        const model = yield* world.model(
          [metadata, lookup("a1"), finish()],
          { fails: invalidRequest },
          [note("b1"), finish()]
        )
        const toolkit = yield* world.toolkit()
        yield* world.turn(model, { chat, toolkit })
        return yield* world.turn(model, { chat, toolkit, prompt: [] })
      }).pipe(Effect.provideServiceEffect(ResponseIdTracker.ResponseIdTracker, ResponseIdTracker.make))
  }
]
