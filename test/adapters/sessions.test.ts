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
import { fromPi } from "../../src/pairing/PiMessages.ts"
import { fromPiSession, told } from "../../src/pairing/PiSession.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { histories, toPi, withoutApprovals } from "../pairing/PiHistory.ts"
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

const tools = [...new Set(histories.flatMap(({ prompt }) => JSON.stringify(prompt).match(/(?<="name":")[^"]+/g) ?? []))]

/** An agent that has these messages goes on with them, or with a prompt: what is told of its history. */
const goOnWith = async (messages: ReadonlyArray<AgentMessage>, prompt: string | undefined) => {
  const { faults, spans } = await play({
    responses: [text("ok")],
    tools: [...tools, "read"].map((name) => tool(name)),
    options: { initialState: { messages: [...messages] } },
    runs: [prompt ?? ((agent) => agent.continue())]
  })
  const events = spans.flatMap((span) => span.events).map(({ attributes }) => [
    attributes[Attribute.toolspanViolationKind],
    attributes[Attribute.genAiToolCallId],
    attributes[Attribute.genAiToolName]
  ])
  return { events, faults: faults() }
}

const goOn = async (file: string) => {
  const { events, faults } = await goOnWith(messagesOf(file), "go on")
  assert.deepStrictEqual(faults, [])
  return events
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

describe("the cases of histories, sent by a real agent", () => {
  for (const [at, { file, prompt, title }] of histories.filter(({ why }) => why === undefined).entries()) {
    it(`${file}: ${title} (${at})`, async () => {
      const messages = toPi(withoutApprovals(prompt)) as unknown as ReadonlyArray<AgentMessage>
      const last = messages.at(-1)?.role
      const { events, faults: unsound } = await goOnWith(messages, last === "assistant" ? "go on" : undefined)
      const sent = last === "assistant" ? [...messages, { role: "user", content: "go on" }] : messages
      assert.deepStrictEqual(unsound, [])
      assert.sameDeepMembers(events, pair(fromPi(sent)).violations.map(({ id, kind, name }) => [kind, id, name]))
    })
  }
})
