import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { checkNever } from "../cases/check/never.ts"
import { checkRegistry } from "../cases/check/registry.ts"
import { checkTwins } from "../cases/check/twins.ts"
import { checkViolationCounts } from "../cases/check/violation-counts.ts"
import { kinds } from "../../src/semconv/violation.ts"
import type { AnyApp } from "./AnyApp.ts"
import { anyApp, play } from "./AnyApp.ts"
import { knownApps } from "./knownApps.ts"
import { counts, faults, handlersStarted } from "./soundness.ts"
import type { Met } from "./toldFaults.ts"
import { unlike } from "./toldFaults.ts"
import type { Played } from "./World.ts"
import { canary, modes, run } from "./World.ts"

/** Two conversations at once, with the same ids and parameters, and nothing that tells them apart. */
const isShared = (app: AnyApp): boolean => app.alongside && !app.named

/** The kinds of faults that need a wire: no part of an app shows them. */
const onWire: ReadonlyArray<string> = ["missing_id", "argument_parse_error"]

describe("any app", () => {
  const met: Met = new Map()
  for (const mode of modes) {
    it(`is told whole, and behaves as without us: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, async (app) => {
          const bare = await run(play(app), mode, "none")
          const ours = await run(play(app), mode, "all")
          assert.deepStrictEqual(ours.host, bare.host)
          assert.deepStrictEqual([...faults(ours), ...counts(ours), ...unlike(ours, isShared(app), met)], [])
          const handlers = ours.trail.spans.filter((span) => span.name === "handler of the app")
          assert.strictEqual(handlers.length, handlersStarted(ours))
        }),
        { numRuns: 300, examples: Object.values(knownApps).map((app) => [app]) }
      )
    })
  }

  // Else the comparison would say little; the known apps have each kind.
  it("had every kind of fault", () => {
    assert.deepStrictEqual([...met.keys(), ...onWire].toSorted(), [...kinds].toSorted())
  })
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
          assert.deepStrictEqual([...faults(ours), ...counts(ours), ...unlike(ours, isShared(app))], [])
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
