import { assert, describe, it } from "@effect/vitest"
import { approvalViolations, resolutions } from "../../src/pairing/Approval.ts"
import { fromPrompt } from "../../src/pairing/EffectPrompt.ts"
import { pair } from "../../src/pairing/Pairing.ts"
import { answered, asked, assistant, brief, call, result, said, tool, user } from "./Prompt.ts"

const pairPrompt = (...messages: ReadonlyArray<object>) => pair(fromPrompt(messages))
const faults = (...messages: ReadonlyArray<object>) => brief(approvalViolations(pairPrompt(...messages)))
const once = (...messages: ReadonlyArray<object>) => brief(approvalViolations(pairPrompt(...messages), { once: true }))

const waiting = assistant(call("w1", "wipe"), asked("ap1", "w1"))

describe("approvalViolations", () => {
  it("finds nothing in approvals that were asked and answered once", () => {
    assert.deepStrictEqual(faults(user(), assistant(call("c1")), tool(result("c1"))), [])
    assert.deepStrictEqual(faults(user(), waiting), [])
    assert.deepStrictEqual(faults(user(), waiting, tool(answered("ap1", true))), [])
    assert.deepStrictEqual(faults(user(), waiting, tool(answered("ap1", true)), tool(result("w1", "wipe")), said()), [])
    assert.deepStrictEqual(
      faults(user(), waiting, tool(answered("ap1", true), result("w1", "wipe")), said(), user()),
      []
    )
    assert.deepStrictEqual(faults(user(), waiting, tool(answered("ap1", false)), user()), [])
  })

  it("tells an answer to an approval that nobody asked for, each time", () => {
    const violations = approvalViolations(
      pairPrompt(user(), waiting, tool(answered("ap_old", true), answered("ap_old", true)))
    )
    assert.deepStrictEqual(brief(violations), ["unmatched_approval - @2.0", "unmatched_approval - @2.1"])
    assert.deepInclude(violations[0], { scope: "turn", approvalId: "ap_old" })
    assert.isFalse("id" in violations[0]!)
  })

  it("tells an answer that stands before its request", () => {
    assert.deepStrictEqual(faults(user(), tool(answered("ap1", true)), waiting), ["unmatched_approval - @1.0"])
  })

  it("tells second answers, alike or not", () => {
    const twice = approvalViolations(pairPrompt(waiting, tool(answered("ap1", true), answered("ap1", true))))
    assert.deepStrictEqual(brief(twice), ["duplicate_approval w1 @1.1"])
    assert.deepInclude(twice[0], { scope: "turn", id: "w1", name: "wipe", approvalId: "ap1" })
    assert.deepStrictEqual(faults(waiting, tool(answered("ap1", false)), tool(answered("ap1", false))), [
      "duplicate_approval w1 @2.0"
    ])
    assert.deepStrictEqual(faults(waiting, tool(answered("ap1", true)), tool(answered("ap1", false))), [
      "contradictory_approval w1 @2.0"
    ])
    assert.deepStrictEqual(
      faults(waiting, tool(answered("ap1", false), answered("ap1", true), answered("ap1", false))),
      ["contradictory_approval w1 @1.1", "duplicate_approval w1 @1.2"]
    )
  })

  it("tells an approval that the conversation left behind", () => {
    const violations = approvalViolations(pairPrompt(user(), waiting, user("what time is it")))
    assert.deepStrictEqual(brief(violations), ["abandoned_approval w1 @1.1"])
    assert.deepInclude(violations[0], { scope: "turn", id: "w1", approvalId: "ap1" })
    assert.deepStrictEqual(faults(user(), waiting, tool(result("w1", "wipe")), user()), [])
  })

  it("tells it once in the turns of a conversation, when asked to", () => {
    assert.deepStrictEqual(once(user(), waiting, user("what time is it")), ["abandoned_approval w1 @1.1"])
    const later = [user(), waiting, user("what time is it"), said("noon"), user("thanks")]
    assert.deepStrictEqual(once(...later), [])
    assert.deepStrictEqual(faults(...later), ["abandoned_approval w1 @1.1"])
  })

  it("tells an approved call that an older result keeps from running", () => {
    const violations = approvalViolations(
      pairPrompt(assistant(call("w1", "wipe")), tool(result("w1", "wipe")), waiting, tool(answered("ap1", true)))
    )
    assert.deepStrictEqual(brief(violations), ["approved_not_executed w1#2 @3.0"])
    assert.deepInclude(violations[0], { scope: "turn", id: "w1", name: "wipe", approvalId: "ap1" })
    assert.deepStrictEqual(faults(waiting, tool(result("w1", "wipe"), answered("ap1", true))), [
      "approved_not_executed w1 @1.1"
    ])
    assert.deepStrictEqual(faults(tool(result("w1", "wipe")), waiting, tool(answered("ap1", true))), [
      "approved_not_executed w1 @2.0"
    ])
  })

  it("does not tell it of a denied call, nor of one that ran after the answer", () => {
    assert.deepStrictEqual(faults(waiting, tool(result("w1", "wipe"), answered("ap1", false))), [])
    assert.deepStrictEqual(
      faults(
        assistant(call("w1", "wipe")),
        tool(result("w1", "wipe")),
        waiting,
        tool(answered("ap1", true)),
        tool(result("w1", "wipe"))
      ),
      []
    )
  })

  it("leaves a request without its call alone", () => {
    assert.deepStrictEqual(faults(assistant(asked("ap1", "gone")), tool(answered("ap1", true)), user()), [])
  })
})

