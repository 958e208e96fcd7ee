import { assert, describe, it } from "@effect/vitest"
import { check } from "../../src/pairing/Check.ts"
import { answered, asked, assistant, call, result, tool, user } from "./Prompt.ts"

const repeat = (count: number, round: (index: number) => ReadonlyArray<object>): ReadonlyArray<object> =>
  Array.from({ length: count }, (_, index) => round(index)).flat()

const histories: Readonly<Record<string, (messages: number) => ReadonlyArray<object>>> = {
  "of sound rounds": (messages) =>
    repeat(messages / 4, (n) => [user(), assistant(call(`c${n}`)), tool(result(`c${n}`)), user()]),
  "whose calls all have one id": (messages) => repeat(messages / 2, () => [assistant(call("c")), tool(result("c"))]),
  "that leaves every call of one id open": (messages) => repeat(messages, () => [assistant(call("c"))]),
  "that answers open calls of one id at the end": (messages) => [
    ...repeat(messages / 2, () => [assistant(call("c"))]),
    ...repeat(messages / 2, () => [tool(result("c"))])
  ],
  "of calls with one id in one message": (messages) => [
    { role: "assistant", content: repeat(messages, () => [call("c")]) },
    { role: "tool", content: repeat(messages, () => [result("c"), result("c")]) }
  ],
  "of orphans": (messages) => repeat(messages, () => [tool(result("gone"))]),
  "of approvals": (messages) =>
    repeat(messages / 2, (n) => [
      assistant(call("w"), asked(`ap${n}`, "w")),
      tool(answered(`ap${n}`, true), answered(`ap${n}`, false), answered("old", true))
    ])
}

const best = (history: ReadonlyArray<object>): number => {
  let least = Infinity
  for (let run = 0; run < 5; run++) {
    const start = performance.now()
    check(history)
    least = Math.min(least, performance.now() - start)
  }
  return least
}

describe("a history", () => {
  for (const [name, make] of Object.entries(histories)) {
    it(`${name} takes time in proportion to its length`, () => {
      const small = make(10_000)
      const large = make(100_000)
      check(small)
      // Quadratic work would be a hundredfold; the rest of the room is for caches and the collector.
      assert.isAtMost(best(large) / best(small), 40)
    }, 30_000)
  }
})
