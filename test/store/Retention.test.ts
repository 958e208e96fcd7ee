import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import * as Retention from "../../src/store/Retention.ts"

describe("retention", () => {
  it.live("comes to an end while large requests arrive between its steps", () =>
    Effect.gen(function*() {
      let over = 10_000
      let steps = 0
      const store = {
        ...MemoryStore.make(),
        drop: (_: unknown, atMost: number) =>
          Effect.sync(() => {
            assert.isBelow(++steps, 100)
            const taken = Math.min(over, atMost)
            over -= taken
            // What is sent until the next step.
            if (over > 0) over += 5_000
            return taken
          })
      }
      assert.isAbove(yield* Retention.sweep(store, { maxBytes: 1 }), 10_000)
      assert.strictEqual(over, 0)
    }))
})
