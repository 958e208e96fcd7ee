import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { toolspan } from "../../src/cli/ToolspanCommand.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { dev, run, started, startedWithInput, temporaryFolder } from "./CommandProcess.ts"

const hostile = "evil \u001b[31m\u202e\u2028\r\n\"}{"

const rows = [
  ...approvedCall("t1", {
    chatEvents: [{
      name: "toolspan.violation",
      at: 42_600,
      attributes: {
        [Attribute.toolspanViolationKind]: "duplicate_result",
        [Attribute.toolspanViolationScope]: "conversation",
        [Attribute.genAiToolCallId]: hostile,
        [Attribute.toolspanCallKey]: hostile
      }
    }]
  }),
  ...plainCall(hostile, { tool: hostile, a: "c", b: "d", at: 1000 })
]

const call = { role: "assistant", content: [{ type: "tool-call", id: hostile, name: hostile, params: {} }] }

describe("the exit code", { timeout: 120_000 }, () => {
  const folder = temporaryFolder()
  const file = (name: string) => join(folder.path, name)
  const tested = new Set<string>()

  beforeAll(async () => {
    const filled = Effect.flatMap(SqliteStore.make({ path: file("traces.db") }), (store) => store.append(rows))
    await Effect.runPromise(Effect.scoped(filled))
    writeFileSync(file("good.json"), JSON.stringify([{ role: "user", content: "go" }]))
    writeFileSync(file("broken.json"), JSON.stringify([call]))
    writeFileSync(file("words"), "no history")
  })
  afterAll(() => folder[Symbol.dispose]())

  const answers: ReadonlyArray<readonly [0 | 1 | 2, ReadonlyArray<string>]> = [
    [0, ["find", "--json"]],
    [1, ["find", "--json", "--tool", "none"]],
    [1, ["find", "--since", "2099-01-01"]],
    [2, ["find", "--limit", "none"]],
    [0, ["show", "--json", hostile]],
    [1, ["show", "--json", "none"]],
    [2, ["show"]],
    [0, ["violations", "--json"]],
    [1, ["violations", "--json", "--id", "none"]],
    [2, ["violations", "--kind", "none"]],
    [0, ["export"]],
    [1, ["export", "none"]],
    [2, ["export", "--trace", "none"]],
    [0, ["check", "--json", "good.json"]],
    [1, ["check", "--json", "broken.json"]],
    [2, ["check", "--json", "words"]],
    [2, ["check", "not-there"]],
    [1, ["doctor", "--json"]],
    [2, ["doctor", "--none"]],
    [2, ["tail", "--last", "none"]],
    [2, ["mcp", "--none"]],
    [2, ["dev", "--port", "none"]],
    [2, ["none"]],
    [0, ["--help"]],
    [0, ["--version"]]
  ]
  for (const [wanted, args] of answers) {
    it(`is ${wanted}, and each line of JSON is an object: ${args.map((arg) => JSON.stringify(arg)).join(" ")}`, async () => {
      tested.add(args[0]!)
      const own = args.map((arg) => /^(?:good|broken)\.json$|^(?:words|not-there)$/.test(arg) ? file(arg) : arg)
      const { code, err, out } = await run(own, {
        TOOLSPAN_DATA: folder.path,
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9"
      })
      assert.strictEqual(code, wanted, err)
      if (args.includes("--json") || (args[0] === "export" && wanted === 0)) {
        const lines = out.split("\n")
        assert.strictEqual(lines.pop(), "")
        // `check` prints what is broken, `doctor` always prints, the others print what they found.
        const prints = args[0] === "check" ? wanted === 1 : args[0] === "doctor" || wanted === 0
        assert.strictEqual(lines.length > 0, prints)
        for (const line of lines) {
          assert.typeOf(JSON.parse(line), "object")
          assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Zl}]/u)
        }
      }
      assert.notMatch(err, /\n +at /)
    })
  }

  for (const name of ["find", "show", "tail", "violations", "export"]) {
    it(`is 2 where there is no file: ${name}`, async () => {
      const { code, err, out } = await run([name, ...(name === "show" ? ["t1"] : []), "--data", file("none.db")])
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, /^There is no store at .*start `toolspan dev`/)
    })
  }

  it("is 1 where the file has no call", async () => {
    await Effect.runPromise(Effect.scoped(SqliteStore.make({ path: file("empty.db") })))
    for (const args of [["find"], ["show", "t1"], ["violations"], ["export"]]) {
      const { code, out } = await run([...args, "--data", file("empty.db")])
      assert.deepStrictEqual([code, out], [1, ""], args[0])
    }
  })

  it("is 0 for what runs until it is stopped", async () => {
    const tail = started(["tail"], { TOOLSPAN_DATA: folder.path })
    await once(tail.stderr, "data")
    tail.kill("SIGINT")
    assert.deepStrictEqual(await once(tail, "close"), [0, null])
    const mcp = startedWithInput(["mcp"], { TOOLSPAN_DATA: folder.path })
    mcp.stdin.end()
    assert.deepStrictEqual(await once(mcp, "close"), [0, null])
    await using server = await dev(["--port", "0", "--data", file("dev.db")])
    const doctor = await run(["doctor", "--data", file("dev.db")], { OTEL_EXPORTER_OTLP_ENDPOINT: server.url })
    assert.strictEqual(doctor.code, 0, doctor.out)
    assert.strictEqual((await server.stop()).code, 0)
  })

  it("is tested of every command", () => {
    const names = toolspan.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))
    assert.includeMembers([...tested], names)
  })
})
