import { assert, describe, it } from "@effect/vitest"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair, type PairOptions } from "../../src/pairing/Pairing.ts"
import { answered, asked, assistant, brief, call, result, said, tool, user } from "./Prompt.ts"

const pairPrompt = (...messages: ReadonlyArray<object>) => pair(fromPrompt(messages))
const faults = (...messages: ReadonlyArray<object>) => brief(pairPrompt(...messages).violations)
const faultsWith = (options: PairOptions, ...messages: ReadonlyArray<object>) =>
  brief(pair(fromPrompt(messages), options).violations)

describe("pair", () => {
  it("lets a call and its result find each other", () => {
    const pairing = pairPrompt(user(), assistant(call("c1")), tool(result("c1", "lookup", { isFailure: true })), said())
    assert.deepStrictEqual(brief(pairing.violations), [])
    assert.strictEqual(pairing.calls[0]?.results[0], pairing.results[0])
    assert.strictEqual(pairing.results[0]?.call, pairing.calls[0])
    assert.strictEqual(pairing.results[0]?.isFailure, true)
    assert.deepInclude(pairing.calls[0], {
      id: "c1",
      key: "c1",
      name: "lookup",
      params: { key: "alpha" },
      occurrence: 1,
      idSource: "provider",
      message: 1,
      part: 0,
      state: "not_required"
    })
    assert.strictEqual(pairing.lastAssistant, 3)
    assert.strictEqual(pairing.lastUser, 0)
    assert.deepStrictEqual([...pairing.occurrences], [["c1", 1]])
    assert.strictEqual(pairing.missing, 0)
  })

  it("has nothing to say about an empty history", () => {
    const pairing = pairPrompt()
    assert.strictEqual(pairing.lastAssistant, -1)
    assert.strictEqual(pairing.lastUser, -1)
    assert.deepStrictEqual(pairing.violations, [])
  })

  it("keeps the original parts", () => {
    const asking = call("c1")
    const answering = result("c1")
    const pairing = pairPrompt(assistant(asking), tool(answering))
    assert.strictEqual(pairing.calls[0]?.source, asking)
    assert.strictEqual(pairing.results[0]?.source, answering)
  })
})

