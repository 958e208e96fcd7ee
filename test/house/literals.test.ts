import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Event from "../../src/semconv/event.ts"
import * as Metric from "../../src/semconv/metric.ts"
import * as Registry from "../../src/semconv/registry.ts"

const src = path.resolve(import.meta.dirname, "../../src")

/** The names of the contract, and anything that looks like one. Not `toolspan/…` (keys of services) nor `toolspan` alone. */
const namesIn = (code: string): ReadonlyArray<string> => {
  const known = new Set([
    ...Registry.attributes.map((each) => each.key),
    Event.violation,
    Event.preliminary,
    ...Metric.metrics.map((each) => each.name)
  ])
  return [...code.matchAll(/(["'`])((?:[a-z_]+\.)+[a-z_.]+)(?:\1|\$\{)/g)]
    .map((match) => match[2] ?? "")
    .filter((text) => known.has(text) || /^(gen_ai|toolspan)\.(?!(js|ts|json|db)$)/.test(text))
}

const spanNamesIn = (code: string): ReadonlyArray<string> =>
  [...code.matchAll(/["'`]((?:tool_call|tool_approval|execute_tool|tool_result|chat) (?:\$\{|_unknown))/g)].map((
    match
  ) => match[1] ?? "")

describe("names on the wire", () => {
  it("are recognised", () => {
    assert.deepStrictEqual(
      namesIn(`f("gen_ai.tool.name", 'toolspan.call.key', \`toolspan.link.\${type}\`, "error.type")`),
      [
        "gen_ai.tool.name",
        "toolspan.call.key",
        "toolspan.link.",
        "error.type"
      ]
    )
    assert.deepStrictEqual(
      namesIn(`f("toolspan/Ledger", "~toolspan/Call", "toolspan", "toolspan.js", "effect.fiber")`),
      []
    )
    assert.deepStrictEqual(spanNamesIn("`tool_call ${name}` + \"execute_tool _unknown\""), [
      "tool_call ${",
      "execute_tool _unknown"
    ])
  })

  it("are written in src/semconv and nowhere else in src", () => {
    const files = fs.readdirSync(src, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => path.relative(src, path.join(entry.parentPath, entry.name)))
    assert.isAbove(files.filter((file) => file.startsWith("semconv/")).length, 3)
    const found = files.filter((file) => !file.startsWith("semconv/")).flatMap((file) => {
      const code = fs.readFileSync(path.join(src, file), "utf8").replace(/\/\*[^]*?\*\//g, "").replace(
        /^\s*\/\/.*$/gm,
        ""
      )
      return [...namesIn(code), ...spanNamesIn(code)].map((name) => `${file}: ${name}`)
    })
    assert.deepStrictEqual(found, [])
  })
})
