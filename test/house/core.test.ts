import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const src = path.resolve(import.meta.dirname, "../../src")

interface Import {
  readonly file: string
  readonly specifier: string
  readonly typeOnly: boolean
}

const block = /\/\*[^]*?\*\//g
const statement = /^\s*(import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm
// `typeof import("…")` is a type and imports nothing.
const dynamic = /(?<!\btypeof )\b(?:import|require)\(\s*"([^"]+)"/g

/** The imports of one file, in every form. */
const importsOf = (file: string, text: string): ReadonlyArray<Import> => {
  const code = text.replace(block, "").replace(/^\s*\/\/.*$/gm, "")
  return [
    ...[...code.matchAll(statement)].map((match) => ({
      file,
      specifier: match[3] ?? "",
      typeOnly: match[2] !== undefined
    })),
    ...[...code.matchAll(dynamic)].map((match) => ({ file, specifier: match[1] ?? "", typeOnly: false }))
  ]
}

/** Every import that a program reaches which imports `entry`: type-only imports are told, not followed. */
const reach = (entry: string): ReadonlyArray<Import> => {
  const seen = new Set<string>()
  const found: Array<Import> = []
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const each of importsOf(path.relative(src, file), fs.readFileSync(file, "utf8"))) {
      found.push(each)
      if (each.specifier.startsWith(".") && !each.typeOnly) visit(path.resolve(path.dirname(file), each.specifier))
    }
  }
  visit(path.join(src, entry))
  return found
}

const outside = (imports: ReadonlyArray<Import>): ReadonlyArray<Import> =>
  imports.filter(({ specifier, typeOnly }) =>
    !specifier.startsWith(".") && !typeOnly &&
    (!/^effect($|\/)/.test(specifier) || /^effect\/(unstable\/)?ai($|\/)/.test(specifier))
  )

describe("the core", () => {
  it("sees imports in every form", () => {
    const text = `import "a"
import type { B } from "b"
import {
  c,
  type D
} from "c"
export * from "d"
export type { E } from "e"
// import "comment"
const f = await import("f")
`
    assert.deepStrictEqual(
      importsOf("x.ts", text).map(({ specifier, typeOnly }) => (typeOnly ? `type ${specifier}` : specifier)),
      ["a", "type b", "c", "d", "type e", "f"]
    )
  })

  for (const entry of ["index.ts", "auto.ts", "pairing/index.ts", "recorder/index.ts", "adapters/pi.ts"]) {
    it(`${entry} reaches effect and nothing else, and no AI module by its path`, () => {
      const imports = reach(entry)
      assert.isAbove(imports.length, 0)
      assert.deepStrictEqual(outside(imports), [])
    })
  }

  it("keeps the entries with an effect of their own short", () => {
    for (const entry of ["auto.ts", "register.ts"]) {
      assert.isAtMost(fs.readFileSync(path.join(src, entry), "utf8").split("\n").length - 1, 60, entry)
    }
  })
})
