import { assert, describe, it } from "@effect/vitest"
import { check } from "../../src/pairing/Check.ts"
import { histories } from "./histories.ts"

/** How often the checker reads from a history; the time is measured by `npm run bench -- pairing`. */
const readsOf = (history: ReadonlyArray<object>): number => {
  let reads = 0
  const counting = <A>(value: A): A =>
    typeof value !== "object" || value === null ? value : new Proxy(value, {
      get: (target, key, receiver) => {
        reads++
        return counting(Reflect.get(target, key, receiver))
      }
    })
  check(history.map(counting))
  return reads
}

describe("a history", () => {
  for (const [name, make] of Object.entries(histories)) {
    it(`${name} is read in proportion to its length`, () => {
      const small = readsOf(make(400))
      assert.isAbove(small, 400)
      // Work that grows with the square would read a hundred times as much.
      assert.isAtMost(readsOf(make(4000)) / small, 12)
    })
  }
})
