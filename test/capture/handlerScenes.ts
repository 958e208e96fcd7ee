/** What handlers do and how they fail. */
import * as Effect from "effect/Effect"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Toolspan from "../../src/index.ts"
import type { Scene } from "./scene.ts"
import { lookup, note, one, streamOnly, two } from "./scene.ts"
import { after, call, canary, done, finish, Refused } from "./World.ts"

const failures: Readonly<Record<string, () => Effect.Effect<any, any>>> = {
  "a tagged error": () => Effect.fail(new Refused({ detail: canary })),
  // As many apps fail: an error without a tag.
  // @effect-diagnostics-next-line globalErrorInEffectFailure:off
  "a plain error": () => Effect.fail(new TypeError(canary)),
  "a value": () => Effect.fail({ secret: canary }),
  "a text": () => Effect.fail(canary),
  "a defect": () => Effect.die(new RangeError(canary)),
  "a defect that is a text": () => Effect.die(canary),
  "a wrong result": () => Effect.succeed({ secret: canary }),
  "its own interrupt": () => Effect.interrupt
}

/** Handlers that succeed, fail, and call models of their own. */
export const handlerScenes: ReadonlyArray<Scene> = [
  {
    name: "two parallel calls, one fails, and a turn that carries their results",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model(two, done)
        const toolkit = yield* world.toolkit({ add_note: () => Effect.fail(new Refused({ detail: canary })) })
        const parts = yield* world.turn(model, { toolkit })
        return yield* world.turn(model, { toolkit, prompt: after("go", parts) })
      })
  },
  {
    name: "a chat of three turns",
    play: (world) =>
      Effect.gen(function*() {
        const chat = yield* Chat.empty
        const model = yield* world.model([lookup("a1"), finish()], [lookup("a1"), note("b1"), finish()], done)
        const toolkit = yield* world.toolkit()
        for (const prompt of ["go", [], []]) yield* world.turn(model, { chat, toolkit, prompt })
      })
  },
  {
    name: "spans of the app in parallel handlers",
    play: (world) =>
      Effect.gen(function*() {
        const inner = (name: string) =>
          Effect.yieldNow.pipe(
            Effect.andThen(Effect.annotateCurrentSpan("tool", "of the app")),
            Effect.andThen(Effect.yieldNow),
            Effect.as("x"),
            Effect.withSpan(name)
          )
        const model = yield* world.model([...two.slice(0, 2), lookup("a2"), finish()])
        const toolkit = yield* world.toolkit({
          lookup: () => Effect.andThen(inner("app query"), inner("app query")),
          add_note: () => inner("app write")
        })
        return yield* world.turn(model, { toolkit })
      })
  },
  {
    name: "a handler that runs a model with tools of its own",
    play: (world) =>
      Effect.gen(function*() {
        const outer = yield* world.model([lookup("a1"), finish()])
        const inner = yield* world.model([note("a1"), finish()])
        const tools = yield* world.toolkit()
        const toolkit = yield* world.toolkit({
          lookup: () =>
            Effect.as(LanguageModel.generateText({ prompt: "inner", toolkit: tools }), "asked").pipe(
              Effect.provideService(LanguageModel.LanguageModel, inner),
              Toolspan.withAgent("researcher")
            )
        })
        return yield* world.turn(outer, { toolkit })
      })
  },
  {
    name: "preliminary results",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("a1"), finish()])
        const toolkit = yield* world.toolkit({
          lookup: (_, { preliminary }) =>
            Effect.as(Effect.andThen(preliminary(`${canary} 1`), preliminary(`${canary} 2`)), canary)
        })
        return yield* world.turn(model, { toolkit })
      })
  },
  {
    name: "arguments in fragments",
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([
          { type: "tool-params-start", id: "a1", name: "lookup" },
          { type: "tool-params-delta", id: "a1", delta: "{\"key\":" },
          { type: "tool-params-delta", id: "a1", delta: `"${canary}"}` },
          { type: "tool-params-end", id: "a1" },
          lookup("a1"),
          finish()
        ])
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  ...Object.entries(failures).flatMap(([name, failure]) =>
    (["return", "error"] as const).map((failureMode): Scene => ({
      name: `a handler that ends with ${name}, failure mode ${failureMode}`,
      play: one(failure, { failureMode })
    }))
  ),
  {
    name: "a failure that ends the turn while another handler runs",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model(two)
        const toolkit = yield* world.toolkit({
          lookup: () => Effect.never,
          add_note: () => Effect.andThen(Effect.yieldNow, Effect.fail(new Refused({ detail: canary })))
        }, { failureMode: "error" })
        return yield* world.turn(model, { toolkit })
      })
  },
  ...(["return", "error"] as const).map((failureMode): Scene => ({
    name: `arguments that do not decode, failure mode ${failureMode}`,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([call("a1", "lookup", { kee: canary }), finish()])
        return yield* world.turn(model, { toolkit: yield* world.toolkit({}, { failureMode }) })
      })
  })),
  {
    name: "a result that does not encode",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([call("a1", "count", { key: canary }), finish()])
        return yield* world.turn(model, { toolkit: yield* world.toolkit({ count: () => Effect.succeed(canary) }) })
      })
  },
  {
    name: "a tool that the model invented",
    differs: true,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([call("a1", "no_such_tool", { key: canary }), finish()])
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a turn without tools",
    play: (world) =>
      Effect.gen(function*() {
        return yield* world.turn(yield* world.model(done), {})
      })
  }
]
