import { assert, describe, it } from "@effect/vitest"
import { Cause, Channel, Context, Effect, Exit, Scope, Stream } from "effect"
import { observeStream, observing } from "../../src/capture/observeStream.ts"

const tagOf = (exit: Exit.Exit<unknown, unknown>): string =>
  exit._tag === "Success" ? "success" : Cause.hasInterruptsOnly(exit.cause) ? "left" : "failure"

const watched = (seen: Array<string>, closing: Effect.Effect<void>) =>
  observeStream(Stream.ensuring(Stream.make(1).pipe(Stream.concat(Stream.never)), closing), {
    onChunk: (chunk) => void seen.push(`chunk ${chunk.join()}`),
    onEnd: (exit) => void seen.push(`end ${tagOf(exit)}`),
    afterwards: Effect.sync(() => void seen.push("afterwards"))
  })

/** Reads one chunk and leaves. */
const readOne = (stream: Stream.Stream<number>, strategy: "sequential" | "parallel") =>
  Effect.gen(function*() {
    const scope = Scope.makeUnsafe(strategy)
    const pull = yield* Channel.toPullScoped(stream.channel, scope)
    yield* pull
    return yield* Effect.exit(Scope.close(scope, Exit.fail("the reader's own")))
  })

describe("a watched stream", () => {
  for (const strategy of ["sequential", "parallel"] as const) {
    it.effect(`has been closed when its end is told: ${strategy}`, () =>
      Effect.gen(function*() {
        const seen: Array<string> = []
        const closing = Effect.andThen(Effect.yieldNow, Effect.sync(() => void seen.push("closed")))
        yield* readOne(watched(seen, closing), strategy)
        assert.deepStrictEqual(seen, ["chunk 1", "closed", "end left", "afterwards"])
      }))
  }

  it.effect("ends when its closing fails, and the failure stays", () =>
    Effect.gen(function*() {
      const seen: Array<string> = []
      const exit = yield* readOne(watched(seen, Effect.die("cannot close")), "sequential")
      assert.deepStrictEqual(seen, ["chunk 1", "end left", "afterwards"])
      assert.deepStrictEqual(exit, Exit.die("cannot close"))
    }))

  it.effect("runs in one context, however often it is pulled", () =>
    Effect.gen(function*() {
      const Place = Context.Reference<string>("test/Place", { defaultValue: () => "outside" })
      const contexts = new Set<Context.Context<never>>()
      const here = Effect.contextWith((context: Context.Context<never>) => {
        contexts.add(context)
        return Effect.succeed(Context.get(context, Place))
      })
      let chunks = 0
      const stream = observing(() => ({
        stream: Stream.fromEffectRepeat(here),
        surroundings: (context) => Context.add(context, Place, "inside"),
        observer: { onChunk: () => void chunks++, onEnd: () => {} }
      }))
      const places = yield* Stream.runCollect(Stream.take(stream, 5))
      assert.deepStrictEqual(places, ["inside", "inside", "inside", "inside", "inside"])
      assert.strictEqual(chunks, 5)
      assert.strictEqual(contexts.size, 1)
      assert.strictEqual(yield* Place, "outside")
    }))
})
