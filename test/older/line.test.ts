import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { assert, describe, it } from "vitest"

const here = path.resolve(import.meta.dirname, "node_modules")
const toolspan = createRequire(path.join(here, "toolspan/dist/index.js"))

/** The folder of the copy of a package that a file sees. */
const copyOf = (require: NodeJS.Require, name: string): string => {
  const folder = require.resolve.paths(name)?.find((each) => fs.existsSync(path.join(each, name, "package.json")))
  return path.join(folder ?? "", name)
}

const versionOf = (folder: string): string =>
  JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8")).version

describe("the older effect line", () => {
  it("is the only one that toolspan, the tests and the provider packages see here", () => {
    const require = createRequire(import.meta.url)
    assert.strictEqual(copyOf(require, "toolspan"), path.join(here, "toolspan"))
    assert.strictEqual(versionOf(copyOf(require, "effect")), "4.0.0-rc.112")
    assert.strictEqual(versionOf(copyOf(require, "@effect/opentelemetry")), "4.0.0-rc.112")
    assert.strictEqual(copyOf(toolspan, "effect"), path.join(here, "effect"))
    assert.strictEqual(copyOf(toolspan, "@effect/opentelemetry"), path.join(here, "@effect/opentelemetry"))
    for (const provider of ["ai-anthropic", "ai-openai", "ai-openai-compat"]) {
      const from = createRequire(path.join(here, "@effect", provider, "dist/index.js"))
      assert.strictEqual(copyOf(from, "effect"), path.join(here, "effect"), provider)
    }
  })

  it("loads the core and a provider package", async () => {
    const core: Record<string, unknown> = await import("toolspan")
    assert.isAbove(Object.keys(core).length, 0)
    const anthropic = await import("@effect/ai-anthropic")
    assert.isDefined(anthropic.AnthropicClient.AnthropicClient)
  })
})
