import { assert, beforeAll, describe, it } from "vitest"
import { type Ended, sendTo, start } from "../journeys/child.ts"
import { programs, remove } from "../journeys/installation.ts"
import { otlpSink, type SentSpan } from "../journeys/otlpSink.ts"
import { bun, deno, node, type Runtime } from "./runtime.ts"

const calls = 5000
const limit = 120_000

let folder: string

beforeAll(async () => {
  folder = await programs("4.1.0")
  return () => remove(folder)
}, 180_000)

const attempt = async (runtime: Runtime, ending: string, signal: NodeJS.Signals | undefined, traced: boolean) => {
  await using sink = await otlpSink()
  const program = start(
    folder,
    [
      ...runtime.run,
      ...(traced ? runtime.preload("register", folder) : []),
      "calls.mjs",
      String(traced ? calls : 50),
      ending
    ],
    { ...sendTo(sink.url, "http/protobuf"), NO_COLOR: "1" },
    runtime.program
  )
  if (signal !== undefined) {
    await program.wrote(ending === "survive" ? "survived" : "done")
    program.process.kill(signal)
  }
  return { ended: await program.ended, spans: sink.spans() }
}

const idsOf = (spans: ReadonlyArray<SentSpan>, stage: string) =>
  spans.filter((span) => span.attributes["toolspan.stage"] === stage)
    .map((span) => String(span.attributes["gen_ai.tool.call.id"])).toSorted()

/** Stacks name places inside the runtime that depend on how long the program ran. */
const plain = (ended: Ended): Ended => ({ ...ended, errors: ended.errors.replaceAll(/^ +at .*\n/gm, "") })

const endings = [
  { leaves: "falls off the end", ending: "end", signal: undefined, code: 0 },
  { leaves: "calls process.exit", ending: "exit", signal: undefined, code: 7 },
  { leaves: "throws", ending: "throw", signal: undefined, code: 1 },
  { leaves: "leaves a rejected promise", ending: "reject", signal: undefined, code: 1 },
  { leaves: "throws in a timer", ending: "throw-later", signal: undefined, code: 1 },
  { leaves: "is sent SIGTERM", ending: "wait", signal: "SIGTERM", code: null },
  { leaves: "is sent SIGINT", ending: "wait", signal: "SIGINT", code: null },
  { leaves: "calls process.exit in its own SIGTERM handler", ending: "own-exit", signal: "SIGTERM", code: 9 }
] as const

describe.each([node, bun, deno])("all 5,000 tool calls of a program on $name arrive once", (runtime) => {
  it.each(endings)(
    "when it $leaves, and it ends as it would alone",
    async ({ code, ending, signal }) => {
      const traced = await attempt(runtime, ending, signal, true)
      const bare = await attempt(runtime, ending, signal, false)
      assert.strictEqual(bare.ended.code, code)
      assert.deepStrictEqual(plain(traced.ended), plain(bare.ended))
      assert.strictEqual(new Set(traced.spans.map((span) => span.spanId)).size, traced.spans.length)
      const wanted = Array.from({ length: calls }, (_, index) => `call_${index + 1}`).toSorted()
      for (const stage of ["decision", "execution", "result"]) {
        assert.deepStrictEqual(idsOf(traced.spans, stage), wanted, stage)
      }
    },
    limit
  )
})

describe("Deno", () => {
  it("sends what an app has that goes on after an error, once, also when it is sent SIGTERM later", async () => {
    const { ended, spans } = await attempt(deno, "survive", "SIGTERM", true)
    assert.deepStrictEqual(ended, { code: null, signal: "SIGTERM", out: "done\nsurvived\n", errors: "" })
    assert.deepStrictEqual(
      idsOf(spans, "execution"),
      Array.from({ length: calls }, (_, index) => `call_${index + 1}`).toSorted()
    )
  }, limit)
})
