import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as HistoryFile from "../../src/cli/HistoryFile.ts"
import { pathsIn } from "../../src/cli/HistoryPath.ts"
import { check } from "../../src/pairing/Check.ts"
import type { HistoryFormat } from "../../src/pairing/Check.ts"
import { main, run, temporaryFolder } from "./CommandProcess.ts"

/** Runs the command with a text on its standard input. */
const piped = (args: ReadonlyArray<string>, input: string) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [main, "check", ...args], {
    input,
    encoding: "utf8",
    env: { HOME: "/nonexistent", PATH: process.env["PATH"] ?? "" }
  })
  return { code: status, out: stdout, err: stderr }
}

const anthropic = {
  model: "m",
  messages: [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "lookup", input: {} }] },
    { role: "user", content: [{ type: "text", text: "never mind" }] }
  ]
}

const paired = [
  { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "lookup", params: {} }] },
  { role: "tool", content: [{ type: "tool-result", id: "c1", name: "lookup", isFailure: false, result: "v" }] }
]

describe("toolspan check", () => {
  it("says where a fault stands, what it is and how to mend it", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "request.json")
    writeFileSync(file, JSON.stringify(anthropic))
    const { code, err, out } = await run(["check", file])
    assert.strictEqual(code, 1)
    assert.strictEqual(
      out,
      "unanswered_call toolu_1 lookup\n"
        + "  at messages[1].content[0]\n"
        + "  Add a result for the call right after its message, or remove the call.\n\n"
    )
    assert.strictEqual(err, `${file}: an Anthropic Messages request with 1 violation\n`)
  })

  it("gives one JSON object a line of what stands on its input", () => {
    const history = [...paired, { role: "tool", content: [{ type: "tool-result", id: "evil\u009b2J", name: "x" }] }]
    const { code, out } = piped(["-", "--json"], `\ufeff${JSON.stringify(history)}`)
    assert.strictEqual(code, 1)
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line))
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], {
      kind: "orphan_result",
      id: "evil\u009b2J",
      message: 2,
      part: 0,
      path: "[2].content[0]"
    })
    assert.notInclude(out, "\u009b")
  })

  it("is content with a history in which everything pairs up", () => {
    const text = piped(["-"], JSON.stringify(paired))
    assert.deepStrictEqual([text.code, text.err], [0, ""])
    assert.strictEqual(text.out, "Standard input: an Effect prompt with no violations\n")
    assert.deepStrictEqual(piped(["-", "--json"], JSON.stringify({ content: paired })), { code: 0, out: "", err: "" })
  })

  it("reads the history in the form that was asked for", () => {
    const bare = JSON.stringify([{ role: "user", content: "go" }, { type: "other" }])
    assert.match(piped(["-", "--format", "responses"], bare).out, /a Responses request with no violations/)
  })

  it("counts several faults and shows no escape sequence of an id", () => {
    const { code, err, out } = piped(
      ["-"],
      JSON.stringify({
        messages: [
          { role: "tool", tool_call_id: "\u001b[31mx", content: "v" },
          { role: "assistant", tool_calls: [{ id: "c1", function: { name: "lookup", arguments: "{\"a\":" } }] }
        ]
      })
    )
    assert.strictEqual(code, 1)
    assert.include(err, "a chat completions request with 3 violations")
    assert.notInclude(out, "\u001b")
    assert.include(out, "at messages[0]\n")
    assert.include(out, "argument_parse_error c1 lookup (cut off)\n  at messages[1].tool_calls[0]")
  })

  const entry = (id: string, parentId: string | null, message: object) => ({ type: "message", id, parentId, message })
  const calling = {
    role: "assistant",
    content: [{ type: "text", text: "x" }, { type: "toolCall", id: "c1|fc_1", name: "read", arguments: {} }]
  }
  const piResult = (toolCallId: string) => ({ role: "toolResult", toolCallId, toolName: "read", content: [] })
  const session = [
    { type: "session", version: 3, id: "s" },
    entry("a", null, calling),
    entry("b", "a", piResult("c1|fc_1")),
    entry("x", "a", { role: "user", content: "x" }),
    entry("y", "x", piResult("gone"))
  ]
  const lines = session.map((one) => JSON.stringify(one)).join("\n")

  for (const format of [[], ["--format", "pi"]]) {
    it(`checks the session file of a pi agent, branch by branch, with each place: ${format.join(" ")}`, async () => {
      using folder = temporaryFolder()
      const file = join(folder.path, "session.jsonl")
      // A session that is written to may end within a line.
      writeFileSync(file, `${lines}\n{"type":"mess`)
      const { code, err, out } = await run(["check", file, ...format])
      assert.strictEqual(code, 1)
      assert.strictEqual(err, `${file}: a history of a pi agent with 2 violations\n`)
      assert.include(out, "unanswered_call c1 read\n  at line 2: message.content[1]\n")
      assert.include(out, "orphan_result gone read\n  at line 5: message\n")
      const branch = await run(["check", file, ...format, "--leaf", "b"])
      assert.deepStrictEqual(branch, {
        code: 0,
        out: `${file}: a history of a pi agent with no violations\n`,
        err: ""
      })
      const nowhere = await run(["check", file, ...format, "--leaf", "none"])
      assert.deepStrictEqual([nowhere.code, nowhere.out], [2, ""])
      assert.match(nowhere.err, /^--leaf names an entry of a session file of pi; .* has no entry none\.\n$/)
    }, 60_000)
  }

  it("checks the messages of a pi agent, and the entries of a session as a list", () => {
    const messages = [calling, piResult("gone"), { role: "user", content: "x" }]
    const paths = (history: unknown) =>
      piped(["-", "--json", "--format", "pi"], JSON.stringify(history)).out.trim().split("\n")
        .map((line) => JSON.parse(line).path)
    assert.deepStrictEqual(paths(messages), ["[0].content[1]", "[1]"])
    assert.deepStrictEqual(paths({ messages }), ["messages[0].content[1]", "messages[1]"])
    assert.deepStrictEqual(paths(session), ["[1].message.content[1]", "[4].message"])
  }, 60_000)

  it("refuses what is no history of a pi agent, and a leaf of anything else", () => {
    assert.match(piped(["-", "--format", "pi"], "words").err, /^Standard input is no history: /)
    assert.match(piped(["-"], "{\"type\":\"x\"}\n{}").err, /^Standard input is not JSON: /)
    const { code, err } = piped(["-", "--leaf", "a"], JSON.stringify(paired))
    assert.strictEqual(code, 2)
    assert.match(err, /--leaf names an entry of a session file of pi/)
    const otherForm = piped(["-", "--format", "pi"], JSON.stringify(anthropic))
    assert.strictEqual(otherForm.code, 2)
    assert.match(
      otherForm.err,
      /is an Anthropic Messages request; as a history of a pi agent, no call.*Leave --format out/
    )
    const withoutFault = piped(["-", "--format", "anthropic"], JSON.stringify(paired))
    assert.strictEqual(withoutFault.code, 2)
    assert.match(withoutFault.err, /is an Effect prompt; as an Anthropic Messages request, no call/)
  }, 60_000)

  it("takes a session that has only its first line for an empty history", () => {
    const header = JSON.stringify({ type: "session", version: 3, id: "s", timestamp: "2026-03-01T09:00:00Z", cwd: "/" })
    for (const text of [header, `${header}\n`]) {
      for (const format of [[], ["--format", "pi"]]) {
        assert.deepStrictEqual(piped(["-", ...format], text), {
          code: 0,
          out: "Standard input: a history of a pi agent with no violations\n",
          err: ""
        })
      }
    }
  }, 60_000)

  it("refuses with exit code 2 what it cannot read", async () => {
    using folder = temporaryFolder()
    const missing = await run(["check", join(folder.path, "none.json")])
    assert.deepStrictEqual([missing.code, missing.out], [2, ""])
    assert.match(missing.err, /^There is no file .*none\.json\.\n$/)
    assert.match((await run(["check", folder.path])).err, /is a folder/)
    const cut = piped(["-"], "{\"messages\":[")
    assert.strictEqual(cut.code, 2)
    assert.match(cut.err, /^Standard input is not JSON: .*\n$/)
    assert.deepStrictEqual(piped(["-"], " \n"), { code: 2, out: "", err: "Standard input is empty.\n" })
    for (const other of ["42", "\"text\"", "{\"a\":1}", "null"]) {
      const { code, err } = piped(["-"], other)
      assert.strictEqual(code, 2)
      assert.match(err, /^Standard input is no history: /)
    }
    const without = await run(["check"])
    assert.strictEqual(without.code, 2)
    assert.strictEqual(piped(["-", "--format", "xml"], "[]").code, 2)
    const otherForm = piped(["-", "--format", "responses"], JSON.stringify(anthropic))
    assert.strictEqual(otherForm.code, 2)
    assert.match(otherForm.err, /is an Anthropic Messages request; as a Responses request, no call.*Leave --format out/)
  }, 60_000)
})