describe("resolutions", () => {
  const acts = (...messages: ReadonlyArray<object>) =>
    resolutions(pairPrompt(...messages)).map((one) =>
      `${one.approval.approvalId} ${one.action} ${one.call?.key ?? "-"}`
    )

  it("runs approved calls and denies denied ones, in the order of the answers", () => {
    assert.deepStrictEqual(
      acts(
        assistant(call("a"), call("b"), asked("ap1", "a"), asked("ap2", "b")),
        tool(answered("ap2", false), answered("ap1", true))
      ),
      ["ap2 deny b", "ap1 run a"]
    )
  })

  it("acts once per answer", () => {
    assert.deepStrictEqual(acts(waiting, tool(answered("ap1", true), answered("ap1", true), answered("ap1", false))), [
      "ap1 run w1",
      "ap1 run w1",
      "ap1 deny w1"
    ])
  })

  it("does nothing where a result has the id, or nobody asked", () => {
    assert.deepStrictEqual(acts(waiting, tool(answered("ap1", true), result("w1"))), ["ap1 none w1"])
    assert.deepStrictEqual(acts(waiting, tool(answered("old", true))), ["old none -"])
    assert.deepStrictEqual(acts(waiting), [])
  })

  it("takes the last call of the id, which may not be the approved one", () => {
    const history = [waiting, tool(answered("ap1", true)), assistant(call("w1", "wipe"))]
    assert.deepStrictEqual(acts(...history), ["ap1 run w1#2"])
    assert.strictEqual(resolutions(pairPrompt(...history))[0]?.approval.call?.key, "w1")
  })

  it("takes the last request of an approval id", () => {
    assert.deepStrictEqual(
      acts(waiting, tool(answered("ap1", true)), assistant(call("w2", "wipe"), asked("ap1", "w2"))),
      ["ap1 run w2"]
    )
  })
})

describe("a request for one of several calls that share an id", () => {
  const wipes = (name: string) => name === "wipe"
  const named = (asksApproval: ((name: string) => boolean) | undefined, ...content: ReadonlyArray<object>) =>
    pair(fromPrompt([user(), assistant(...content)]), asksApproval === undefined ? {} : { asksApproval })
      .approvals.map((approval) => `${approval.approvalId} ${approval.call?.key}`)

  it("is about the next one of a tool that asks", () => {
    const calls = [call("w1", "lookup"), call("w1", "wipe"), call("w1", "lookup"), call("w1", "wipe")]
    const requests = [asked("ap1", "w1"), asked("ap2", "w1")]
    assert.deepStrictEqual(named(wipes, ...calls, ...requests), ["ap1 w1#2", "ap2 w1#4"])
    assert.deepStrictEqual(named(undefined, ...calls, ...requests), ["ap1 w1", "ap2 w1#2"])
    // Asked between the calls, as a stream does.
    assert.deepStrictEqual(
      named(wipes, calls[0]!, calls[1]!, requests[0]!, calls[2]!, calls[3]!, requests[1]!),
      ["ap1 w1#2", "ap2 w1#4"]
    )
  })

  it("is about the last one again, when there are more requests than calls", () => {
    const requests = ["ap1", "ap2", "ap3"].map((approvalId) => asked(approvalId, "w1"))
    assert.deepStrictEqual(
      named(wipes, call("w1", "wipe"), call("w1", "lookup"), ...requests),
      ["ap1 w1", "ap2 w1", "ap3 w1"]
    )
    assert.deepStrictEqual(
      named(wipes, call("w1", "wipe"), requests[0]!, call("w1", "lookup"), requests[1]!),
      ["ap1 w1", "ap2 w1"]
    )
    assert.deepStrictEqual(
      named(undefined, call("w1", "wipe"), call("w1", "lookup"), ...requests),
      ["ap1 w1", "ap2 w1#2", "ap3 w1#2"]
    )
    assert.deepStrictEqual(
      named(wipes, call("w1", "lookup"), call("w1", "count"), ...requests),
      ["ap1 w1#2", "ap2 w1#2", "ap3 w1#2"]
    )
  })
})
