import * as api from "@opentelemetry/api"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { agent } from "../../examples/recorder.ts"
import * as Recorder from "../../src/recorder/index.ts"
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

  it("is forty lines long", () => {
    const text = fs.readFileSync(path.resolve(import.meta.dirname, "../../examples/recorder.ts"), "utf8")
    assert.isAtMost(text.trimEnd().split("\n").length, 40)
  })
})
