import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import { checkAlways } from "../cases/check/always.ts"
import { checkNever } from "../cases/check/never.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"
import { anyApp, interrupted, play } from "./AnyApp.ts"
import { scenes } from "./scenes.ts"
import type { Played } from "./World.ts"
import { canary, modes, run } from "./World.ts"

/** Between the call of its hook and its answer a provider may be interrupted: it was asked, and nothing came. */
const unanswered = (told: Played): ReadonlyArray<boolean> => {
  const chats = told.trail.spans.filter((span) => kindOf(span) === "chat").length
  return Array.from({ length: Math.max(0, chats - told.asked.length) }, () => false)
}

const faults = (told: Played, more: ReadonlyArray<boolean> = []): ReadonlyArray<string> => [
  ...told.complaints,
  ...told.open.map((name) => `${name}: never ended`),
  ...checkAlways(told.trail, {
    usage: [...told.asked, ...more],
    failed: true,
    openCalls: told.stats.openCalls,
    internalErrors: told.stats.internalErrors,
    pending: 20
  }),
  ...checkNever([canary], told.trail.spans, []),
  ...parents(told.trail.spans)
]

const wanted: Readonly<Record<string, ReadonlyArray<string>>> = {
  chat: ["turn"],
  tool_call: ["chat"],
  tool_approval: ["turn"],
  execute_tool: ["turn"],
  tool_result: ["turn"]
}

const parents = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> => {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  return spans.flatMap((span) => {
    const parent = byId.get(span.parentSpanId ?? "")
    const kinds = wanted[kindOf(span)]
    return kinds === undefined || (parent !== undefined && kinds.includes(kindOf(parent)))
      ? []
      : [`${span.name}: it is below ${parent?.name}`]
  })
}

const handlersStarted = (told: Played) => told.host.filter((line) => line.startsWith("start ")).length

describe("any app", () => {
  for (const mode of modes) {
    it(`is told whole, and behaves as without us: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, async (app) => {
          const bare = await run(play(app), mode, "none")
          const told = await run(play(app), mode, "all")
          assert.deepStrictEqual(told.host, bare.host)
          assert.deepStrictEqual(faults(told), [])
          const handlers = told.trail.spans.filter((span) => span.name === "handler of the app")
          assert.strictEqual(handlers.length, handlersStarted(told))
        }),
        { numRuns: 300 }
      )
    })
  }
})

describe("an app that is interrupted", () => {
  for (const mode of modes) {
    // With fewer than 4 operations in a row the host itself stands still.
    it(`between any two steps leaves nothing open: ${mode}`, { timeout: 60_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(anyApp, fc.nat(120), fc.constantFrom(4, 7, 12, 2048), async (app, steps, operations) => {
          const settings = { content: "off" } as const
          const one = interrupted(play(app), steps)
          const told = await run(
            (world) => Effect.provideService(one(world), Scheduler.MaxOpsBeforeYield, operations),
            mode,
            "all",
            settings
          )
          assert.deepStrictEqual(faults(told, unanswered(told)), [])
          const ended = told.host.filter((line) => line.startsWith("end ")).length
          assert.strictEqual(ended, handlersStarted(told))
        }),
        { numRuns: 300 }
      )
    })
  }

  it("at every step of each scene leaves nothing open", { timeout: 60_000 }, async () => {
    for (const scene of scenes) {
      if (scene.name.includes("switched off") || scene.name.includes("wrapped") || scene.name.includes("sampled")) continue
      for (const mode of scene.modes ?? modes) {
        for (let steps = 0; steps < 60; steps += 3) {
          const told = await run(interrupted(scene.play, steps), mode, "all")
          assert.deepStrictEqual([told.complaints, told.open, told.stats.internalErrors], [[], [], 0], scene.name)
        }
      }
    }
  })
})