describe("HistoryFile", () => {
  it.effect("names the limit that a file is over", () =>
    Effect.gen(function*() {
      using folder = temporaryFolder()
      const file = join(folder.path, "long.json")
      writeFileSync(file, `"${"x".repeat(2 * 1024 * 1024)}"`)
      const error = yield* Effect.flip(HistoryFile.read(file, { limit: 1024 * 1024 }))
      assert.strictEqual(
        error.message,
        `${file} has more than 1 MiB. Check a part of it: one conversation, or one request.`
      )
      assert.isString(yield* HistoryFile.read(file))
    }))
})

describe("pathsIn", () => {
  const at = (history: unknown, format: HistoryFormat) => check(history, { format }).map(pathsIn(history, format))

  it("names the place as the history has it", () => {
    const orphan = { type: "tool-result", id: "a", name: "x", isFailure: false, result: 1 }
    const messages = [{ role: "user", content: "go" }, { role: "tool", content: [orphan] }]
    assert.deepStrictEqual(at(messages, "effect"), ["[1].content[0]"])
    assert.deepStrictEqual(at({ content: messages }, "effect"), ["content[1].content[0]"])
    assert.deepStrictEqual(at({ messages }, "effect"), ["messages[1].content[0]"])
    const input = [{ type: "function_call_output", call_id: "a", output: "v" }]
    assert.deepStrictEqual(at({ input }, "responses"), ["input[0]"])
    assert.deepStrictEqual(at(input, "responses"), ["[0]"])
  })
})
