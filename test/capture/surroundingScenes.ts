/** What the app puts around its turns. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import { answers, approvalTurns } from "./approvalScenes.ts"
import type { Scene } from "./scene.ts"
import { invalidRequest, lookup, note, one, two, wipe } from "./scene.ts"
import { after, canary, done, finish } from "./World.ts"

/** Options, tracing, and how much is wrapped. */
export const surroundingScenes: ReadonlyArray<Scene> = [
  {
    name: "a prompt that can be read once",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("a1"), finish()])
        const toolkit = yield* world.toolkit()
        const prompt = [{ role: "user", content: [{ type: "text", text: "go" }] }].values()
        return yield* world.turn(model, { toolkit, prompt })
      })
  },
  {
    name: "a toolkit that is an effect, and frozen options",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("a1"), finish()])
        const toolkit = Object.freeze(yield* world.toolkit())
        return yield* world.turn(model, Object.freeze({ toolkit: Effect.succeed(toolkit) }))
      })
  },
  {
    name: "one call at a time",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([lookup("a1"), note("b1"), lookup("a2"), finish()])
        return yield* world.turn(model, { toolkit: yield* world.toolkit(), concurrency: 1 })
      })
  },
  {
    name: "a handler that streams a chat of its own, and fails with its failure",
    play: (world) =>
      Effect.gen(function*() {
        const outer = yield* world.model([lookup("a1"), finish()])
        const inner = yield* world.model({ fails: invalidRequest, after: [note("b1"), ...two] })
        const tools = yield* world.toolkit()
        const toolkit = yield* world.toolkit({
          lookup: () =>
            Effect.gen(function*() {
              const chat = yield* Chat.empty
              yield* Stream.runDrain(chat.streamText({ prompt: canary, toolkit: tools }))
            }).pipe(Effect.provideService(LanguageModel.LanguageModel, inner))
        }, { failureMode: "error" })
        return yield* world.turn(outer, { toolkit })
      })
  },
  {
    name: "timing is switched off",
    play: (world) =>
      Effect.andThen(
        TestClock.adjust("1 hour"),
        approvalTurns(world, [lookup("a1"), wipe("w1")], answers(["ap1", true]))
      ).pipe(
        Effect.withTracerTiming(false)
      )
  },
  {
    name: "an app that annotates all its spans",
    play: (world) => Effect.annotateSpans(one(() => Effect.succeed("x"))(world), { "app.user": "u1" })
  },
  {
    name: "only the service is wrapped",
    reach: "service",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model(two, done)
        const toolkit = yield* world.toolkit()
        const parts = yield* world.turn(model, { toolkit })
        return yield* world.turn(model, { toolkit, prompt: after("go", parts) })
      })
  },
  {
    name: "only the toolkit is wrapped",
    reach: "toolkit",
    differs: true,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model(two)
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "everything is wrapped twice",
    reach: "twice",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model(two, done)
        const toolkit = yield* world.toolkit()
        const parts = yield* world.turn(model, { toolkit })
        return yield* world.turn(model, { toolkit, prompt: after("go", parts) })
      })
  },
  {
    name: "a parent that is not sampled",
    play: (world) =>
      Effect.withParentSpan(
        Effect.gen(function*() {
          const model = yield* world.model(two)
          const toolkit = yield* world.toolkit()
          // Without a root of its own.
          return yield* Effect.provideService(
            LanguageModel.generateText({ prompt: "go", toolkit }),
            LanguageModel.LanguageModel,
            model
          )
        }),
        Tracer.externalSpan({ traceId: "1".repeat(32), spanId: "2".repeat(16), sampled: false })
      ) as Effect.Effect<unknown, unknown>,
    modes: ["generateText"]
  },
  {
    name: "tracing is switched off",
    play: (world) => Effect.withTracerEnabled(one(() => Effect.succeed("x"))(world), false)
  },
  {
    name: "toolspan is switched off",
    differs: true,
    settings: { enabled: false },
    play: one(() => Effect.succeed("x"))
  }
]
