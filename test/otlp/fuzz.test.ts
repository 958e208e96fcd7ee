import { spawnSync } from "node:child_process"
import process from "node:process"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import { fuzz, type Outcome } from "./fuzz.ts"

describe("20,000 mutated requests", () => {
  it("neither crash the decoder nor hold it up", () => {
    // The bound is for a machine that does other things meanwhile; the slowest takes some milliseconds.
    const { decoded, refused, refusedWhole, rows } = fuzz({ requests: 20_000, seed: 1, within: 2_000 })
    assert.strictEqual(decoded + refusedWhole, 20_000)
    // Mutations that leave nothing to read would find nothing.
    assert.isAbove(rows, 2_000)
    assert.isAbove(refusedWhole, 2_000)
    assert.isAbove(refused, 1_000)
  }, 60_000)
})

describe("100,000 mutated requests", () => {
  it("leave nothing behind", () => {
    const program = new URL("./fuzz.ts", import.meta.url).pathname
    const { status, stdout } = spawnSync(process.execPath, ["--expose-gc", program, "100000", "7"], {
      encoding: "utf8"
    })
    const { heap, requests } = JSON.parse(stdout) as Outcome
    assert.deepStrictEqual([status, requests], [0, 100_000], `the heap went from ${heap?.join(" to ")} bytes`)
    assert.isDefined(heap)
  }, 120_000)
})

describe("a number", () => {
  it("of 20 million digits is refused at once", () => {
    const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":${"9".repeat(20_000_000)}}]}]}]}`
    const bytes = Buffer.from(text)
    const began = performance.now()
    assert.deepInclude(Result.getOrThrow(TraceRequest.decode(bytes, "json")), { rows: [], refused: 1 })
    // Some 100 ms; making a bigint of it took 4 s.
    assert.isBelow(performance.now() - began, 2_000)
  })
})
