import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { run, sendTo } from "../journeys/child.ts"
import { type Coverage, coverageOf, coverageTable } from "../journeys/coverage.ts"
import { type Line, programs, remove } from "../journeys/installation.ts"
import { otlpSink } from "../journeys/otlpSink.ts"
import { spanTree } from "../journeys/spanTree.ts"
import { all } from "./runtime.ts"

const limit = 120_000

const snapshot = (name: string): string =>
  fs.readFileSync(path.join(import.meta.dirname, "../journeys/__snapshots__", name), "utf8")

describe.each<{ line: Line }>([{ line: "4.1.0" }, { line: "4.0.0-rc.112" }])("effect $line", ({ line }) => {
  let folder: string

  beforeAll(async () => {
    folder = await programs(line)
    return () => remove(folder)
  }, 180_000)

  describe.each(all)("$name", (runtime) => {
    const auto = () => runtime.preload("auto", folder)
    const register = () => runtime.preload("register", folder)

    it("is the version that it is said to be", async () => {
      const { out } = await run(folder, ["--version"], {}, runtime.program)
      assert.isTrue(out.startsWith(runtime.version), out)
    }, limit)

    it("is covered by each way in as Node 24 is", async () => {
      // The same names as in the table of Node 24.
      const ways = {
        "nothing": ["coverage.mjs"],
        "register": [...register(), "coverage.mjs"],
        "--import auto": [...auto(), "coverage.mjs"],
        "auto, then import(app)": ["auto-first.mjs"],
        "auto twice, then import(app)": ["auto-twice.mjs"],
        "auto, with register": [...register(), "auto-first.mjs"],
        "import auto; import app": ["auto-static.mjs"],
        "import app; import auto": ["auto-last.mjs"],
        "import(app), then auto": ["auto-later.mjs"],
        "languageModel": ["by-hand.mjs", "service"],
        "instrument": ["by-hand.mjs", "layer"],
        "every piece by hand": ["by-hand.mjs", "all"],
        "every piece, on top of auto": ["auto-and-hand.mjs"]
      }
      const rows: Record<string, Coverage> = {}
      for (const [way, args] of Object.entries(ways)) {
        await using sink = await otlpSink()
        const ended = await run(folder, [...runtime.run, ...args], { SINK: sink.url }, runtime.program)
        assert.deepStrictEqual(ended, { code: 0, signal: null, out: "", errors: "" }, way)
        const spans = sink.spans()
        assert.strictEqual(new Set(spans.map((span) => span.spanId)).size, spans.length)
        rows[way] = coverageOf(spans)
      }
      assert.strictEqual(coverageTable(rows), snapshot(`coverage-${line}-hooks.txt`))
    }, limit)

    it(
      "runs an app without a tracer under register as it would alone, and sends the spans of the contract",
      async () => {
        const args = ["assistant.mjs", "generateText", "streamText"]
        const bare = await run(folder, [...runtime.run, ...args], {}, runtime.program)
        await using sink = await otlpSink()
        const ended = await run(
          folder,
          [...runtime.run, ...register(), ...args],
          sendTo(sink.url, "http/protobuf"),
          runtime.program
        )
        assert.strictEqual(bare.code, 3)
        assert.deepStrictEqual(ended, bare)
        assert.strictEqual(spanTree(sink.spans()), snapshot(`assistant-${line}.txt`))
      },
      limit
    )

    it("writes nothing when toolspan is switched off", async () => {
      await using sink = await otlpSink()
      const ended = await run(
        folder,
        [...runtime.run, ...register(), "calls.mjs", "10", "exit"],
        { ...sendTo(sink.url), TOOLSPAN_DISABLED: "true" },
        runtime.program
      )
      assert.deepStrictEqual(ended, { code: 7, signal: null, out: "done\n", errors: "" })
      assert.strictEqual(sink.requests(), 0)
    }, limit)
  })
})
