/**
 * Session files that pi's own `SessionManager` (pi-coding-agent 1.6.0) wrote while a real agent ran over the faux
 * provider: forked behind the first of two results, compacted from the second result on, and a sound one with a
 * compaction, a context edit and a label.
 */
import type { AgentMessage } from "@earendil-works/pi-agent-core"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { check } from "../../src/pairing/Check.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { fromPiSession, told } from "../../src/pairing/PiSession.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { play, text, tool } from "./PiWorld.ts"

const fileOf = (name: string) => fs.readFileSync(path.join(import.meta.dirname, `sessions/${name}.jsonl`), "utf8")

const faults = (file: string, leaf?: string) =>
  pair(fromPiSession(file, leaf)).violations.map(({ id, kind, name }) => [kind, id, name])

/** The last entry that this text is a part of. */
const entryOf = (file: string, words: string): string => {
  const line = file.split("\n").findLast((one) => one.includes(words))!
  const entry: { readonly id: string } = JSON.parse(line)
  return entry.id
}

/** What an agent that goes on with a session is told to have. */
const messagesOf = (file: string): ReadonlyArray<AgentMessage> =>
  told(file).map(({ message }) => ({ content: "The summary.", timestamp: 0, ...message }) as unknown as AgentMessage)

const goOn = async (file: string) => {
  const { faults: unsound, spans } = await play({
    responses: [text("ok")],
    tools: [tool("read")],
    options: { initialState: { messages: [...messagesOf(file)] } },
    runs: ["go on"]
  })
  assert.deepStrictEqual(unsound(), [])
  return spans.flatMap((span) => span.events).map(({ attributes }) => [
    attributes[Attribute.toolspanViolationKind],
    attributes[Attribute.genAiToolCallId],
    attributes[Attribute.genAiToolName]
  ])
}

describe("a session file of a real agent", () => {
  it("that was forked behind the first of two results has a call without one, on that branch alone", async () => {
    const file = fileOf("forked")
    assert.deepStrictEqual(faults(file), [["unanswered_call", "call_2", "read"]])
    assert.deepStrictEqual(faults(file, entryOf(file, "both read")), [])
    assert.deepStrictEqual(faults(file, entryOf(file, "all read")), [["unanswered_call", "call_2", "read"]])
    assert.deepStrictEqual(await goOn(file), faults(file))
  })

  it("that was compacted from a result on has an orphan", async () => {
    const file = fileOf("compacted")
    assert.deepStrictEqual(faults(file), [["orphan_result", "call_2", "read"]])
    assert.deepStrictEqual(await goOn(file), faults(file))
  })

  it("that is sound has no fault", async () => {
    const file = fileOf("sound")
    assert.deepStrictEqual(faults(file), [])
    assert.deepStrictEqual(await goOn(file), [])
  })

  it("is checked as such, with the path of each fault", () => {
    for (const name of ["forked", "compacted", "sound"]) {
      const kinds = check(fileOf(name), { format: "pi" }).map(({ kind }) => kind)
      assert.deepStrictEqual(kinds, faults(fileOf(name)).map(([kind]) => kind), name)
    }
  })
})
