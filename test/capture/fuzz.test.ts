import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { checkNever } from "../cases/check/never.ts"
import { checkRegistry } from "../cases/check/registry.ts"
import { checkTwins } from "../cases/check/twins.ts"
import { checkViolationCounts } from "../cases/check/violation-counts.ts"
import { anyApp, play } from "./AnyApp.ts"
import { counts, faults, handlersStarted } from "./soundness.ts"
import type { Played } from "./World.ts"
import { canary, modes, run } from "./World.ts"

describe("any app", () => {
  for (const mode of modes) {
    it(`is told whole, and behaves as without us: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, async (app) => {
          const bare = await run(play(app), mode, "none")
          const ours = await run(play(app), mode, "all")
          assert.deepStrictEqual(ours.host, bare.host)
          assert.deepStrictEqual([...faults(ours), ...counts(ours)], [])
          const handlers = ours.trail.spans.filter((span) => span.name === "handler of the app")
          assert.strictEqual(handlers.length, handlersStarted(ours))
        }),
        { numRuns: 200 }
      )
    })
  }
})

describe("any app with a carrier in its parts", () => {
  for (const mode of modes) {
    it(`asks the provider and runs its handlers as without us: ${mode}`, { timeout: 60_000 }, async () => {
      const inside = (played: Played) => played.host.filter((line) => !line.startsWith("part "))
      await fc.assert(
        fc.asyncProperty(anyApp, async (app) => {
          const bare = await run(play(app), mode, "none")
          const ours = await run(play(app), mode, "all", { carrier: "in-band" })
          assert.deepStrictEqual(inside(ours), inside(bare))
          assert.deepStrictEqual([...faults(ours), ...counts(ours)], [])
        }),
        { numRuns: 100 }
      )
    })
  }
})

describe("any app of which less is wrapped", () => {
  for (const reach of ["service", "provider", "toolkit"] as const) {
    it(`behaves as without us: ${reach}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, fc.constantFrom(...modes), async (app, mode) => {
          const bare = await run(play(app), mode, "none")
          const ours = await run(play(app), mode, reach)
          assert.deepStrictEqual(ours.host, bare.host)
          const { spans } = ours.trail
          assert.deepStrictEqual([ours.complaints, ours.open, ours.stats.internalErrors], [[], [], 0])
          assert.deepStrictEqual([...checkRegistry(spans), ...checkTwins(spans), ...checkViolationCounts(spans)], [])
          if (reach !== "toolkit") assert.deepStrictEqual(checkNever([canary], spans, []), [])
        }),
        { numRuns: 100 }
      )
    })
  }
})
