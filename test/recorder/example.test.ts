import * as api from "@opentelemetry/api"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { agent, tools } from "../../examples/recorder.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { checkAlways } from "../cases/check/always.ts"
import * as OtelTrail from "./OtelTrail.ts"

describe("the example of a loop of one's own", () => {
  it("tells each stage of its call, with the links and counts of the contract", async () => {
    const sdk = OtelTrail.make()
    const recorder = Recorder.make({ tracer: sdk.tracer, api })
    assert.strictEqual(await agent(recorder), "It is sunny in Lisbon.")
    const trail = sdk.trail()
    assert.deepStrictEqual(
      trail.spans.map((span) => span.name).sort(),
      [
        "LanguageModel.streamText",
        "LanguageModel.streamText",
        "chat some-model",
        "chat some-model",
        "execute_tool get_weather",
        "tool_call get_weather",
        "tool_result get_weather"
      ]
    )
    assert.deepStrictEqual(
      checkAlways(trail, {
        usage: [false, false],
        failed: false,
        openCalls: recorder.counts().open,
        internalErrors: recorder.counts().refused.internal_error ?? 0,
        pending: 0
      }),
      []
    )
    assert.deepStrictEqual(recorder.counts().refused, {})
    assert.strictEqual(recorder.counts().open, 0)
  })

  it("tells a tool that fails, and gives the model something in its place", async () => {
    const sdk = OtelTrail.make()
    const works = tools.get_weather
    tools.get_weather = () => {
      throw new RangeError("no such city")
    }
    const text = await agent(Recorder.make({ tracer: sdk.tracer, api })).finally(() => {
      tools.get_weather = works
    })
    assert.strictEqual(text, "It is not known.")
    const execution = sdk.trail().spans.find(({ name }) => name === "execute_tool get_weather")!
    assert.strictEqual(execution.attributes[Attribute.errorType], "RangeError")
  })

  it("ends its turn when something else fails", async () => {
    const sdk = OtelTrail.make()
    const recorder = Recorder.make({ tracer: sdk.tracer, api })
    const failing: Recorder.Recorder = {
      ...recorder,
      turn: (input) => ({
        ...recorder.turn(input),
        responded: () => {
          throw new TypeError("the loop's own")
        }
      })
    }
    const thrown = await agent(failing).catch((error: unknown) => error)
    assert.instanceOf(thrown, TypeError)
    const { spans } = sdk.trail()
    assert.deepStrictEqual(
      spans.map(({ attributes, name }) => [name, attributes[Attribute.errorType]]),
      [["chat some-model", "TypeError"], ["tool_call get_weather", undefined], [
        "LanguageModel.streamText",
        "TypeError"
      ]]
    )
    assert.strictEqual(recorder.counts().open, 0)
  })

  it("is forty lines long", () => {
    const text = fs.readFileSync(path.resolve(import.meta.dirname, "../../examples/recorder.ts"), "utf8")
    assert.isAtMost(text.trimEnd().split("\n").length, 40)
  })
})
