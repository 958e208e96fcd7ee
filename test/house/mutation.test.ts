import { assert, describe, it } from "@effect/vitest"
import { mutated, mutationsOf } from "../../scripts/mutation.ts"

const mutantsOf = (code: string): ReadonlyArray<string> => mutationsOf(code).map((mutation) => mutated(code, mutation))

describe("the mutations of a module", () => {
  it("change operators, conditions, literals and statements, one at a time", () => {
    assert.deepStrictEqual(mutantsOf("if (a < 1) b()"), [
      "if (true) b()",
      "if (false) b()",
      "if (a <= 1) b()",
      "if (a < 2) b()",
      "if (a < 1) ;"
    ])
    assert.deepStrictEqual(mutantsOf("const f = (a) => a ?? \"x\""), [
      "const f = (a) => undefined",
      "const f = (a) => a && \"x\"",
      "const f = (a) => a ?? \"\""
    ])
    assert.deepStrictEqual(mutantsOf("const a = { b: [c], d: !e }"), [
      "const a = ({})",
      "const a = { b: [], d: !e }",
      "const a = { b: [c], d: e }"
    ])
    assert.deepStrictEqual(mutantsOf("while (a) { a--\n continue }"), [
      "while (false) { a--\n continue }",
      "while (a) { ;\n continue }",
      "while (a) { a++\n continue }",
      "while (a) { a--\n ; }"
    ])
  })

  it("find an operator beside a comment, and leave names of modules and keys alone", () => {
    assert.deepStrictEqual(mutantsOf("const a = b /* < */ < c"), ["const a = b /* < */ <= c"])
    assert.deepStrictEqual(mutantsOf("import \"x\"\nexport { a } from \"y\"\nconst b = c[\"d\"]"), [
      "import \"x\"\nexport { a } from \"y\"\nconst b = c[\"\"]"
    ])
    assert.deepStrictEqual(mutantsOf("const { a, \"b\": c } = d"), [])
  })

  it("are all different from the module", () => {
    const code = "export const one = (a) => { if (a) return; return a ? true : -1 }"
    const mutants = mutantsOf(code)
    assert.isAbove(mutants.length, 5)
    for (const mutant of mutants) assert.notStrictEqual(mutant, code)
    assert.strictEqual(new Set(mutants).size, mutants.length)
  })
})
