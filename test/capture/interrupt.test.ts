import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import type { AnyApp } from "./AnyApp.ts"
import { anyApp, interrupted, outOfSteps, play } from "./AnyApp.ts"
import { performances } from "./scenes.ts"
import { faults, handlersStarted, unanswered } from "./soundness.ts"
import type { Mode } from "./World.ts"
import { modes, run } from "./World.ts"

const ranOut = `success ${JSON.stringify(outOfSteps)}`

/** How many steps of a scene are tried at most; the longest one takes some 65. */
const maximumSteps = 100

const interruptedAt = (app: AnyApp, steps: number, operations: number, mode: Mode, reach: "all" | "none") =>
  run(
    (world) => Effect.provideService(interrupted(play(app), steps)(world), Scheduler.MaxOpsBeforeYield, operations),
    mode,
    reach
  )

const inSequence = (app: AnyApp): AnyApp => ({
  ...app,
  alongside: false,
  turns: app.turns.map((turn) => ({ ...turn, concurrency: 1 }))
})

describe("an app that is interrupted", () => {
  for (const mode of modes) {
    it(`after any step leaves nothing open, and ends as without us: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, fc.nat(120), async (app, steps) => {
          const operations = 2048
          const bare = await interruptedAt(app, steps, operations, mode, "none")
          const told = await interruptedAt(app, steps, operations, mode, "all")
          assert.deepStrictEqual(told.host, bare.host)
          assert.deepStrictEqual(faults(told, unanswered(told)), [])
          const ended = told.host.filter((line) => line.startsWith("end ")).length
          assert.strictEqual(ended, handlersStarted(told))
        }),
        { numRuns: 200 }
      )
    })

    // With fewer than 4 operations in a row the host itself stands still.
    it(`between any two operations leaves nothing open: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, fc.nat(120), fc.constantFrom(4, 7, 12), async (app, steps, operations) => {
          const told = await interruptedAt(app, steps, operations, mode, "all")
          assert.deepStrictEqual(faults(told, unanswered(told)), [])
          const ended = told.host.filter((line) => line.startsWith("end ")).length
          assert.strictEqual(ended, handlersStarted(told))
        }),
        { numRuns: 200 }
      )
    })
  }

  // Our own operations count too, so after as many steps an app has come less far with us: then it has done the first
  // of what it does without us, and only what it was at is interrupted. Handlers that run beside each other, or beside
  // a stream, meet in another order: only apps in sequence can be compared.
  for (const mode of ["generateText", "generateObject"] as const) {
    it(`between any two operations has done what it does without us: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, fc.nat(120), fc.constantFrom(4, 7, 12), async (any, steps, operations) => {
          const app = inSequence(any)
          const whole = await interruptedAt(app, 100_000, operations, mode, "none")
          const told = await interruptedAt(app, steps, operations, mode, "all")
          if (told.host.at(-1) !== ranOut) return assert.deepStrictEqual(told.host, whole.host)
          const done = told.host.slice(0, -1)
          const differs = done.findIndex((line, index) => line !== whole.host[index])
          const same = done.slice(0, differs < 0 ? done.length : differs)
          const running = same.filter((line) => line.startsWith("start ")).map((line) => line.split(" ")[1])
          for (const line of same.filter((line) => line.startsWith("end "))) {
            running.splice(running.indexOf(line.split(" ")[1]), 1)
          }
          assert.deepStrictEqual(
            done.slice(same.length).map((line) => line.split(" ").filter((_, word) => word !== 2).join(" ")),
            running.map((name) => `end ${name} interrupt`)
          )
        }),
        { numRuns: 150 }
      )
    })
  }

  for (const { mode, scene, title } of performances) {
    it(`at every step leaves nothing open, and ends as without us: ${title}`, { timeout: 60_000 }, async () => {
      const reach = scene.reach ?? "all"
      const whole = await run(interrupted(scene.play, 100_000), mode, "none", scene.settings)
      for (let steps = 0, over = false; !over; steps++) {
        assert.isBelow(steps, maximumSteps, "the scene does not end: some of its steps are not tried")
        const bare = await run(interrupted(scene.play, steps), mode, "none", scene.settings)
        const told = await run(interrupted(scene.play, steps), mode, reach, scene.settings)
        assert.deepStrictEqual(told.host, bare.host, `after ${steps} steps`)
        assert.deepStrictEqual([told.complaints, told.open, told.stats.internalErrors], [[], [], 0], `${steps} steps`)
        over = bare.host.at(-1) !== ranOut
        if (over) assert.deepStrictEqual(bare.host, whole.host)
      }
    })
  }
})
