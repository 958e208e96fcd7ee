import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

const run = (files: Readonly<Record<string, unknown>>, ...options: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "cases-"))
  for (const [name, file] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(file))
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, folder, ...options], { encoding: "utf8" })
  rmSync(folder, { recursive: true })
  return { status, stderr, lines: stdout.trimEnd().split("\n") }
}

const wire = (violations: ReadonlyArray<unknown>) => ({
  title: "A call without its result",
  source: "made up",
  group: "A",
  provider: "anthropic",
  api: "messages",
  kind: "request",
  tools: ["lookup"],
  payload: {
    messages: [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "lookup", input: {} }] },
      { role: "user", content: "go on" }
    ]
  },
  expect: {},
  assert: { run: "wire", violations },
  fidelity: "made up"
})

const unanswered = { kind: "unanswered_call", id: "a", scope: "wire", count: 1 }
const external = { ...wire([]), provider: "tempo", kind: "other", assert: { run: "external", text: "seen in Tempo" } }

describe("npm run cases", () => {
  it("a case that holds is ok, and the exit code is 0", () => {
    const { lines, status } = run({ "1-one.json": wire([unanswered]), "README.md": "no case" })
    assert.deepStrictEqual(lines, ["ok 1-one", "1 of 1 hold"])
    assert.strictEqual(status, 0)
  })

  it("a case that does not hold says what was expected and what came, and the exit code is 1", () => {
    const { lines, status } = run({ "1-one.json": wire([unanswered]), "2-two.json": wire([]) })
    assert.include(lines, "FAIL 2-two: wire: violation unanswered_call of \"a\" in wire: expected 0, came 1")
    assert.strictEqual(lines.at(-1), "1 of 2 hold")
    assert.strictEqual(status, 1)
  })

  it("an external run is told apart, neither held nor failed", () => {
    const { lines, status } = run({ "1-one.json": wire([unanswered]), "2-two.json": external })
    assert.include(lines, "external 2-two: checked in the stack tests, not here")
    assert.strictEqual(lines.at(-1), "1 of 1 hold")
    assert.strictEqual(status, 0)
  })

  it("--only picks cases by their number", () => {
    const { lines } = run({ "01-one.json": wire([unanswered]), "12-two.json": wire([]) }, "--only", "1")
    assert.deepStrictEqual(lines, ["ok 01-one", "1 of 1 hold"])
  })

  it("an empty folder, no folder and a file that is no case are no success", () => {
    assert.strictEqual(run({}).status, 2)
    const { status, stderr } = run({ "1-one.json": { title: "x" } })
    assert.strictEqual(status, 2)
    assert.include(stderr, "1-one.json is no case")
    assert.strictEqual(spawnSync(process.execPath, [main]).status, 2)
  })
})
