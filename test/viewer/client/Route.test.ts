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
    const filter = Object.fromEntries(Route.filterNames.map((name, index) => [name, odd[index % odd.length]!]))
    assert.deepStrictEqual(parse(Route.toCalls(filter)), { view: "calls", filter })
    assert.deepStrictEqual(parse("/?tool=&other=x&outcome=failure"), { view: "calls", filter: { outcome: "failure" } })
    assert.strictEqual(Route.toCalls(), "/")
    const faults = { kind: odd[1]!, tool: odd[2]!, conversation: odd[3]!, id: odd[4]! }
    assert.deepStrictEqual(parse(Route.toViolations(faults)), { view: "violations", filter: faults })
    assert.deepStrictEqual(parse("/violations?state=pending"), { view: "violations", filter: {} })
  })

  it("knows which filters leave calls out", () => {
    assert.isFalse(Route.narrows({}))
    assert.isFalse(Route.narrows({ sort: "slowest" }))
    assert.isTrue(Route.narrows({ sort: "slowest", since: "1h" }))
    assert.deepStrictEqual(Route.changed({ tool: "a", q: "b" }, "tool", ""), { q: "b" })
    assert.deepStrictEqual(Route.changed({ tool: "a" }, "tool", "c"), { tool: "c" })
  })

  it("reads spans of time", () => {
    assert.deepStrictEqual(["15m", "2h", "7d", "soon", "1y"].map(Route.spanOfTime), [
      900_000,
      7_200_000,
      604_800_000,
      86_400_000,
      86_400_000
    ])
  })

  it("leads to the trace where no server would take the address of the call", () => {
    const traces = ["0123"]
    assert.strictEqual(Route.toCall({ key: "x".repeat(20_000), traces }), "/traces/0123")
    assert.match(Route.toCall({ key: "x".repeat(2_000), traces }), /^\/calls\/x+\?trace=0123$/)
  })

  it("knows no other address", () => {
    for (const address of ["/x", "/calls", "/calls/", "/calls/a/b", "/calls/%E0%A4%A", "/tools/x", "/traces"]) {
      assert.deepStrictEqual(parse(address), { view: "unknown" }, address)
    }
  })
})