describe("unanswered_call", () => {
  it("is a call without its result", () => {
    assert.deepStrictEqual(faults(user(), assistant(call("u1")), user("never mind")), ["unanswered_call u1 @1.0"])
    assert.deepStrictEqual(faults(user(), assistant(call("u1"))), ["unanswered_call u1 @1.0"])
  })

  it("is told of the sibling that lost its result only", () => {
    assert.deepStrictEqual(faults(assistant(call("f1"), call("f2")), tool(result("f2")), said(), user()), [
      "unanswered_call f1 @0.0"
    ])
  })

  it("is told once for calls that share an id in one message", () => {
    assert.deepStrictEqual(faults(assistant(call("d1"), call("d1")), tool(result("d1"))), ["duplicate_id d1#2 @0.1"])
    assert.deepStrictEqual(faults(assistant(call("d1"), call("d1"), call("d1")), user()), [
      "unanswered_call d1 @0.0",
      "duplicate_id d1#2 @0.1",
      "duplicate_id d1#3 @0.2"
    ])
  })

  it("is told for each message that repeats the id", () => {
    assert.deepStrictEqual(faults(assistant(call("d1")), assistant(call("d1")), user()), [
      "unanswered_call d1 @0.0",
      "duplicate_id d1#2 @1.0",
      "unanswered_call d1#2 @1.0"
    ])
  })

  it("is not told while an approval waits", () => {
    assert.deepStrictEqual(faults(user(), assistant(call("w1"), asked("ap1", "w1"))), [])
    assert.deepStrictEqual(faults(user(), assistant(call("w1"), asked("ap1", "w1")), tool(answered("old", true))), [])
  })

  it("is told of the second call of an id when only the first one waits", () => {
    assert.deepStrictEqual(faults(assistant(call("w1"), call("w1"), asked("ap1", "w1"))), [
      "duplicate_id w1#2 @0.1",
      "unanswered_call w1#2 @0.1"
    ])
  })

  it("is told once the conversation went on without an answer", () => {
    const waiting = assistant(call("w1"), asked("ap1", "w1"))
    assert.deepStrictEqual(faults(user(), waiting, user("what time is it")), ["unanswered_call w1 @1.0"])
    assert.deepStrictEqual(faults(user(), waiting, said()), ["unanswered_call w1 @1.0"])
    assert.deepStrictEqual(faults(user(), waiting, { role: "system", content: "be brief" }), [])
  })

  it("is not told of an answered approval, which the host settles before it sends", () => {
    const waiting = assistant(call("w1"), asked("ap1", "w1"))
    assert.deepStrictEqual(faults(user(), waiting, tool(answered("ap1", true))), [])
    assert.deepStrictEqual(faults(user(), waiting, tool(answered("ap1", false)), user()), [])
  })

  it("is told of an approved call that an older result with its id keeps from running", () => {
    assert.deepStrictEqual(
      faults(
        assistant(call("w1")),
        tool(result("w1")),
        assistant(call("w1"), asked("ap1", "w1")),
        tool(answered("ap1", true))
      ),
      ["duplicate_id w1#2 @2.0", "unanswered_call w1#2 @2.0"]
    )
  })

  it("is told of an approved call whose approval id or call id went on to another call", () => {
    const approved = [assistant(call("w1"), asked("ap1", "w1")), tool(answered("ap1", true))]
    assert.deepStrictEqual(
      faults(...approved, assistant(call("w2"), asked("ap1", "w2")), tool(answered("ap1", true))),
      [
        "unanswered_call w1 @0.0"
      ]
    )
    assert.deepStrictEqual(
      faults(...approved, assistant(call("w1"), asked("ap2", "w1")), tool(answered("ap2", true))),
      ["unanswered_call w1 @0.0", "duplicate_id w1#2 @2.0"]
    )
  })

  it("is not told of a provider-executed call in the last message", () => {
    const running = call("s1", "web_search", { providerExecuted: true })
    assert.deepStrictEqual(faults(user(), assistant(running)), [])
    assert.deepStrictEqual(faults(user(), assistant(running), user("more")), ["unanswered_call s1 @1.0"])
    assert.deepStrictEqual(faults(user(), assistant(running), tool()), ["unanswered_call s1 @1.0"])
  })

  it("is not told of provider code that waits for the calls it made", () => {
    const code = call("code", "code_execution", { providerExecuted: true })
    const made = (id: string) => call(id, "lookup", { options: { anthropic: { caller: { toolId: "code" } } } })
    assert.deepStrictEqual(faults(user(), assistant(code, made("c1")), tool(result("c1"))), [])
    assert.deepStrictEqual(
      faults(user(), assistant(code, made("c1")), tool(result("c1")), assistant(made("c2")), tool(result("c2"))),
      []
    )
    assert.deepStrictEqual(faults(user(), assistant(code, made("c1")), tool(result("c1")), said(), tool()), [
      "unanswered_call code @1.0"
    ])
    assert.deepStrictEqual(faults(user(), assistant(code, made("c1")), tool(result("c1")), user()), [
      "unanswered_call code @1.0"
    ])
  })

  it("is not told of calls that wait elsewhere, or whose results may be elsewhere", () => {
    const history = [assistant(call("u1"), call("u2")), user()]
    assert.deepStrictEqual(faultsWith({ pending: new Set(["u1"]) }, ...history), ["unanswered_call u2 @0.1"])
    assert.deepStrictEqual(faultsWith({ resultsElsewhere: true }, ...history), [])
  })
})

describe("orphan_result", () => {
  it("is a result without its call", () => {
    assert.deepStrictEqual(faults(tool(result("gone")), said(), user("go on")), ["orphan_result gone @0.0"])
  })

  it("is a result that stands before its call", () => {
    assert.deepStrictEqual(faults(tool(result("c1")), assistant(call("c1"))), [
      "orphan_result c1 @0.0",
      "unanswered_call c1 @1.0"
    ])
  })

  it("is never matched by prefix", () => {
    assert.deepStrictEqual(faults(assistant(call("call_7f")), tool(result("call_7f__thought"))), [
      "unanswered_call call_7f @0.0",
      "orphan_result call_7f__thought @1.0"
    ])
  })

  it("has the key that its id would have", () => {
    const pairing = pairPrompt(tool(result("?a#b%"), result("")))
    assert.deepStrictEqual(brief(pairing.violations), ["orphan_result %3Fa%23b%25 @0.0", "orphan_result ?1 @0.1"])
    assert.deepStrictEqual(pairing.violations.map((one) => one.id), ["?a#b%", undefined])
    assert.strictEqual(pairing.missing, 1)
  })

  it("is not told when calls may be elsewhere", () => {
    assert.deepStrictEqual(faultsWith({ callsElsewhere: true }, tool(result("gone"))), [])
  })
})

