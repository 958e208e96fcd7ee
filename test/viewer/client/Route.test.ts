import { assert, describe, it } from "@effect/vitest"
import * as Route from "../../../src/viewer/client/Route.ts"

const parse = (address: string) => Route.parse(new URL(address, "http://127.0.0.1"))

const odd = ["call_1", "a/b", "a%2Fb", "?x#y", "<img>", "ü \u202E", "id#2", "&tool=x"]

describe("Route", () => {
  it("finds a call, a trace and a conversation again by the address that it made", () => {
    for (const text of odd) {
      assert.deepStrictEqual(parse(Route.toCall({ key: text, conversation: text, traces: ["t"] })), {
        view: "call",
        key: text,
        conversation: text
      })
      assert.deepStrictEqual(parse(Route.toCall({ key: text, traces: ["t", "u"] })), {
        view: "call",
        key: text,
        trace: "t"
      })
      assert.deepStrictEqual(parse(Route.toTrace(text, text)), { view: "trace", id: text, span: text })
      assert.deepStrictEqual(parse(Route.toConversation(text)), { view: "conversation", id: text })
    }
  })

  it("keeps every filter in the address, and nothing else", () => {
    const filter = Object.fromEntries(Route.filterNames.map((name, index) => [name, odd[index]!]))
    assert.deepStrictEqual(parse(Route.toCalls(filter)), { view: "calls", filter })
    assert.deepStrictEqual(parse("/?tool=&other=x&outcome=failure"), { view: "calls", filter: { outcome: "failure" } })
    assert.strictEqual(Route.toCalls(), "/")
  })

  it("knows no other address", () => {
    for (const address of ["/x", "/calls", "/calls/", "/calls/a/b", "/calls/%E0%A4%A", "/tools/x", "/traces"]) {
      assert.deepStrictEqual(parse(address), { view: "unknown" }, address)
    }
  })
})
