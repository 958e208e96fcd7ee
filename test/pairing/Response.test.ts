import { assert, describe, it } from "@effect/vitest"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import * as Numbering from "../../src/pairing/Numbering.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import type { DecidedCall, ResponseContext } from "../../src/pairing/Response.ts"
import { checkResponse } from "../../src/pairing/Response.ts"
import { assistant, brief, call, result, tool, user } from "./Prompt.ts"

const lookup = { name: "lookup", parameters: ["key"] }
const memory = { name: "AnthropicMemory", wireName: "memory", providerDefined: true }
const tools = [lookup, memory]
const decided = (id: string | undefined, more: Partial<DecidedCall> = {}): DecidedCall => ({
  id,
  name: "lookup",
  providerExecuted: false,
  params: { key: "alpha" },
  ...more
})
const violations = (calls: ReadonlyArray<DecidedCall>, context: ResponseContext = { tools }) =>
  checkResponse(calls, context).violations
const faults = (...calls: ReadonlyArray<DecidedCall>) => brief(violations(calls))

describe("checkResponse", () => {
  it("finds nothing in sound calls", () => {
    const { calls, violations } = checkResponse([decided("a"), decided("b", { name: "AnthropicMemory" })], { tools })
    assert.deepStrictEqual(violations, [])
    assert.deepStrictEqual(calls.map((one) => `${one.key} ${one.idSource} ${one.droppedArguments}`), [
      "a provider 0",
      "b provider 0"
    ])
  })

  it("tells missing and empty ids, under the host's id or a number", () => {
    const found = checkResponse([decided(undefined), decided(""), decided(undefined, { hostId: "made_0" })], { tools })
    assert.deepStrictEqual(brief(found.violations), [
      "missing_id ?1 @0.0",
      "empty_id ?2 @1.0",
      "missing_id made_0 @2.0"
    ])
    assert.deepStrictEqual(found.calls.map((one) => one.idSource), ["missing", "missing", "synthesized"])
    assert.isTrue(found.violations.every((one) => one.scope === "response" && one.id === undefined))
  })

  it("tells an id twice in the response from one that the prompt has", () => {
    const prompt = pair(fromPrompt([user(), assistant(call("c0")), tool(result("c0"))]))
    const found = violations([decided("c0"), decided("c0"), decided("c1"), decided("c1")], { prompt, tools })
    assert.deepStrictEqual(found.map((one) => `${one.kind} ${one.scope} ${one.key}`), [
      "duplicate_id conversation c0#2",
      "duplicate_id response c0#3",
      "duplicate_id response c1#2"
    ])
  })

  it("takes a repeated call of the provider for the call of the prompt", () => {
    const prompt = pair(fromPrompt([user(), assistant(call("m1", "find", { providerExecuted: true }))]))
    const again = decided("m1", { name: "find", providerExecuted: true })
    const found = checkResponse([again], { prompt, tools })
    assert.deepStrictEqual(found.violations, [])
    assert.strictEqual(found.calls[0]?.key, "m1")
    assert.deepStrictEqual(violations([again, again], { prompt, tools }).map((one) => one.key), ["m1#2"])
    assert.deepStrictEqual(violations([decided("m1")], { prompt, tools }).map((one) => one.key), ["m1#2"])
  })

  it("tells a call whose fragments carry two names", () => {
    const [fault] = violations([decided("q1", { wireNames: [null, "", "lookup", null, "lookup", "add_note"] })])
    assert.deepInclude(fault, { kind: "renamed_tool", key: "q1", name: "lookup", otherName: "add_note" })
    assert.deepStrictEqual(faults(decided("q1", { wireNames: ["lookup", null, "", "lookup"] })), [])
  })

  it("tells an unknown tool without its invented name", () => {
    const [fault] = violations([decided("c1", { name: "invented" })])
    assert.deepInclude(fault, { kind: "unknown_tool", key: "c1" })
    assert.isFalse("name" in fault!)
    assert.deepStrictEqual(faults(decided("", { name: "" })), ["empty_id ?1 @0.0", "unknown_tool ?1 @0.0"])
    assert.deepStrictEqual(faults(decided("c1", { name: "remote", providerExecuted: true })), [])
    assert.deepStrictEqual(violations([decided("c1", { name: "invented" })], {}), [])
  })

  it("tells a call under its wire name, which is not unknown", () => {
    const [fault, ...rest] = violations([decided("c1", { name: "memory" })])
    assert.deepInclude(fault, { kind: "wire_name_mismatch", name: "memory", otherName: "AnthropicMemory" })
    assert.deepStrictEqual(rest, [])
  })

  it("tells arguments that do not parse, and then nothing of lost ones", () => {
    const [cut, ...rest] = violations([decided("c1", { argumentFault: "truncated", params: { other: 1 } })])
    assert.deepInclude(cut, { kind: "argument_parse_error", truncated: true })
    assert.deepStrictEqual(rest, [])
    assert.isFalse("truncated" in violations([decided("c1", { argumentFault: "malformed" })])[0]!)
  })

  it("tells dropped arguments once a call, and counts them", () => {
    const check = (more: Partial<DecidedCall>) => {
      const { calls, violations } = checkResponse([decided("c1", more)], { tools })
      return [calls[0]?.droppedArguments, brief(violations).join()]
    }
    const told = "dropped_argument c1 @0.0"
    assert.deepStrictEqual(check({ params: { key: 1, a: 1, b: 1 } }), [2, told])
    assert.deepStrictEqual(check({ wireParams: { key: 1, a: 1 } }), [1, told])
    assert.deepStrictEqual(check({ params: { key: 1, a: 1 }, wireParams: { key: 1, a: 1, b: 1 } }), [2, told])
    assert.deepStrictEqual(check({ params: { a: 1 }, providerExecuted: true }), [0, ""])
    assert.deepStrictEqual(check({ name: "AnthropicMemory", params: { a: 1 } }), [0, ""])
    assert.deepStrictEqual(check({ params: undefined, wireParams: { a: 1 } }), [0, ""])
    assert.deepStrictEqual(check({ params: ["a"] }), [0, ""])
  })
})

describe("Numbering", () => {
  it("counts on after the prompt, and leaves the prompt as it is", () => {
    const prompt = pair(fromPrompt([assistant(call("c"), call("")), tool(result("c"))]))
    const numbering = Numbering.after(prompt)
    assert.deepStrictEqual(numbering.next("c"), { key: "c#2", occurrence: 2, idSource: "provider" })
    assert.strictEqual(numbering.next("c").key, "c#3")
    assert.strictEqual(numbering.next("").key, "?2")
    assert.strictEqual(numbering.next(undefined, "made").key, "made")
    assert.strictEqual(numbering.next(undefined, "made").key, "made#2")
    assert.strictEqual(numbering.inResponse("c"), 2)
    assert.strictEqual(numbering.inResponse("d"), 0)
    assert.strictEqual(prompt.occurrences.get("c"), 1)
    assert.strictEqual(Numbering.after().next("c").key, "c")
  })
})
