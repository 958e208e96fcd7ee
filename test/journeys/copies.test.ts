import { readFileSync, writeFileSync, cpSync } from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { register, run, sendTo } from "./child.ts"
import { coverageOf } from "./coverage.ts"
import { copyPackage, programs, remove } from "./installation.ts"
import { otlpSink } from "./otlpSink.ts"

const limit = 120_000

/** Everything, exactly once. */
const whole = {
  "tool_call": "yes",
  "execute_tool": "yes",
  "tool_result": "yes",
  "chat": "yes",
  "manual": "yes",
  "leak closed": "yes",
  "manual leak closed": "yes"
}

let folder: string

/** The folder `place` in the programs' folder has the programs once more, and copies of its own of these packages. */
const beside = (place: string, ...packages: ReadonlyArray<string>): void => {
  for (const name of packages) copyPackage(folder, name, place)
  for (const name of ["coverage.mjs", "auto-first.mjs"]) cpSync(path.join(folder, name), path.join(folder, place, name))
}

beforeAll(async () => {
  folder = await programs("4.1.0")
  beside("second", "toolspan")
  beside("other", "effect")
  beside("untested", "effect")
  const manifest = path.join(folder, "untested/node_modules/effect/package.json")
  writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "4.1.0"/, "\"version\": \"4.2.0\""))
  return () => remove(folder)
}, 180_000)

const attempt = async (...args: ReadonlyArray<string>) => {
  await using sink = await otlpSink()
  const ended = await run(folder, args, { SINK: sink.url })
  return { ended, spans: sink.spans() }
}

describe("two copies", () => {
  it.each([
    { copies: "of toolspan, both imported", args: ["two-copies.mjs"] },
    { copies: "of toolspan, one of them preloaded", args: [...register, "second/auto-first.mjs"] },
    { copies: "of effect, and auto in the app's", args: ["two-effects.mjs", "other"] },
    { copies: "of effect, and auto preloaded", args: ["--import", "toolspan/auto", "other/coverage.mjs"] },
    { copies: "of effect, and register", args: [...register, "other/coverage.mjs"] }
  ])("$copies: everything is told, and once", async ({ args }) => {
    const { ended, spans } = await attempt(...args)
    assert.deepStrictEqual(ended, { code: 0, signal: null, out: "", errors: "" })
    assert.deepStrictEqual(coverageOf(spans), whole)
  }, limit)

  it.each([
    { way: "auto", args: ["two-effects.mjs", "untested"] },
    { way: "register", args: [...register, "untested/coverage.mjs"] }
  ])(
    "of effect, one outside of the tested versions, under $way: it is not touched, and that is said once",
    async ({ args }) => {
      const { ended, spans } = await attempt(...args)
      assert.deepInclude(ended, { code: 0, out: "" })
      assert.lengthOf(ended.errors.match(/ToolspanWarning/g) ?? [], 1, ended.errors)
      assert.include(ended.errors, "effect 4.2.0 is outside the versions")
      assert.deepStrictEqual(spans.filter((span) => "toolspan.stage" in span.attributes), [])
      assert.isTrue(spans.some((span) => span.name === "LanguageModel.generateText"))
    },
    limit
  )
})

describe("worker threads", () => {
  it("import auto for themselves", async () => {
    const { ended, spans } = await attempt("workers.mjs", "auto-first.mjs")
    assert.deepStrictEqual(ended, { code: 0, signal: null, out: "the worker left with 0\n", errors: "" })
    assert.deepStrictEqual(coverageOf(spans), whole)
  }, limit)

  it.each([{ way: "auto", imports: ["--import", "toolspan/auto"] }, { way: "register", imports: register }])(
    "inherit a preloaded $way",
    async ({ imports }) => {
      const { ended, spans } = await attempt(...imports, "workers.mjs", "coverage.mjs", "main")
      assert.deepInclude(ended, { code: 0, errors: "" })
      assert.deepStrictEqual(coverageOf(spans), whole)
    },
    limit
  )

  it.each([{ ending: "end", code: 0 }, { ending: "exit", code: 7 }])(
    "under register: all 500 calls arrive once when the worker leaves by $ending",
    async ({ code, ending }) => {
      await using sink = await otlpSink()
      const ended = await run(folder, [...register, "workers.mjs", "calls.mjs", "500", ending], sendTo(sink.url))
      assert.deepInclude(ended, { code: 0, errors: "" })
      assert.include(ended.out, `the worker left with ${code}\n`)
      const ids = sink.spans().filter((span) => span.name === "execute_tool count")
        .map((span) => String(span.attributes["gen_ai.tool.call.id"])).toSorted()
      assert.deepStrictEqual(ids, Array.from({ length: 500 }, (_, index) => `call_${index + 1}`).toSorted())
    },
    limit
  )

  const attemptEnding = async (...args: ReadonlyArray<string>) => {
    await using sink = await otlpSink()
    const ended = await run(folder, [...register, "terminated.mjs", ...args], sendTo(sink.url))
    return { ended, calls: sink.spans().filter((span) => span.name === "execute_tool count").length }
  }

  it.each([
    { ending: "its parent's terminate, after a flush", args: ["terminate", "flush"] },
    { ending: "the main thread's process.exit, after a flush", args: ["exit", "flush"] },
    { ending: "an error of its own", args: ["throw"] }
  ])("under register: all 500 calls of a worker that ends by $ending arrive", async ({ args }) => {
    const [{ calls, ended }, bare] = await Promise.all([
      attemptEnding(...args),
      run(folder, ["terminated.mjs", ...args])
    ])
    assert.deepStrictEqual(ended, bare)
    assert.strictEqual(calls, 500)
  }, limit)

  // What was not sent by then is gone with the thread: docs/register.md says so.
  it.each(["terminate", "exit"])(
    "under register: a worker that is stopped by %s without a flush holds nothing up and changes nothing",
    async (ending) => {
      const { ended } = await attemptEnding(ending)
      assert.deepStrictEqual(ended, await run(folder, ["terminated.mjs", ending]))
    },
    limit
  )
})
