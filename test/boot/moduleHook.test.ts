import { assert, describe, it } from "vitest"
import { run } from "./programs/program.ts"

describe("installHooks", () => {
  it("reaches effect's AI modules in every way they are imported, once", { timeout: 30_000 }, async () => {
    const ended = await run("modules.mjs", [], {}, [])
    assert.strictEqual(ended.code, 0, ended.errors)
    assert.deepStrictEqual(JSON.parse(ended.out), {
      first: true,
      second: true,
      skipped: [],
      loaded: ["toolkit"],
      toolkits: ["toolkit", "toolkit"],
      models: ["provider", "model"],
      same: [true, true, true],
      exports: true
    })
  })
})
