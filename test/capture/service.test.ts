import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Toolspan from "../../src/index.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const part = () => ({ type: "tool-call", id: "a1", name: "lookup", params: { key: "alpha" } })

class Service {
  readonly answer = "of the instance"
  readonly #secret = "of the class"
  generateText(options: unknown) {
    return Effect.succeed({ options, content: [part()], said: [this.answer, this.#secret] })
  }
  generateObject(options: unknown) {
    return Effect.fail([options, this.#secret])
  }
  streamText(options: unknown) {
    return Stream.fromIterable([part(), part(), options])
  }
}

describe("a service that is no work of LanguageModel.make", () => {
  it.effect("behaves as ever, and nothing is told of what has no turn's span", () =>
    Effect.gen(function*() {
      const recording = RecordingTracer.make()
      const service = Toolspan.languageModel(new Service())
      assert.instanceOf(service, Service)
      const program = Effect.all({
        text: service.generateText({ prompt: "go" }),
        object: Effect.flip(service.generateObject({ prompt: "go" })),
        parts: Stream.runCollect(service.streamText({ prompt: "go" }))
      })
      const ran = yield* Effect.provideService(program, Tracer.Tracer, recording.tracer)
      assert.deepStrictEqual(ran.text.said, ["of the instance", "of the class"])
      assert.deepStrictEqual(ran.text.options, { prompt: "go" })
      assert.deepStrictEqual(ran.object, [{ prompt: "go" }, "of the class"])
      assert.deepStrictEqual(ran.parts, [part(), part(), { prompt: "go" }])
      assert.deepStrictEqual([recording.trail().spans, recording.open(), recording.complaints], [[], [], []])
      assert.strictEqual((yield* Toolspan.stats).internalErrors, 0)
    }).pipe(Effect.provide(Toolspan.layer({ isolated: true }))))

  it("is wrapped once, and what is no service stays as it is", () => {
    const service = new Service()
    const told = Toolspan.languageModel(service)
    assert.notStrictEqual(told, service)
    assert.strictEqual(Toolspan.languageModel(told), told)
    for (const other of [undefined, null, 1, "text", {}, { generateText: 1 }, () => 1]) {
      assert.strictEqual(Toolspan.languageModel(other), other)
      assert.strictEqual(Toolspan.provider(other), other)
      assert.strictEqual(Toolspan.toolkit(other), other)
      assert.strictEqual(Toolspan.client(other), other)
    }
  })
})
