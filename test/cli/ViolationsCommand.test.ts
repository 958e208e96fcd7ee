import { assert, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ListedViolation } from "../../src/query/Overview.ts"
import * as Query from "../../src/query/Query.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { approvedCall, callValues } from "../query/CallFixture.ts"
import { spanRow } from "../query/SpanBuilder.ts"
import { command, stored } from "./CommandRun.ts"

const violation = (kind: string, id: string, at: number) => ({
  name: "toolspan.violation",
  at,
  attributes: {
    [Attribute.toolspanViolationKind]: kind,
    [Attribute.toolspanViolationScope]: "conversation",
    [Attribute.genAiToolName]: "send_email",
    [Attribute.genAiToolCallId]: id,
    [Attribute.toolspanCallKey]: id
  }
})

const evil = "\u001b[31m\u202e"

const rows = approvedCall("t1", {
  conversation: "demo",
  chatEvents: [
    violation("duplicate_result", "t1", 42_600),
    violation("orphan_result", "t7", 42_601),
    violation(`new_kind${evil}`, `t8${evil}`, 42_602)
  ]
})

const read = (lines: ReadonlyArray<string>) =>
  lines.map((line) => Schema.decodeUnknownSync(ListedViolation)(JSON.parse(line)))

describe("violations", () => {
  it.live("tells each fault, what it means, the call, and how often there are such", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(rows)
      const { code, out } = yield* command(["violations", "--data", path], { width: 90 })
      assert.strictEqual(code, 0)
      expect(out.join("\n")).toMatchInlineSnapshot(`
        "03-01 09:12:45  new_kind\\u{1b}[31m\\u{202e}
            This version of toolspan does not know this kind of fault.
            call t8\\u{1b}[31m\\u{202e} · tool send_email · in the conversation · conversation demo
            · trace befd2508fec638ffea174b0012934ffe
        03-01 09:12:45  orphan_result
            The history has a result for a call that it does not hold; most providers refuse to be
            sent such a history.
            call t7 · tool send_email · in the conversation · conversation demo · trace
            befd2508fec638ffea174b0012934ffe
        03-01 09:12:45  duplicate_result
            The history holds two results for this one call; the provider may refuse it or read
            the wrong one.
            call t1 · tool send_email · in the conversation · conversation demo · trace
            befd2508fec638ffea174b0012934ffe

        In all: 1 duplicate_result, 1 new_kind\\u{1b}[31m\\u{202e}, 1 orphan_result"
      `)
    }).pipe(Effect.scoped))

  it.live("narrows, goes on, and prints what the API gives", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored(rows)
      const all = yield* command(["violations", "--data", path, "--json"])
      assert.deepStrictEqual(read(all.out), [...(yield* Query.make(store).violations({})).violations])
      const kind = yield* command(["violations", "--kind", "orphan_result", "--data", path, "--json"])
      assert.deepStrictEqual(read(kind.out).map(({ id }) => id), ["t7"])
      const id = yield* command([
        "violations",
        "--id",
        "t1",
        "--tool",
        "send_email",
        "--conversation",
        "demo",
        "--data",
        path,
        "--json"
      ])
      assert.deepStrictEqual(read(id.out).map(({ kind }) => kind), ["duplicate_result"])
      const first = yield* command(["violations", "--limit", "2", "--data", path, "--json"])
      const cursor = /--cursor (\S+) goes on/.exec(first.err.join("\n"))![1]!
      const rest = yield* command(["violations", "--limit", "2", "--cursor", cursor, "--data", path, "--json"])
      assert.deepStrictEqual([...first.out, ...rest.out], [...all.out])
    }).pipe(Effect.scoped))

  it.live("finds by tool what names only the call, as faults of tools that the model invented do", () =>
    Effect.gen(function*() {
      const event = violation("unknown_tool", "t9", 42_603)
      const { [Attribute.genAiToolName]: _, ...attributes } = event.attributes
      const { [Attribute.genAiToolName]: __, ...values } = callValues("t9", "none")
      const { path } = yield* stored([
        ...approvedCall("t1", { conversation: "demo", chatEvents: [{ ...event, attributes }] }),
        spanRow({
          label: "go/call t9",
          parent: "go/chat",
          name: "tool_call _unknown",
          at: 42_600,
          attributes: {
            ...values,
            [Attribute.toolspanStage]: "decision",
            [Attribute.toolspanToolRequestedName]: "launch_rocket"
          }
        })
      ])
      const found = yield* command(["violations", "--tool", "launch_rocket", "--data", path, "--json"])
      assert.deepStrictEqual(read(found.out).map(({ id, kind, tool }) => [kind, id, tool]), [
        ["unknown_tool", "t9", "launch_rocket"]
      ])
      const other = yield* command(["violations", "--tool", "send_email", "--data", path, "--json"])
      assert.strictEqual(other.code, 1)
    }).pipe(Effect.scoped))

  it.live("ends with 1 when there is none, and with 2 for a wrong question", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(rows)
      const none = yield* command(["violations", "--kind", "missing_id", "--id", "t1", "--data", path])
      assert.deepStrictEqual([none.code, none.out], [1, []])
      assert.match(none.err.join("\n"), /^No fault with kind missing_id, id t1 was reported in /)
      for (const args of [["--kind", "party"], ["--limit", "0"], ["--cursor", "x"], ["t1"]]) {
        const { code, out } = yield* command(["violations", ...args, "--data", path])
        assert.deepStrictEqual([code, out], [2, []])
      }
    }).pipe(Effect.scoped))
})
