import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Finding } from "../../src/cli/Finding.ts"
import { settingFindings } from "../../src/cli/SettingFindings.ts"
import { installationFindings } from "../../src/cli/InstallationFindings.ts"
import { programFindings } from "../../src/cli/ProgramFindings.ts"
import { dev, run, temporaryFolder } from "./CommandProcess.ts"

const findingsOf = (out: string): ReadonlyArray<Finding> =>
  out.split("\n").filter((line) => line.startsWith("{\"status\"")).map((line) => JSON.parse(line) as Finding)

const about = (findings: ReadonlyArray<Finding>, name: string): ReadonlyArray<Finding> =>
  findings.filter((finding) => finding.about === name)

const programs = fileURLToPath(new URL("./programs/", import.meta.url))

/** Nobody listens on this one. */
const nowhere = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", TOOLSPAN_DATA: "/nonexistent" }

const packageIn = (folder: string, place: string, version: string): void => {
  const file = join(folder, "node_modules", place, "package.json")
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ name: place, version }))
}

describe("toolspan doctor", { timeout: 60_000 }, () => {
  it("sends a test span and finds it again in toolspan dev; nothing fails", async () => {
    using folder = temporaryFolder()
    await using server = await dev(["--port", "0", "--data", folder.path])
    const { code, out } = await run(["doctor", "--json", "--data", folder.path], {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url
    })
    const findings = findingsOf(out)
    assert.match(about(findings, "endpoint")[0]!.found, /sent and found again, trace [0-9a-f]{32}/)
    assert.match(about(findings, "data file")[0]!.found, /1 spans of 1 traces/)
    assert.deepStrictEqual(findings.filter((finding) => finding.status === "fail"), [])
    assert.strictEqual(code, 0)
  })

  it("says where a toolspan dev keeps its spans elsewhere", async () => {
    using folder = temporaryFolder()
    await using server = await dev(["--port", "0", "--data", join(folder.path, "one.db")])
    const { code, out } = await run(["doctor", "--json", "--data", join(folder.path, "other.db")], {
      OTEL_EXPORTER_OTLP_ENDPOINT: server.url
    })
    const [endpoint] = about(findingsOf(out), "endpoint")
    assert.strictEqual(endpoint!.status, "fail")
    assert.include(endpoint!.found, "other.db")
    assert.strictEqual(code, 1)
  }, 20_000)

  it("fails where nobody takes the test span, and says what to do", async () => {
    const { code, err, out } = await run(["doctor"], { ...nowhere, COLUMNS: "200" })
    assert.match(out, /fail endpoint: http:\/\/127\.0\.0\.1:9\/v1\/traces did not take a test span: .*ECONNREFUSED/)
    assert.match(out, /toolspan dev there, or name another/)
    assert.match(err, /^1 of \d+ findings fail\n$/)
    assert.strictEqual(code, 1)
  })

  it("keeps to the width, with addresses and paths in one piece", async () => {
    const narrow = await run(["doctor"], { ...nowhere, COLUMNS: "40" })
    const wide = await run(["doctor"], { ...nowhere, COLUMNS: "2000" })
    for (const line of narrow.out.split("\n")) {
      if (/ /.test(line.slice(5))) assert.isAtMost(line.length, 40, line)
    }
    assert.include(narrow.out, "http://127.0.0.1:9/v1/traces")
    assert.deepStrictEqual(narrow.out.split(/\s+/), wide.out.split(/\s+/))
  })

  it("is used in a wrong way with an option that it has not, or a program that is not there", async () => {
    assert.strictEqual((await run(["doctor", "--nothing"], nowhere)).code, 2)
    const { code, err } = await run(["doctor", "--", "no-such-program-here"], nowhere)
    assert.strictEqual(code, 2)
    assert.match(err, /no-such-program-here cannot be run/)
  })
})