describe("duplicate_result", () => {
  it("is a second result for a call, under the call's key", () => {
    const pairing = pairPrompt(assistant(call("r1")), tool(result("r1"), result("r1"), result("r1")))
    assert.deepStrictEqual(brief(pairing.violations), ["duplicate_result r1 @1.1", "duplicate_result r1 @1.2"])
    assert.strictEqual(pairing.calls[0]?.results.length, 3)
  })

  it("is not a result for another call of the id", () => {
    assert.deepStrictEqual(faults(assistant(call("c"), call("c")), tool(result("c"), result("c"))), [
      "duplicate_id c#2 @0.1"
    ])
  })
})

describe("repeated ids", () => {
  it("give a result to the calls of the latest message first, in their order", () => {
    const pairing = pairPrompt(
      assistant(call("c", "one")),
      assistant(call("c", "two"), call("c", "three")),
      tool(result("c", "two"), result("c", "three"), result("c", "one"), result("c", "three"))
    )
    assert.deepStrictEqual(pairing.results.map((one) => one.key), ["c#2", "c#3", "c", "c#3"])
    assert.deepStrictEqual(brief(pairing.violations), [
      "duplicate_id c#2 @1.0",
      "duplicate_id c#3 @1.1",
      "duplicate_result c#3 @2.3"
    ])
  })

  it("pair where the provider answers its calls inside one message", () => {
    const search = (id: string) => call(id, "web_search", { providerExecuted: true })
    const found = (id: string) => result(id, "web_search", { providerExecuted: true })
    const pairing = pairPrompt(assistant(search("s"), found("s"), search("s"), found("s")), user())
    assert.deepStrictEqual(pairing.results.map((one) => one.key), ["s", "s#2"])
    assert.deepStrictEqual(brief(pairing.violations), ["duplicate_id s#2 @0.2"])
  })

  it("start anew after an answered call", () => {
    const pairing = pairPrompt(
      assistant(call("c")),
      tool(result("c")),
      assistant(call("c")),
      tool(result("c")),
      assistant(call("c")),
      tool(result("c"))
    )
    assert.deepStrictEqual(pairing.results.map((one) => one.key), ["c", "c#2", "c#3"])
    assert.deepStrictEqual(pairing.calls.map((one) => one.occurrence), [1, 2, 3])
    assert.deepStrictEqual(brief(pairing.violations), ["duplicate_id c#2 @2.0", "duplicate_id c#3 @4.0"])
  })

  it("are one call where a provider repeats its own call beside the result", () => {
    const mcp = call("m1", "search", { providerExecuted: true })
    const found = result("m1", "search", { providerExecuted: true })
    assert.deepStrictEqual(
      faults(user(), assistant(mcp, asked("ap1", "m1")), tool(answered("ap1", true)), assistant(mcp, found), user()),
      []
    )
    assert.deepStrictEqual(faults(user(), assistant(mcp), assistant(mcp, found), user()), [])
    assert.deepStrictEqual(faults(assistant(mcp), user(), assistant(mcp, found), user()), [
      "unanswered_call m1 @0.0",
      "duplicate_id m1#2 @2.0"
    ])
    assert.deepStrictEqual(faults(assistant(mcp, mcp, found), user()), ["duplicate_id m1#2 @0.1"])
    assert.deepStrictEqual(faults(assistant(mcp, found), assistant(mcp, found), user()), ["duplicate_id m1#2 @1.0"])
  })
})

describe("missing_id and empty_id", () => {
  it("have a key of their own, and pair as they are", () => {
    const pairing = pairPrompt(
      assistant(call(undefined)),
      tool(result(undefined)),
      assistant(call("")),
      tool(result("")),
      user()
    )
    assert.deepStrictEqual(brief(pairing.violations), ["missing_id ?1 @0.0", "empty_id ?2 @2.0"])
    assert.deepStrictEqual(pairing.violations.map((one) => one.id), [undefined, undefined])
    assert.deepStrictEqual(pairing.calls.map((one) => one.idSource), ["missing", "missing"])
    assert.deepStrictEqual(pairing.results.map((one) => one.key), ["?1", "?2"])
    assert.strictEqual(pairing.occurrences.size, 0)
  })

  it("are no duplicates of each other", () => {
    assert.deepStrictEqual(faults(assistant(call(""), call("")), tool(result(""), result(""))), [
      "empty_id ?1 @0.0",
      "empty_id ?2 @0.1"
    ])
  })
})

