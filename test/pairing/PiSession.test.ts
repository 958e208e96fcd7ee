import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { pair } from "../../src/pairing/Pairing.ts"
import { fromPiSession } from "../../src/pairing/PiSession.ts"

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/project" }

const entry = (id: string, parentId: string | null, more: object) => ({
  id,
  parentId,
  timestamp: "2026-01-01T00:00:00.000Z",
  ...more
})

const message = (id: string, parentId: string | null, content: object) =>
  entry(id, parentId, { type: "message", message: content })

const user = { role: "user", content: "go" }
const calls = (...ids: ReadonlyArray<string>) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "toolCall", id, name: "read", arguments: { id } })),
  stopReason: "toolUse"
})
const result = (id: string) => ({ role: "toolResult", toolCallId: id, toolName: "read", content: [], isError: false })

/** One session file: a first branch that ends in `d`, and a fork from `b` that ends in `y`. */
const forked = [
  header,
  message("a", null, user),
  message("b", "a", calls("c1|fc_1", "c2|fc_2")),
  message("c", "b", result("c1|fc_1")),
  message("d", "c", result("c2|fc_2")),
  message("x", "c", user),
  message("y", "x", calls("c3"))
]

const file = (entries: ReadonlyArray<object>) => `${entries.map((one) => JSON.stringify(one)).join("\n")}\n`

const faults = (session: unknown, leaf?: string) =>
  pair(fromPiSession(session, leaf)).violations.map(({ id, kind }) => [kind, id])

describe("fromPiSession", () => {
  it("reads the branch of a forked file that is asked for, and the last one unless one is", () => {
    assert.deepStrictEqual(faults(file(forked), "d"), [])
    assert.deepStrictEqual(faults(forked, "c"), [["unanswered_call", "c2"]])
    assert.deepStrictEqual(faults(file(forked)), [["unanswered_call", "c2"], ["unanswered_call", "c3"]])
    assert.deepStrictEqual(fromPiSession(forked, "nowhere"), [])
  })

  it("finds what a compaction tore apart: a result without its call, and nothing of what it left out", () => {
    const compacted = (firstKeptEntryId: string) => [
      ...forked.slice(0, 5),
      entry("k", "d", { type: "compaction", summary: "…", firstKeptEntryId, tokensBefore: 9 }),
      message("e", "k", user)
    ]
    assert.deepStrictEqual(faults(compacted("b")), [])
    assert.deepStrictEqual(faults(file(compacted("c"))), [["orphan_result", "c1"], ["orphan_result", "c2"]])
    assert.deepStrictEqual(faults(compacted("d")), [["orphan_result", "c2"]])
    // A compaction that keeps nothing names itself.
    assert.deepStrictEqual(faults(compacted("k")), [])
    assert.deepStrictEqual(fromPiSession(compacted("k")).map(({ role }) => role), ["user", "user"])
  })

  it("takes the last of two compactions, and the summary of a branch that was left as words", () => {
    const twice = [
      ...forked.slice(0, 5),
      entry("k", "d", { type: "compaction", firstKeptEntryId: "d" }),
      message("e", "k", calls("c4")),
      message("f", "e", result("c4")),
      entry("l", "f", { type: "compaction", firstKeptEntryId: "k" }),
      entry("m", "l", { type: "branch_summary", fromId: "x", summary: "…" }),
      entry("n", "m", { type: "model_change", provider: "openai", modelId: "m" })
    ]
    assert.deepStrictEqual(faults(twice), [])
    assert.deepStrictEqual(fromPiSession(twice).map(({ role }) => role), ["user", "assistant", "tool", "user"])
  })

  it("follows context edits of the branch", () => {
    const edit = (replacement: object | null) => [
      ...forked.slice(0, 5),
      entry("z", "d", { type: "context_edit", targetId: "d", replacement })
    ]
    assert.deepStrictEqual(faults(edit(null)), [["unanswered_call", "c2"]])
    assert.deepStrictEqual(faults(edit({ content: "cleared" })), [])
  })

  it("reads the first version of the format, which has no tree", () => {
    const linear = [header, user, calls("c1"), result("c1"), result("c9")].map((one) =>
      "type" in one ? one : { type: "message", message: one }
    )
    assert.deepStrictEqual(faults(file(linear)), [["orphan_result", "c9"]])
  })

  it("ends with loops, torn lines and anything else", () => {
    assert.lengthOf(fromPiSession([message("a", "b", user), message("b", "a", user)]), 2)
    assert.lengthOf(fromPiSession(`${file(forked)}{"type":"mess`), 5)
    fc.assert(fc.property(fc.anything(), (value) => {
      assert.isArray(fromPiSession(value))
      assert.isArray(fromPiSession([value, { type: "message", id: value, parentId: value, message: value }]))
    }))
  })
})