describe("toolspan doctor -- program", { timeout: 60_000 }, () => {
  it("looks into a program and leaves its output and its end alone", async () => {
    const { code, err, out } = await run(["doctor", "--", process.execPath, join(programs, "traced.ts"), "a b", "3"], {
      ...nowhere
    })
    assert.strictEqual(out, "out: a b\n")
    assert.match(err, /^err: a b\n/)
    assert.match(err, /warn program: ended with exit code 3/)
    assert.match(err, /ok {3}hooks in the program: in place/)
    assert.match(err, /ok {3}seen in the program: 1 turns, 1 executions/)
    assert.match(err, /ok {3}effect in the program: 4\.1\.0 in /)
    assert.strictEqual(code, 1)
  }, 20_000)

  it("says that toolspan is not in a program, and how it gets there", async () => {
    const { out } = await run(["doctor", "--json", "--", process.execPath, join(programs, "untraced.ts")], nowhere)
    const [hooks] = about(findingsOf(out), "hooks in the program")
    assert.strictEqual(hooks!.status, "fail")
    assert.include(hooks!.advice, "--import toolspan/register")
  }, 20_000)

  it("keeps the program's output out of the lines for a script", async () => {
    const args = ["--json", "--", process.execPath, join(programs, "traced.ts"), "a b", "0"]
    const { err, out } = await run(["doctor", ...args], { ...nowhere })
    assert.isAbove(findingsOf(out).length, 5)
    assert.match(err, /^(?:out|err): a b$/m)
    assert.include(err, "out: a b\n")
  }, 20_000)

  it("knows of a program that was killed what it was before", async () => {
    const { out } = await run(["doctor", "--json", "--", process.execPath, join(programs, "killed.ts")], nowhere)
    const findings = findingsOf(out)
    assert.strictEqual(about(findings, "program")[0]!.found, "ended by SIGKILL")
    assert.strictEqual(about(findings, "end of the program")[0]!.status, "warn")
    assert.strictEqual(about(findings, "effect in the program")[0]!.status, "ok")
  }, 20_000)
})