describe("renamed_tool", () => {
  it("is a result under another name", () => {
    const { violations } = pairPrompt(assistant(call("c1", "lookup")), tool(result("c1", "add_note")))
    assert.deepStrictEqual(brief(violations), ["renamed_tool c1 @1.0"])
    assert.deepInclude(violations[0], { id: "c1", name: "lookup", otherName: "add_note" })
  })

  it("is not told of an empty name; the first name that is not empty is the call's", () => {
    assert.deepStrictEqual(faults(assistant(call("c1", "lookup")), tool(result("c1", ""))), [])
    const pairing = pairPrompt(assistant(call("c1", "")), tool(result("c1", "lookup"), result("c1", "add_note")))
    assert.strictEqual(pairing.calls[0]?.name, "lookup")
    assert.deepStrictEqual(brief(pairing.violations), ["duplicate_result c1 @1.1", "renamed_tool c1 @1.1"])
  })

  it("is not told of two names for one tool", () => {
    const sameTool = (one: string, two: string) => one.toLowerCase() === two.toLowerCase()
    const named = (name: string) => [assistant(call("c1", "Memory")), tool(result("c1", name))]
    assert.deepStrictEqual(faultsWith({ sameTool }, ...named("memory")), [])
    assert.deepStrictEqual(faultsWith({ sameTool }, ...named("lookup")), ["renamed_tool c1 @1.0"])
  })
})

describe("approvals of a history", () => {
  const states = (...messages: ReadonlyArray<object>) => pairPrompt(...messages).calls.map((one) => one.state)
  const waiting = assistant(call("w1"), asked("ap1", "w1"), call("c1"))

  it("give a call its state", () => {
    assert.deepStrictEqual(states(waiting), ["pending", "not_required"])
    assert.deepStrictEqual(states(waiting, tool(answered("ap1", true))), ["approved", "not_required"])
    assert.deepStrictEqual(states(waiting, tool(answered("ap1", false))), ["denied", "not_required"])
    assert.deepStrictEqual(states(waiting, user()), ["abandoned", "not_required"])
    assert.deepStrictEqual(states(waiting, said()), ["abandoned", "not_required"])
    assert.deepStrictEqual(states(waiting, tool(answered("ap1", true), answered("ap1", false))), [
      "approved",
      "not_required"
    ])
  })

  it("are settled by a result that somebody put there", () => {
    assert.deepStrictEqual(states(waiting, tool(result("w1")), user()), ["pending", "not_required"])
  })

  it("keep every answer with its place and reason", () => {
    const { approvals } = pairPrompt(waiting, tool(answered("ap1", false, "not now")))
    assert.strictEqual(approvals.length, 1)
    assert.deepInclude(approvals[0], { approvalId: "ap1", callId: "w1", state: "denied" })
    assert.deepInclude(approvals[0]?.requested, { message: 0, part: 1 })
    assert.deepInclude(approvals[0]?.answers[0], { approved: false, reason: "not now", message: 1, part: 0 })
    assert.strictEqual(approvals[0]?.call?.key, "w1")
    assert.strictEqual(approvals[0]?.call?.approvals[0], approvals[0])
  })

  it("belong to the calls of an id in their order", () => {
    const { approvals } = pairPrompt(
      assistant(call("w"), asked("ap1", "w")),
      tool(answered("ap1", false)),
      assistant(call("w"), asked("ap2", "w"), call("w"), asked("ap3", "w"), asked("ap4", "w"))
    )
    assert.deepStrictEqual(approvals.map((one) => `${one.approvalId} ${one.call?.key}`), [
      "ap1 w",
      "ap2 w#2",
      "ap3 w#3",
      "ap4 w#3"
    ])
  })

  it("with one id in two turns get the answers that stand behind each", () => {
    const { approvals } = pairPrompt(
      assistant(call("w1"), asked("ap1", "w1")),
      tool(answered("ap1", true), result("w1")),
      assistant(call("w2"), asked("ap1", "w2")),
      tool(answered("ap1", false))
    )
    assert.deepStrictEqual(approvals.map((one) => `${one.call?.key} ${one.state}`), ["w1 approved", "w2 denied"])
  })

  it("may ask for a call that is not there", () => {
    const { approvals } = pairPrompt(assistant(asked("ap1", "gone")))
    assert.strictEqual(approvals[0]?.call, undefined)
    assert.strictEqual(approvals[0]?.callId, "gone")
  })
})
