import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { allowed, arrows } from "../../scripts/arrows.ts"

const root = path.resolve(import.meta.dirname, "../..")

interface Finding {
  readonly file: string
  readonly code: string
  readonly message: string
}

/** Writes the files into a folder of their own, runs the real linter there with the project's configuration, and tells what it found. */
const lint = (files: Readonly<Record<string, string>>): ReadonlyArray<Finding> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-arrows-"))
  try {
    for (const [file, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
      fs.writeFileSync(path.join(folder, file), text)
    }
    const oxlint = spawnSync(
      process.execPath,
      [path.join(root, "node_modules/.bin/oxlint"), "-c", path.join(root, "oxlint.config.ts"), "-f", "json", "."],
      { cwd: folder, encoding: "utf8" }
    )
    const report: {
      readonly number_of_files: number
      readonly diagnostics: ReadonlyArray<
        { readonly filename: string; readonly code: string; readonly message: string; readonly help?: string }
      >
    } = JSON.parse(oxlint.stdout)
    assert.strictEqual(report.number_of_files, Object.keys(files).length, "the linter read every planted file")
    return report.diagnostics.map((found) => ({
      file: found.filename,
      code: found.code,
      message: `${found.message} ${found.help ?? ""}`
    }))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const restricted = (files: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  lint(files).filter((found) => found.code.includes("no-restricted-imports")).map((found) => found.file).sort()

describe("import arrows", () => {
  it("catches an illegal import in every form", () => {
    const planted = {
      "src/lifecycle/plain.ts": `import { a } from "../capture/a.ts"\nexport const b = a\n`,
      "src/lifecycle/type.ts": `import type { A } from "../spans/a.ts"\nexport type B = A\n`,
      "src/lifecycle/reexport.ts": `export { a } from "../pairing/a.ts"\n`,
      "src/lifecycle/star.ts": `export * from "../boot/a.ts"\n`,
      "src/lifecycle/dynamic.ts": `export const a = import("../store/a.ts")\n`,
      "src/capture/nested/deep.ts": `import { a } from "../../spans/a.ts"\nexport const b = a\n`,
      "src/capture/nested/deeper/still.ts": `import { a } from "../../../cli/nested/a.ts"\nexport const b = a\n`,
      "src/query/skipped.ts": `import { a } from "../otlp/a.ts"\nexport const b = a\n`,
      "src/viewer/skipped.ts": `import { a } from "../store/sqlite/a.ts"\nexport const b = a\n`,
      "src/semconv/leaf.ts": `import { a } from "../settings/a.ts"\nexport const b = a\n`,
      "src/spans/above.ts": `import { a } from "../index.ts"\nexport const b = a\n`,
      "src/spans/nested/above.ts": `import { a } from "../../index.ts"\nexport const b = a\n`,
      "src/register.ts": `import { a } from "./store/a.ts"\nexport const b = a\n`,
      "src/auto.ts": `import { a } from "./query/nested/a.ts"\nexport const b = a\n`
    }
    assert.deepStrictEqual(restricted(planted), Object.keys(planted).sort())
  })

  it("catches what the core may not depend on", () => {
    const planted = {
      "src/index.ts": `import * as Path from "node:path"\nexport const a = Path.sep\n`,
      "src/auto.ts": `import { a } from "@opentelemetry/api"\nexport const b = a\n`,
      "src/capture/rest.ts": `import { a } from "effect/unstable/ai/Toolkit"\nexport const b = a\n`,
      "src/capture/now.ts": `import { a } from "effect/ai"\nexport const b = a\n`,
      "src/spans/near.ts": `import { a } from "effects"\nexport const b = a\n`,
      "src/pairing/dynamic.ts": `export const a = import("node:fs")\n`
    }
    assert.deepStrictEqual(restricted(planted), Object.keys(planted).sort())
  })

  it("lets the legal imports of the table pass", () => {
    const pairs = Object.keys(arrows).flatMap((from) =>
      allowed(from).filter((to) => to !== from).map((to) => [from, to] as const)
    )
    const planted = Object.fromEntries([
      ...pairs.map((
        [from, to]
      ) => [`src/${from}/uses-${to}.ts`, `import { a } from "../${to}/a.ts"\nexport const b = a\n`]),
      [
        "src/capture/anthropic/nested.ts",
        `import { a } from "../ledger.ts"\nimport { c } from "../../lifecycle/nested/c.ts"\nexport const b = [a, c]\n`
      ],
      [
        "src/capture/shape.ts",
        `import type { A } from "effect/ai/Toolkit"\nimport { Effect } from "effect"\nexport const b: A = Effect.void\n`
      ],
      [
        "src/index.ts",
        `import * as Capture from "./capture/a.ts"\nimport * as Spans from "./spans/a.ts"\nexport { Capture, Spans }\n`
      ],
      ["src/register.ts", `import "./auto.ts"\nimport * as Boot from "./boot/a.ts"\nexport { Boot }\n`]
    ])
    assert.isAbove(pairs.length, 30)
    assert.deepStrictEqual(lint(planted), [])
  })

  it("catches a cycle between files", () => {
    const found = lint({
      "src/lifecycle/a.ts": `import { b } from "./b.ts"\nexport const a = (): number => b()\n`,
      "src/lifecycle/b.ts": `import { a } from "./a.ts"\nexport const b = (): number => a()\n`
    })
    assert.isTrue(found.some((each) => each.code.includes("no-cycle")), JSON.stringify(found))
  })
})

describe("house rules of src", () => {
  const rude = `export const now = Date.now()
export const luck = Math.random()
export const home = process.env["HOME"]
console.log(now)
export const anything = (value: any): unknown => value
`
  const codes = (file: string): ReadonlyArray<string> =>
    [...new Set(lint({ [file]: rude }).map((found) => found.code.replace(/^.*\((.*)\)$/, "$1")))].sort()

  it("keeps clock, randomness, environment, console and any out", () => {
    assert.deepStrictEqual(codes("src/spans/rude.ts"), ["no-console", "no-explicit-any", "no-restricted-properties"])
    assert.strictEqual(lint({ "src/index.ts": rude }).length, 5)
  })

  it("lets settings, boot and cli touch the process, and capture say any", () => {
    assert.deepStrictEqual(codes("src/boot/rude.ts"), ["no-console", "no-explicit-any"])
    assert.deepStrictEqual(codes("src/settings/rude.ts"), ["no-console", "no-explicit-any"])
    assert.deepStrictEqual(codes("src/capture/rude.ts"), ["no-console", "no-restricted-properties"])
  })
})
