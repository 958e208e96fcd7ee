/** Whatever can happen to a tool call, as small apps; every value that must not be told holds the canary. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as AiError from "effect/ai/AiError"
import * as Chat from "effect/ai/Chat"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as ResponseIdTracker from "effect/ai/ResponseIdTracker"
import * as Toolspan from "../../src/index.ts"
import type { Mode, Play, Reach, Settings, World } from "./World.ts"
import { after, call, canary, done, finish, modes, Refused } from "./World.ts"

export interface Scene {
  readonly name: string
  readonly play: Play
  readonly modes?: ReadonlyArray<Mode>
  readonly reach?: Reach
  readonly settings?: Settings
  /** The modes differ in what happens, not only in how it is told. */
  readonly differs?: boolean
}

const invalidRequest = AiError.make({
  module: "World",
  method: "request",
  reason: new AiError.InvalidRequestError({ description: canary })
})

const streamOnly: ReadonlyArray<Mode> = ["streamText"]
const textOnly: ReadonlyArray<Mode> = ["generateText", "streamText"]

const lookup = (id: string) => call(id)
const note = (id: string) => call(id, "add_note", { text: canary })
const wipe = (id: string) => call(id, "wipe", { path: canary })

const two = [lookup("a1"), note("b1"), finish()]

const answers = (...all: ReadonlyArray<readonly [string, boolean, string?]>) => [{
  role: "tool",
  content: all.map(([approvalId, approved, reason]) => ({
    type: "tool-approval-response",
    approvalId,
    approved,
    ...(reason === undefined ? {} : { reason })
  }))
}]

/** One turn that a handler of `lookup` behaves in. */
const one = (
  handler: (world: World) => Effect.Effect<any, any, any>,
  options: { readonly failureMode?: "error" | "return" } = {}
): Play =>
(world) =>
  Effect.gen(function*() {
    const model = yield* world.model([lookup("a1"), finish()])
    const toolkit = yield* world.toolkit({ lookup: () => handler(world) }, options)
    return yield* world.turn(model, { toolkit })
  })

const failures: Readonly<Record<string, () => Effect.Effect<any, any>>> = {
  "a tagged error": () => Effect.fail(new Refused({ detail: canary })),
  "a plain error": () => Effect.fail(new TypeError(canary)),
  "a value": () => Effect.fail({ secret: canary }),
  "a text": () => Effect.fail(canary),
  "a defect": () => Effect.die(new RangeError(canary)),
  "a defect that is a text": () => Effect.die(canary),
  "a wrong result": () => Effect.succeed({ secret: canary }),
  "its own interrupt": () => Effect.interrupt
}

const approvalTurns = (
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

/** Runs a turn whose handler waits for ever, and ends it in some way once the handler runs. */
const stuck = (
  end: (turn: Effect.Effect<unknown, unknown>, started: Effect.Effect<void>) => Effect.Effect<unknown, unknown>
): Play =>
(world) =>
  Effect.gen(function*() {
    const started = yield* Deferred.make<void>()
    const model = yield* world.model([lookup("a1"), note("b1"), finish()])
    const toolkit = yield* world.toolkit({
      // The other call is done by then, in every mode.
      lookup: () =>
        Effect.yieldNow.pipe(
          Effect.repeat({ times: 30 }),
          Effect.andThen(Deferred.succeed(started, undefined)),
          Effect.andThen(Effect.never)
        )
    })
    return yield* end(world.turn(model, { toolkit }), Deferred.await(started))
  })

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

export const scenes: ReadonlyArray<Scene> = [
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
  },
  {
    name: "interrupted by a timeout",
    differs: true,
    play: stuck((turn, started) =>
      Effect.gen(function*() {
        const fiber = yield* Effect.forkChild(Effect.timeout(turn, "1 second"))
        yield* started
        yield* TestClock.adjust("1 second")
        return yield* Fiber.join(fiber)
      })
    )
  },
  { name: "interrupted by a race", differs: true, play: stuck((turn, started) => Effect.raceFirst(turn, started)) },
  {
    name: "interrupted by the close of a scope",
    differs: true,
    play: stuck((turn, started) =>
      Effect.acquireUseRelease(
        Scope.make(),
        (scope) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.forkIn(turn, scope)
            yield* started
            yield* Scope.close(scope, Exit.void)
            return Exit.isFailure(yield* Effect.exit(Fiber.join(fiber)))
          }),
        (scope) => Scope.close(scope, Exit.void)
      )
    )
  },
  ...[1, 4, 5, 6].map((take): Scene => ({
    name: `a consumer that leaves after ${take} parts`,
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model([{ type: "text", text: "hm" }, lookup("a1"), note("b1"), finish()])
        const toolkit = yield* world.toolkit({ lookup: () => Effect.never })
        return yield* world.turn(model, { toolkit, take })
      })
  })),
  {
    name: "a provider that fails before it answers",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({ fails: invalidRequest })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a provider that dies before it answers",
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({ dies: new Error(canary) })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a stream that dies in the middle of a call",
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({
          fails: invalidRequest,
          after: [
            lookup("a1"),
            { type: "tool-params-start", id: "b1", name: "add_note" },
            { type: "tool-params-delta", id: "b1", delta: `{"text":"${canary}` }
          ]
        })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
  {
    name: "a stream that dies after a result came out",
    modes: streamOnly,
    play: (world) =>
      Effect.gen(function*() {
        const model = yield* world.model({
          fails: invalidRequest,
          after: [lookup("a1"), ...Array.from({ length: 20 }, () => ({ type: "text", text: "…" }))]
        })
        return yield* world.turn(model, { toolkit: yield* world.toolkit() })
      })
  },
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
  },
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
        const prompts = parts.map((part) => structuredClone(after("go", part).content).map((message) => ({ ...message })))
        yield* world.turn(model, { toolkit, prompt: prompts[1] }).pipe(Toolspan.withConversation("two"))
        yield* world.turn(model, { toolkit, prompt: prompts[0] }).pipe(Toolspan.withConversation("one"))
      })
  },
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
      Effect.andThen(TestClock.adjust("1 hour"), approvalTurns(world, [lookup("a1"), wipe("w1")], answers(["ap1", true]))).pipe(
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

/** Each scene in each of its modes. */
export const performances: ReadonlyArray<{ readonly scene: Scene; readonly mode: Mode; readonly title: string }> = scenes
  .flatMap((scene) =>
    (scene.modes ?? modes).map((mode) => ({ scene, mode, title: `${scene.name}: ${mode}` }))
  )
