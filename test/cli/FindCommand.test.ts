import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Column from "../../src/cli/Column.ts"
import { colours } from "../../src/cli/Style.ts"
import { CallPage, ListedCall } from "../../src/query/CallSearch.ts"
import * as Query from "../../src/query/Query.ts"
import { Story } from "../../src/query/Story.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { command, stored } from "./CommandRun.ts"

const listed = (line: string) => Schema.decodeUnknownSync(ListedCall)(JSON.parse(line))

const ids = (lines: ReadonlyArray<string>) => lines.map((line) => listed(line).id ?? "")

const violation = (kind: string, id: string) => ({
  name: "toolspan.violation",
  at: 42_600,
  attributes: {
    [Attribute.toolspanViolationKind]: kind,
    [Attribute.toolspanViolationScope]: "conversation",
    [Attribute.genAiToolCallId]: id,
    [Attribute.toolspanCallKey]: id
  }
})

const calls = [
  ...approvedCall("t1", { conversation: "demo", chatEvents: [violation("duplicate_result", "t1")] }),
  ...plainCall("t2", {
    a: "c",
    b: "d",
    at: 1000,
    outcome: "failure",
    values: { [Attribute.genAiToolCallArguments]: "Lisbon 4711" }
  })
]

describe("find", { timeout: 60_000 }, () => {
  const filters: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [[], ["t2", "t1"]],
    [["--id", "t1"], ["t1"]],
    [["--id-prefix", "t"], ["t2", "t1"]],
    [["--key", "t2"], ["t2"]],
    [["--tool", "send_email"], ["t1"]],
    [["--state", "approved"], ["t1"]],
    [["--outcome", "failure"], ["t2"]],
    [["--violation", "duplicate_result"], ["t1"]],
    [["--violation", "duplicate_id"], []],
    [["--conversation", "demo"], ["t1"]],
    [["--service", "assistant"], ["t2", "t1"]],
    [["--from", "2026-03-01T09:12:04Z"], ["t2"]],
    [["--since", "2026-03-01T10:12:04+01:00"], ["t2"]],
    [["--until", "2026-03-01 09:12:04"], ["t1"]],
    [["--to", "2026-03-01"], []],
    [["--since", "999999999d"], ["t2", "t1"]],
    [["--since", "1s"], []],
    [["--min-duration", "181"], ["t1"]],
    [["--max-duration", "181"], ["t2"]],
    [["--text", "lisbon"], ["t2"]],
    [["--text", "END_EM"], ["t1"]],
    [["--sort", "oldest"], ["t1", "t2"]],
    [["--sort", "slowest"], ["t1", "t2"]],
    [["--sort", "longest-wait"], ["t1"]],
    [["--limit", "1"], ["t2"]],
    [["--tool", "send_email", "--outcome", "failure"], []]
  ]
  for (const [args, wanted] of filters) {
    it.live(`narrows and orders: ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const { path } = yield* stored(calls)
        const { code, err, out } = yield* command(["find", "--data", path, "--json", ...args])
        assert.deepStrictEqual(ids(out), [...wanted])
        assert.strictEqual(code, wanted.length === 0 ? 1 : 0)
        if (wanted.length === 0) assert.match(err.join("\n"), /^There is no tool call with .* in .*traces\.db$/)
      }).pipe(Effect.scoped))
  }

  it.live("prints exactly what the API gives", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored(calls)
      const page = yield* Schema.encodeEffect(CallPage)(yield* Query.make(store).calls({}))
      const found = yield* command(["find", "--data", path, "--json"])
      assert.deepStrictEqual(found.out.map((line): unknown => JSON.parse(line)), [...page.calls])
      const { stories } = yield* Query.make(store).story("t1", 10)
      const shown = yield* command(["show", "t1", "--data", path, "--json"])
      assert.deepStrictEqual(
        shown.out.map((line) => JSON.parse(line)),
        stories.map((story) => Schema.encodeSync(Story)(story))
      )
    }).pipe(Effect.scoped))

  it.live("goes on with the cursor that it tells, and gives everything with --all", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 1203 }, (_, index) =>
        plainCall(`t${index}`, { a: `a${index}`, b: "b", at: index })).flat()
      const { path } = yield* stored(many)
      const seen: Array<string> = []
      let cursor: ReadonlyArray<string> = []
      for (;;) {
        const { code, err, out } = yield* command(["find", "--data", path, "--json", "--limit", "500", ...cursor])
        assert.strictEqual(code, 0)
        seen.push(...ids(out))
        const next = /--cursor (\S+) goes on/.exec(err.join("\n"))?.[1]
        if (next === undefined) {
          break
        }
        assert.match(err.join("\n"), /^\n500 of 1,203 calls; --limit or --all shows more/)
        cursor = ["--cursor", next]
      }
      const all = yield* command(["find", "--data", path, "--json", "--all"])
      assert.deepStrictEqual(ids(all.out), seen)
      assert.lengthOf(new Set(seen), 1203)
      assert.deepStrictEqual(all.err, [])
      const table = yield* command(["find", "--data", path, "--all"])
      assert.lengthOf(table.out, 1204)
      const left = yield* command(["find", "--data", path, "--all", "--json"], { leaveAfter: 1 })
      assert.deepStrictEqual([left.code, left.out.length, left.err], [0, 1000, []])
    }).pipe(Effect.scoped))

  it.live("tells of a call that only faults name", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(approvedCall("t1", { chatEvents: [violation("orphan_result", "gone")] }))
      const { code, err, out } = yield* command(["show", "gone", "--data", path])
      assert.deepStrictEqual([code, out], [1, []])
      assert.match(
        err.join("\n"),
        /^There is no tool call with the id or key gone in .*\. Faults name it, 1 in all: tool/
      )
      const listed = yield* command(["violations", "--id=gone", "--data", path])
      assert.strictEqual(listed.code, 0)
    }).pipe(Effect.scoped))

  it.live("has a column of faults where there are some", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(calls)
      const { out } = yield* command(["find", "--data", path], { width: 100 })
      assert.match(out[0]!, /OUTCOME +FAULTS +MODEL$/)
      assert.match(out.find((line) => line.includes("t1"))!, / 1 +claude-x$/)
      const without = yield* command(["find", "--id", "t2", "--data", path], { width: 100 })
      assert.notInclude(without.out[0]!, "FAULTS")
    }).pipe(Effect.scoped))

  it.live("keeps to the width with wide letters and emoji, and paints whole cells", () =>
    Effect.gen(function*() {
      const { path } = yield* stored([
        ...plainCall("t1", { tool: "天気予報を調べる🌦️とても長い名前" }),
        ...plainCall("검색-🎉🎉", { a: "c", b: "d", tool: "e\u0301".repeat(30), at: 1000 })
      ])
      for (let width = 60; width <= 120; width++) {
        const { out } = yield* command(["find", "--data", path], { width })
        for (const line of out) assert.isAtMost(Column.widthOf(line), width)
        const painted = yield* command(["find", "--data", path], { width, style: colours })
        // oxlint-disable-next-line no-control-regex
        assert.deepStrictEqual(painted.out.map((line) => line.replaceAll(/\u001b\[\d+m/g, "").trimEnd()), out)
      }
    }).pipe(Effect.scoped))

  it.live("shows hostile text inert in every command that shows spans", () =>
    Effect.gen(function*() {
      const evil = "\u001b[31m\u202e\u009b2J\u0007\u{e0041}\u2028\r"
      const large = "x".repeat(1_000_000)
      const { path } = yield* stored([
        ...plainCall(`one ${evil}`, { tool: evil, values: { [Attribute.genAiConversationId]: evil } }),
        ...plainCall(`two ${large}`, { tool: large + evil, a: `c${evil}`, b: "d", at: 1000 })
      ])
      const questions = [
        ["find"],
        ["find", "--json"],
        ["find", "--tool", evil],
        ["find", "--tool", `no ${evil}`],
        ["find", "--state", evil],
        ["find", `--${evil}`],
        ["find", "--cursor", evil],
        ["show", `one ${evil}`],
        ["show", `one ${evil}`, "--json"],
        ["show", evil],
        ["show", `two ${large}`],
        ["export"],
        ["export", "--trace", evil],
        ["tail", "--last", "5"],
        [evil]
      ]
      for (const args of questions) {
        const { err, out } = yield* command(
          args[0] === evil ? args : [...args, "--data", path],
          args[0] === "tail" ? { leaveAfter: 0 } : {}
        )
        assert.isAbove(out.length + err.length, 0)
        for (const line of [...out, ...err]) assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Zl}]/u, args[0])
        // People read text; only JSON has a megabyte.
        const text = args.includes("--json") || args[0] === "export" ? err : [...out, ...err]
        for (const line of text) assert.isAtMost(line.length, 4000, args.slice(0, 2).join(" ").slice(0, 50))
      }
    }).pipe(Effect.scoped))

  it.live("ends with 2 and says what to do when it is used in a wrong way", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(calls)
      const questions: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [
          ["find", "--id", "--json"],
          /Missing value for flag --id[^]*A value that begins with a dash is given as --id=<value>/
        ],
        [["find", "--tool", "-x"], /given as --tool=<value>/],
        [["show", "-x"], /An id that begins with a dash is given after --/],
        [["find", "--nope"], /Unrecognized flag: --nope/],
        [["find", "--violation", "any"], /"duplicate_id"/],
        [
          ["find", "--from", "yesterday"],
          /a date or time such as 2026-03-01T09:12Z, or how long ago: 90s, 15m, 2h, 7d/
        ],
        [["find", "--from", "2026-02-30"], /a date or time such as/],
        [["find", "--since", "tomorrow"], /Invalid value for flag --since/],
        [["tail", "--until", "2026-02-30"], /Invalid value for flag --until/],
        [["find", "--since", "1h", "--until", "2h"], /--since is not before --until: no call fits that/],
        [["tail", "--from", "2026-03-01", "--to", "2026-03-01"], /--since is not before --until/],
        [["export", "--min-duration", "6", "--max-duration", "5"], /--min-duration is more than --max-duration/],
        [["find", "--min-duration", "-1"], /0 or more milliseconds/],
        [["find", "--limit", "10001"], /a number from 1 to 10,000/],
        [["find", "--sort", "size"], /"newest" \| "oldest"/],
        [["find", "--cursor", "oldest.n1.1"], /the cursor is none that an earlier page gave for this order/],
        [["find", "--json=maybe"], /Invalid value for flag --json/],
        [["find", "t1"], /Unexpected positional argument: "t1"/],
        [["show"], /Missing required argument: id/],
        [["find", "--data", "/nonexistent/traces.db"], /There is no store .* start `toolspan dev`/],
        [["show", "t1", "--data", "/nonexistent/traces.db"], /There is no store/],
        [["export", "--data", "/nonexistent/traces.db"], /There is no store/]
      ]
      for (const [args, said] of questions) {
        const { code, err, out } = yield* command(args.includes("--data") ? args : [...args, "--data", path])
        assert.deepStrictEqual([code, out], [2, []], args.join(" "))
        assert.match(err.join("\n"), said)
      }
    }).pipe(Effect.scoped))
})
