import { assert, describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Column from "../../src/cli/Column.ts"
import { storyText } from "../../src/cli/StoryText.ts"
import { colours, plain } from "../../src/cli/Style.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { groupCalls } from "../../src/query/CallGroup.ts"
import * as SpanIndex from "../../src/query/SpanIndex.ts"
import { tell } from "../../src/query/Telling.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { approvedCall, callValues, plainCall, turn } from "../query/CallFixture.ts"
import { spanRow, type Values } from "../query/SpanBuilder.ts"

const storyOf = (rows: ReadonlyArray<SpanRow>) => tell(groupCalls(rows), SpanIndex.make(rows))[0]!

const show = (rows: ReadonlyArray<SpanRow>, width = 80) => storyText(storyOf(rows), width, plain).join("\n")

const decided = (values: Values, extra: Values = {}) => [
  ...turn("a", -900, 1200).map(spanRow),
  spanRow({
    label: "a/call",
    parent: "a/chat",
    name: "tool_call wipe",
    at: -10,
    took: 10,
    attributes: { ...values, ...extra, [Attribute.toolspanStage]: "decision" }
  })
]

const stage = (label: string, name: string, at: number, values: Values) =>
  spanRow({ label, parent: "a/turn", name, at, attributes: values })

describe("storyText", () => {
  it("tells the story of an approved call", () => {
    const fault = {
      name: "toolspan.violation",
      at: 42_507,
      attributes: {
        [Attribute.toolspanViolationKind]: "duplicate_result",
        [Attribute.toolspanViolationScope]: "conversation",
        [Attribute.toolspanCallKey]: "toolu_01SendMail"
      }
    }
    expect(show(approvedCall("toolu_01SendMail", { conversation: "demo-1", chatEvents: [fault] })))
      .toMatchInlineSnapshot(`
      "send_email · approved · success · 1 fault
      toolu_01SendMail · conversation demo-1

        decided      claude-x asked for it in a generateText turn
                     2026-03-01 09:12:03.120 UTC · trace a1a9861f · streamed in 12
                     pieces over 210 ms
        approval     asked 5 ms after the decision; a human approved it after 42.3 s
        execution    the handler ran for 183 ms, starting 42.3 s after the decision,
                     in a later turn (trace befd2508): success
                     inside it: compose message (20 ms), smtp deliver (140 ms) and 1
                     more span
        result       success, from the handler
        used by      claude-x in a streamText turn, 12 ms after the result (trace
                     befd2508)
        fault        The history holds two results for this one call; the provider may
                     refuse it or read the wrong one.
                     duplicate_result · in the conversation · told by chat claude-x at
                     +42.507 s

        trace a1a9861f33bfcb656b9bec3d1ef96cf2 · assistant
        -1.100 s  LanguageModel.generateText              1.12 s  ━━━━━━━━━━━━━━━━━━━━
        -1.095 s  ├─ chat claude-x                         1.1 s  ━━━━━━━━━━━━━━━━━━━━
         -210 ms  │  └─ ◆ tool_call send_email            210 ms                 ━━━━━
           +5 ms  └─ ◇ tool_approval send_email                ·                     •

        ⋮ 42.3 s until the answer came

        trace befd2508fec638ffea174b0012934ffe · assistant
       +42.290 s  LanguageModel.streamText                 1.4 s  ━━━━━━━━━━━━━━━━━━━━
       +42.305 s  ├─ ◇ tool_approval send_email                ·  •
       +42.310 s  ├─ ▶ execute_tool send_email            183 ms  ━━━
       +42.312 s  │  ├─ compose message                    20 ms  ━
       +42.340 s  │  └─ smtp deliver                      140 ms  ━━━
       +42.341 s  │     └─ dns lookup mail.example.org     11 ms  ━
       +42.494 s  ├─ ● tool_result send_email                  ·    •
       +42.506 s  └─ ○ chat claude-x                      1.15 s     ━━━━━━━━━━━━━━━━━"
    `)
  })

  it("tells a result that the guard's repair put in, and who was the first to have it", () => {
    const values = callValues("c1", "lookup")
    const made = (label: string, at: number, outcome: string, origin: string) =>
      stage(label, "tool_result lookup", at, {
        ...values,
        [Attribute.toolspanStage]: "result",
        [Attribute.toolspanOutcome]: outcome,
        [Attribute.toolspanResultOrigin]: origin
      })
    const fault = {
      name: "toolspan.violation",
      at: 2,
      attributes: {
        [Attribute.toolspanViolationKind]: "unanswered_call",
        [Attribute.toolspanViolationScope]: "conversation",
        [Attribute.toolspanCallKey]: "c1"
      }
    }
    const turnOf = (label: string, at: number, events: ReadonlyArray<typeof fault>, carried: string) =>
      turn(label, at, 100, { links: [["consumes", carried]] }).map((draft, index) =>
        spanRow(index === 0 ? { ...draft, events } : draft)
      )
    const repaired = [...turnOf("a", 0, [fault], "a/put in"), made("a/put in", 7, "failure", "synthesized")]
    expect(show(repaired)).toMatchInlineSnapshot(`
      "lookup · failure · 1 fault
      c1

        decided      not seen: the turn that asked for it is not in this store
        approval     not required
        execution    not seen
        result       failure, put in by a repair, as the history had lost it
        used by      claude-x in a generateText turn, whose request was the first to
                     have it (trace f3c38343)
        fault        The history has no result for this call; most providers refuse to
                     be sent such a history.
                     unanswered_call · in the conversation · told by
                     LanguageModel.generateText at -5 ms

        trace f3c383433da72ce5f8ce8a9a6dbb62e4 · assistant
           -7 ms  LanguageModel.generateText              100 ms  ━━━━━━━━━━━━━━━━━━━━
           -2 ms  ├─ ○ chat claude-x                       80 ms   ━━━━━━━━━━━━━━━━
               0  └─ ● tool_result lookup                      ·   •"
    `)
    const line = (rows: ReadonlyArray<SpanRow>, label: string) =>
      show(rows, 200).split("\n").filter((line) => line.includes(label)).map((line) => line.trim())
    const byHand = [...turnOf("a", 0, [], "a/put in"), made("a/put in", 7, "failure", "synthesized")]
    assert.deepStrictEqual(line(byHand, "  result "), ["result       failure, put in, as there was none"])
    const interrupted = [...turnOf("a", 0, [], "a/put in"), made("a/put in", 7, "interrupted", "synthesized")]
    assert.deepStrictEqual(line(interrupted, "  result "), [
      "result       interrupted, made up by the host in place of a run"
    ])
    // Each use is measured from the result that it carried.
    const both = [
      ...plainCall("c1", { tool: "lookup" }),
      ...turnOf("c", 5000, [fault], "a/put in"),
      made("a/put in", 4000, "failure", "synthesized")
    ]
    assert.deepStrictEqual(line(both, "  used by ").map((text) => text.replace(/ \(trace.*/, "")), [
      "used by      claude-x in a generateText turn, 222 ms after the result",
      "used by      claude-x in a generateText turn, 1 s after the result"
    ])
  })

  it("tells a plain call in a narrow terminal without bars", () => {
    expect(show(plainCall("toolu_01Weather", { outcome: "failure" }), 50)).toMatchInlineSnapshot(`
      "weather · failure
      toolu_01Weather

        decided      claude-x asked for it in a
                     generateText turn
                     2026-03-01 09:12:03.120 UTC · trace
                     f3c38343 · 48 bytes of arguments
        approval     not required
        execution    the handler ran for 180 ms,
                     starting 2 ms after the decision,
                     in the same turn: failure with
                     Timeout
                     inside it: GET forecast (150 ms)
        result       failure, from the handler
        used by      claude-x in a generateText turn,
                     222 ms after the result (trace
                     b03b111e)

        trace f3c383433da72ce5f8ce8a9a6dbb62e4 · assist…
         -900 ms  LanguageModel.generateText       1.2 s
         -895 ms  ├─ chat claude-x                1.18 s
          -80 ms  │  └─ ◆ tool_call weather        80 ms
           +2 ms  ├─ ▶ execute_tool weather       180 ms
          +10 ms  │  └─ GET forecast              150 ms
         +183 ms  └─ ● tool_result weather             ·

        ⋮ 100 ms later

        trace b03b111ed4a2dab0d8816031afb6baef · assist…
         +400 ms  LanguageModel.generateText      700 ms
         +405 ms  └─ ○ chat claude-x              680 ms"
    `)
  })

  it("says that a call waits for its answer", () => {
    const values = callValues("t1", "wipe", { [Attribute.toolspanApprovalState]: "pending" })
    const asked = { ...values, [Attribute.toolspanStage]: "approval", [Attribute.toolspanApprovalEvent]: "requested" }
    const text = show([...decided(values), stage("a/asked", "tool_approval wipe", 5, asked)])
    assert.match(text, /^wipe · pending\n/)
    assert.match(text, /approval +asked 5 ms after the decision; no answer yet/)
    assert.match(text, /execution +none yet: it waits for the answer/)
    assert.notMatch(text, /result|used by/)
  })

  it("says who denied and that no handler ran", () => {
    const values = callValues("t1", "wipe", { [Attribute.toolspanApprovalState]: "denied" })
    const answered = {
      ...values,
      [Attribute.toolspanStage]: "approval",
      [Attribute.toolspanApprovalEvent]: "resolved",
      [Attribute.toolspanApprovalWait]: 185
    }
    const denial = {
      ...values,
      [Attribute.toolspanStage]: "result",
      [Attribute.toolspanOutcome]: "denied",
      [Attribute.toolspanResultOrigin]: "denial"
    }
    const text = show([
      ...decided(values),
      stage("a/answered", "tool_approval wipe", 185_000, answered),
      stage("a/result", "tool_result wipe", 185_001, denial)
    ])
    assert.match(text, /^wipe · denied\n/)
    assert.match(text, /asked elsewhere; a human denied it after 3 min 5 s/)
    assert.match(text, /execution +none: it was denied/)
    assert.match(text, /result +denied, written for the denial/)
    assert.match(text, /used by +no turn yet/)
  })

  it("says that the conversation went on without an answer", () => {
    const values = callValues("t1", "wipe", { [Attribute.toolspanApprovalState]: "abandoned" })
    const abandoned = {
      ...values,
      [Attribute.toolspanStage]: "approval",
      [Attribute.toolspanApprovalEvent]: "abandoned"
    }
    assert.match(
      show([...decided(values), stage("a/abandoned", "tool_approval wipe", 60_000, abandoned)]),
      /never answered: the conversation went on/
    )
  })

  it("says that the model invented the tool", () => {
    const { [Attribute.genAiToolName]: _, ...values } = callValues("t1", "wipe")
    const text = show(decided(values, { [Attribute.toolspanToolRequestedName]: "teleport" }))
    assert.match(text, /^teleport\n/)
    assert.match(text, /but\s+the\s+toolkit\s+has\s+no\s+such\s+tool/)
  })

  it("says that the provider ran the tool", () => {
    const text = show(decided(callValues("t1", "web_search", { [Attribute.toolspanProviderExecuted]: true })))
    assert.match(text, /^web_search · run by the provider\n/)
    assert.match(text, /execution +none here: the provider ran the tool itself/)
  })

  it("says what is not known of a call without a decision", () => {
    const text = show(plainCall("t1").filter(({ name }) => name.startsWith("execute_tool")))
    assert.match(text, /decided +not seen/)
    assert.match(text, /result +none seen/)
  })

  it("names each of several runs", () => {
    const again = plainCall("t1").filter(({ name }) => name.startsWith("execute_tool")).map((row) => ({
      ...row,
      spanId: "00000000000000aa",
      start: row.start + 500_000_000n,
      end: row.end + 500_000_000n
    }))
    const text = show([...plainCall("t1"), ...again])
    assert.match(text, /execution 1 +the handler ran for 180 ms, starting 2 ms after/)
    assert.match(text, /execution 2 +the handler ran for 180 ms, starting 502 ms after/)
  })

  it("shows captured content on one line each, from its beginning", () => {
    const long = `{"path":"${"x".repeat(5000)}\u001b[2J"}`
    const text = show(decided(callValues("t1", "wipe"), { [Attribute.genAiToolCallArguments]: long }))
    assert.match(text, /arguments\n? *\{"path":"x+…/)
    assert.notInclude(text, "\u001b")
  })

  it("says that what was captured is cut", () => {
    const values = { [Attribute.genAiToolCallArguments]: "{\"path", [Attribute.toolspanContentTruncated]: true }
    assert.match(show(decided(callValues("t1", "wipe"), values)), /captured is cut at the app's limit/)
    assert.notMatch(show(plainCall("t1")), /is cut/)
  })

  it("shows at most 60 spans of a trace and counts the rest", () => {
    const inner = Array.from(
      { length: 100 },
      (_, index) =>
        spanRow({ label: `a/inner ${index}`, parent: "a/run t1", name: `step ${index}`, at: 10 + index, took: 1 })
    )
    assert.match(show([...plainCall("t1"), ...inner]), /… 46 more spans/)
  })

  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\u001b]0;title\u0007", "\u202egnp.exe", "天".repeat(200), "x".repeat(3000), "a\nb\rc", "__proto__")
  )

  it("keeps every line within the width and inert, whatever the names", () => {
    fc.assert(
      fc.property(hostile, hostile, fc.integer({ min: 40, max: 200 }), (id, name, width) => {
        const rows = approvedCall(id, { tool: name, conversation: name }).map((row) => ({
          ...row,
          name: row.name.startsWith("tool") ? row.name : `${name} ${row.name}`,
          resource: { ...row.resource, attributes: [{ key: "service.name", value: name }] }
        }))
        for (const line of storyText(storyOf(rows), width, plain)) {
          assert.isAtMost(Column.widthOf(line), width, line)
          assert.notMatch(line, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        }
      }),
      { numRuns: 200 }
    )
  })

  it("has the same text with colours", () => {
    const story = storyOf(approvedCall("t1"))
    const coloured = storyText(story, 80, colours).join("\n")
    assert.notStrictEqual(coloured, storyText(story, 80, plain).join("\n"))
    assert.strictEqual(coloured.replace(/\p{Cc}\[\d+m/gu, ""), storyText(story, 80, plain).join("\n"))
  })
})
