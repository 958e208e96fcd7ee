import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { register, run, sendTo } from "../journeys/child.ts"
import { programs, remove } from "../journeys/installation.ts"
import { closedPort } from "./programs/program.ts"

/** Prints at its end which modules were loaded since it was. */
const listing = `import { registerHooks } from "node:module"
const loaded = []
registerHooks({ load: (url, context, nextLoad) => { loaded.push(url); return nextLoad(url, context) } })
process.on("exit", () => console.log(JSON.stringify(loaded)))
`

describe("the start of a program under register", () => {
  let folder: string

  beforeAll(async () => {
    folder = await programs("4.1.0")
    fs.writeFileSync(path.join(folder, "listing.mjs"), listing)
    fs.writeFileSync(
      path.join(folder, "sdk.mjs"),
      "import { createRequire } from \"node:module\"\n" +
        "const own = createRequire(import.meta.resolve(\"toolspan/register\"))\nconst { NodeSDK } = own(\"@opentelemetry/sdk-node\")\nnew NodeSDK().start()\n"
    )
    fs.writeFileSync(path.join(folder, "effect.mjs"), "import \"effect\"\n")
    return () => remove(folder)
  }, 180_000)

  const loaded = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
    const env = { ...sendTo(await closedPort()), OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }
    const { errors, out } = await run(folder, ["--import", "./listing.mjs", ...args, "effect.mjs"], env)
    assert.strictEqual(errors, "")
    return JSON.parse(out) as ReadonlyArray<string>
  }

  it("loads few files more than OpenTelemetry's Node SDK and effect, each once", async () => {
    const [sdk, own] = [await loaded("--import", "./sdk.mjs"), await loaded(...register)]
    const known = new Set(sdk)
    const more = own.filter((url) => !known.has(url) && !url.startsWith("node:"))
    assert.deepStrictEqual(more.filter((url) => !/\/(toolspan\/dist|@effect\/opentelemetry)\//.test(url)), [])
    assert.isAtMost(more.length, 24, more.join("\n"))
    assert.strictEqual(new Set(more).size, more.length, "a module was loaded twice")
  }, 60_000)
})
