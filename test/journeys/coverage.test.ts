import { assert, beforeAll, describe, expect, it } from "vitest"
import { text, toolCall } from "../../examples/replay/answer.ts"
import { replay } from "../../examples/replay/server.ts"
import { register, run } from "./child.ts"
import { type Coverage, coverageOf, coverageTable } from "./coverage.ts"
import { type Line, programs, remove } from "./installation.ts"
import { otlpSink } from "./otlpSink.ts"

/** The ways in; the program and its tracer are the same in all. */
const ways = {
  "nothing": ["coverage.mjs"],
  "register": [...register, "coverage.mjs"],
  "--import auto": ["--import", "toolspan/auto", "coverage.mjs"],
  "auto, then import(app)": ["auto-first.mjs"],
  "auto twice, then import(app)": ["auto-twice.mjs"],
  "auto, with register": [...register, "auto-first.mjs"],
  "import auto; import app": ["auto-static.mjs"],
  "import app; import auto": ["auto-last.mjs"],
  "import(app), then auto": ["auto-later.mjs"],
  "languageModel": ["by-hand.mjs", "service"],
  "instrument": ["by-hand.mjs", "layer"],
  "every piece by hand": ["by-hand.mjs", "all"],
  "every piece, on top of auto": ["auto-and-hand.mjs"]
}

const answers = [text("One moment."), toolCall("call_1", "lookup", { key: "secret" })]

const attempt = async (
  folder: string,
  args: ReadonlyArray<string>,
  provider: "hooks" | "client"
): Promise<Coverage> => {
  await using sink = await otlpSink()
  await using server = await replay({ script: () => ({ id: "msg_1", parts: answers, usage: { input: 1, output: 1 } }) })
  const ended = await run(folder, args, {
    SINK: sink.url,
    ...(provider === "client" ? { ANTHROPIC_BASE_URL: server.url } : {})
  })
  assert.deepStrictEqual(ended, { code: 0, signal: null, out: "", errors: "" }, args.join(" "))
  const spans = sink.spans()
  assert.strictEqual(new Set(spans.map((span) => span.spanId)).size, spans.length)
  assert.deepStrictEqual([...new Set(spans.map((span) => span.service))], ["app"], "spans go where the app's go")
  return coverageOf(spans)
}

describe.each<{ line: Line; provider: "hooks" | "client" }>([
  { line: "4.1.0", provider: "hooks" },
  { line: "4.0.0-rc.112", provider: "hooks" },
  { line: "4.0.0-rc.112", provider: "client" }
])("effect $line, a model of $provider", ({ line, provider }) => {
  let folder: string
  const rows: Record<string, Coverage> = {}

  beforeAll(async () => {
    folder = await programs(line)
    return () => remove(folder)
  }, 180_000)

  it("is covered by each way in as the table says", async () => {
    // The client's program makes its model in a layer of the provider package: there is no service to wrap.
    const all = Object.entries(ways).filter(([way]) => provider === "hooks" || way !== "languageModel")
    // Two at a time.
    for (let at = 0; at < all.length; at += 2) {
      const pair = await Promise.all(all.slice(at, at + 2).map(([, args]) => attempt(folder, args, provider)))
      pair.forEach((row, index) => (rows[all[at + index]![0]] = row))
    }
    await expect(coverageTable(rows)).toMatchFileSnapshot(`__snapshots__/coverage-${line}-${provider}.txt`)
  }, 120_000)
})