describe("findings about settings", () => {
  const statusOf = (env: Readonly<Record<string, string>>, name: string) =>
    about(settingFindings(env), name).map((finding) => finding.status)

  it("fail for a bad value, warn of a name that is not known", () => {
    assert.deepStrictEqual(statusOf({}, "settings"), ["ok"])
    assert.deepStrictEqual(statusOf({ TOOLSPAN_CONTENT: "some", TOOLSPAN_CONTNET: "off" }, "settings"), [
      "fail",
      "warn"
    ])
    const ofTheCommand = ["DATA", "MAX_SIZE", "MAX_AGE", "TOKEN", "BACKEND_TOKEN"].map((
      name
    ) => [`TOOLSPAN_${name}`, "1GiB"])
    assert.deepStrictEqual(statusOf(Object.fromEntries(ofTheCommand), "settings"), ["ok"])
  })

  it("tell the content policy in force", () => {
    assert.deepStrictEqual(statusOf({}, "content"), ["ok"])
    assert.include(
      about(settingFindings({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" }), "content")[0]!.found,
      "arguments and results are written, at most 2048 bytes"
    )
  })

  it("tell sampling that makes metrics of spans wrong", () => {
    const ratio = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" }
    assert.deepStrictEqual(statusOf({}, "sampling"), ["ok"])
    assert.deepStrictEqual(statusOf({ OTEL_TRACES_SAMPLER: "always_off" }, "sampling"), ["fail"])
    assert.deepStrictEqual(statusOf({ OTEL_TRACES_SAMPLER: "of_a_vendor" }, "sampling"), ["warn"])
    assert.deepStrictEqual(statusOf(ratio, "sampling"), ["warn"])
    assert.deepStrictEqual(statusOf({ ...ratio, TOOLSPAN_METRICS: "true" }, "sampling"), ["ok"])
    assert.deepStrictEqual(statusOf({ ...ratio, OTEL_TRACES_SAMPLER_ARG: "1.0" }, "sampling"), ["ok"])
  })

  it("tell an exporter that sends nothing, and a switch that is off", () => {
    assert.deepStrictEqual(statusOf({ OTEL_TRACES_EXPORTER: "none" }, "exporter"), ["fail"])
    assert.deepStrictEqual(statusOf({ OTEL_TRACES_EXPORTER: "console" }, "exporter"), ["warn"])
    assert.deepStrictEqual(statusOf({ TOOLSPAN_DISABLED: "1" }, "switch"), ["warn"])
  })
})

describe("findings about what is installed", () => {
  const inFolder = (packages: Readonly<Record<string, string>>) => {
    using folder = temporaryFolder()
    for (const [place, version] of Object.entries(packages)) packageIn(folder.path, place, version)
    return installationFindings(folder.path, folder.path).map(({ about, status }) => `${about}: ${status}`)
  }

  it("are well for one copy of each", () => {
    assert.deepStrictEqual(
      inFolder({ effect: "4.1.3", "@effect/opentelemetry": "4.1.0", "@opentelemetry/api": "1.9.1" }),
      ["effect: ok", "copies of effect: ok", "@effect/opentelemetry: ok", "@opentelemetry/api: ok"]
    )
  })

  it("tell a version that is not touched, and a folder without effect", () => {
    assert.include(inFolder({ effect: "5.0.0" }), "effect: fail")
    assert.include(inFolder({}), "effect: fail")
  })

  it("tell second copies, those of scoped packages and of pnpm too", () => {
    assert.include(inFolder({ effect: "4.1.0", "@a/b/node_modules/effect": "4.1.1" }), "copies of effect: warn")
    assert.include(
      inFolder({ effect: "4.1.0", ".pnpm/effect@4.1.2/node_modules/effect": "4.1.2" }),
      "copies of effect: warn"
    )
    assert.include(
      inFolder({ "@opentelemetry/api": "1.9.1", "a/node_modules/@opentelemetry/api": "1.8.0" }),
      "@opentelemetry/api: warn"
    )
  })

  it("tell a bridge of another line", () => {
    assert.include(
      inFolder({ effect: "4.1.0", "@effect/opentelemetry": "4.0.0-rc.112" }),
      "@effect/opentelemetry: fail"
    )
  })
})

describe("findings about a program", () => {
  const report = {
    pid: 7,
    program: "app.js",
    node: "24.0.0",
    ended: true,
    exitCode: 0,
    copies: [{ name: "effect", version: "4.1.0", folder: "/app", serviceHook: true, defaultTracer: true }],
    moduleHook: true,
    linkedEarly: false,
    provider: "NodeTracerProvider",
    contextManager: "AsyncLocalStorageContextManager",
    apiVersion: "1.9.1",
    turns: 1,
    executions: 1,
    internalErrors: 0
  }
  const notOk = (
    more: Partial<typeof report> | { readonly provider: undefined } | { readonly contextManager: undefined }
  ) =>
    programFindings([{ ...report, ...more }]).filter(({ status }) => status !== "ok")
      .map(({ about, status }) => `${about}: ${status}`)

  it("are well for a program that is traced", () => {
    assert.deepStrictEqual(notOk({}), [])
  })

  it("tell hooks that came too late, two copies, no provider, no context manager, no turn, faults of ours", () => {
    assert.deepStrictEqual(notOk({ linkedEarly: true }), ["hooks in the program: warn"])
    assert.deepStrictEqual(notOk({ copies: [...report.copies, ...report.copies] }), ["effect in the program: warn"])
    assert.deepStrictEqual(notOk({ provider: undefined }), ["tracer in the program: fail"])
    assert.deepStrictEqual(notOk({ contextManager: undefined }), ["context manager in the program: warn"])
    assert.deepStrictEqual(notOk({ turns: 0, executions: 0 }), ["seen in the program: warn"])
    assert.deepStrictEqual(notOk({ internalErrors: 2 }), ["faults in toolspan: fail"])
  })

  it("are of each process that ran effect, and of none of the others", () => {
    const launcher = { ...report, pid: 8, copies: [] }
    assert.isTrue(programFindings([launcher, report]).every(({ about }) => !about.includes("(")))
    assert.isTrue(programFindings([{ ...report, pid: 9 }, report]).some(({ about }) => about.endsWith("app.js (9)")))
    assert.deepStrictEqual(programFindings([]).map(({ status }) => status), ["fail"])
  })
})
