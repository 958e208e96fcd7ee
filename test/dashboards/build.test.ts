import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll } from "vitest"
import { boards, folder } from "./Boards.ts"

const root = path.dirname(folder)
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-dashboards-"))
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }))

const build = (
  at: string,
  ...options: ReadonlyArray<string>
): { readonly status: number | null; readonly said: string } => {
  const done = spawnSync(process.execPath, [path.join(at, "build.ts"), ...options], { encoding: "utf8" })
  return { status: done.status, said: done.stdout + done.stderr }
}

/** A copy in which files can be changed. */
const copy = (name: string): string => {
  const at = path.join(scratch, name)
  fs.mkdirSync(at)
  fs.symlinkSync(path.join(root, "node_modules"), path.join(at, "node_modules"))
  fs.cpSync(path.join(root, "src/semconv"), path.join(at, "src/semconv"), { recursive: true })
  fs.copyFileSync(path.join(root, "package.json"), path.join(at, "package.json"))
  fs.cpSync(folder, path.join(at, "dashboards"), { recursive: true })
  return path.join(at, "dashboards")
}

describe("the files for Grafana and Prometheus", () => {
  it("are what their source makes", () => {
    assert.deepStrictEqual(build(folder, "--check"), { status: 0, said: "dashboards: up to date\n" })
  })

  it("are called stale when a name changed in the source, and written anew", () => {
    const at = copy("renamed")
    const attribute = path.join(at, "../src/semconv/attribute.ts")
    fs.writeFileSync(
      attribute,
      fs.readFileSync(attribute, "utf8").replace("\"toolspan.outcome\"", "\"toolspan.ending\"")
    )
    const checked = build(at, "--check")
    assert.strictEqual(checked.status, 1)
    assert.include(checked.said, "out/toolspan-tool-calls.json is not what its source makes")
    assert.notInclude(checked.said, "toolspan-pipeline.json")
    assert.strictEqual(build(at).status, 0)
    assert.strictEqual(build(at, "--check").status, 0)
    assert.include(fs.readFileSync(path.join(at, "out/toolspan-tool-calls.json"), "utf8"), "toolspan_ending")
  })

  it("are called stale when they were edited by hand, or have no source", () => {
    const at = copy("edited")
    fs.appendFileSync(path.join(at, "out/rules/toolspan.yml"), "\n")
    fs.writeFileSync(path.join(at, "out/old.json"), "{}")
    const checked = build(at, "--check")
    assert.strictEqual(checked.status, 1)
    assert.include(checked.said, "out/rules/toolspan.yml is not what its source makes")
    assert.include(checked.said, "out/old.json has no source")
  })

  it("point to a team's own runbook when asked to", () => {
    const at = copy("runbook")
    assert.strictEqual(build(at, "--runbook", "https://wiki.example.org/runbook").status, 0)
    for (const file of ["out/rules/toolspan.yml", "provisioning/alerting/toolspan.yaml"]) {
      const text = fs.readFileSync(path.join(at, file), "utf8")
      assert.include(text, "runbook_url: \"https://wiki.example.org/runbook#collectordown\"")
      assert.notInclude(text, "RUNBOOK")
    }
  })

  it("hold the five dashboards", () => {
    assert.sameMembers(boards.map(({ title }) => title), [
      "Tool calls",
      "Find a tool call",
      "Approvals",
      "Pairing",
      "Pipeline"
    ])
  })
})
