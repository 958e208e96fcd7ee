import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import type { Finding } from "../../src/cli/Finding.ts"
import { run, sendTo } from "../journeys/child.ts"
import { programs, remove } from "../journeys/installation.ts"
import { otlpSink } from "../journeys/otlpSink.ts"
import { all } from "./runtime.ts"

const limit = 120_000

let folder: string

beforeAll(async () => {
  folder = await programs("4.1.0")
  return () => remove(folder)
}, 180_000)

const findingsOf = (out: string): ReadonlyArray<Finding> =>
  out.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Finding)

const told = (findings: ReadonlyArray<Finding>, about: string): ReadonlyArray<string> =>
  findings.filter((finding) => finding.about === about).map(({ found, status }) => `${status} ${found}`)

describe.each(all)("toolspan doctor on $name", (runtime) => {
  const doctor = async (args: ReadonlyArray<string>) => {
    await using sink = await otlpSink()
    const main = path.join(fs.realpathSync(path.dirname(folder)), "node_modules/toolspan/dist/cli/main.js")
    const ended = await run(
      folder,
      [...runtime.run, main, "doctor", "--json", "--data", path.join(folder, "no-data"), ...args],
      { ...sendTo(sink.url, "http/protobuf"), NO_COLOR: "1" },
      runtime.program
    )
    return { ...ended, findings: findingsOf(ended.out) }
  }

  it("sends a test span and finds nothing wrong with what is installed", async () => {
    const { code, errors, findings } = await doctor([])
    assert.deepStrictEqual(findings.filter(({ status }) => status !== "ok"), [])
    assert.match(told(findings, "endpoint").join(), /took a test span, trace [0-9a-f]{32}/)
    assert.strictEqual(errors, "")
    assert.strictEqual(code, 0)
  }, limit)

  it("looks into a program of this runtime that is traced, and leaves its output and its end alone", async () => {
    const program = [runtime.program, ...runtime.run, ...runtime.preload("register", folder), "calls.mjs", "60", "exit"]
    const { code, errors, findings } = await doctor(["--", ...program])
    assert.strictEqual(errors, "done\n")
    assert.deepStrictEqual(told(findings, "program"), ["warn ended with exit code 7"])
    assert.match(told(findings, "effect in the program").join(), /^ok 4\.1\.0 in /)
    assert.deepStrictEqual(told(findings, "hooks in the program"), ["ok in place"])
    assert.match(told(findings, "tracer in the program").join(), /^ok (Node)?TracerProvider, API 1\.\d+\.\d+$/)
    assert.match(told(findings, "context manager in the program").join(), /^ok AsyncLocalStorageContextManager$/)
    assert.deepStrictEqual(told(findings, "seen in the program"), ["ok 2 turns, 60 executions"])
    assert.deepStrictEqual(findings.filter(({ status }) => status === "fail"), [])
    assert.strictEqual(code, 0)
  }, limit)

  it("tells that toolspan is not in a program, and that it came too late", async () => {
    const bare = await doctor(["--", runtime.program, ...runtime.run, "calls.mjs", "10"])
    assert.deepStrictEqual(told(bare.findings, "hooks in the program"), ["fail none: toolspan is not in this program"])
    assert.strictEqual(bare.code, 1)
    fs.writeFileSync(path.join(folder, "late.mjs"), "import \"./calls.mjs\"\nimport \"toolspan/auto\"\n")
    const late = await doctor(["--", runtime.program, ...runtime.run, "late.mjs"])
    assert.match(told(late.findings, "hooks in the program").join(), /^warn came too late for effect's AI modules/)
  }, limit)
})
