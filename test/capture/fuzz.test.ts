import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import { checkAlways } from "../cases/check/always.ts"
import { checkNever } from "../cases/check/never.ts"
import { checkRegistry } from "../cases/check/registry.ts"
import { checkTwins } from "../cases/check/twins.ts"
import { checkViolationCounts } from "../cases/check/violation-counts.ts"
import { kindOf, type SpanRecord } from "../cases/trail.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
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

const told = (spans: ReadonlyArray<SpanRecord>, kind: string) => spans.filter((span) => kindOf(span) === kind)

/** What must come out even: parts and spans, links and what they may lead to. */
const counts = ({ host, trail }: Played): ReadonlyArray<string> => {
  const { spans } = trail
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const parts = (type: string) =>
    host.filter((line) =>
      line.startsWith("part ") && line.includes(`"type":"${type}"`) && !line.includes(`"preliminary":true`)
    )
      .length
  const number = (span: SpanRecord, key: string) => Number(span.attributes[key] ?? 0)
  const decided = told(spans, "chat").reduce((sum, span) => sum + number(span, Attribute.toolspanToolCallsDecided), 0)
  const consumed = told(spans, "chat").reduce((sum, span) => sum + number(span, Attribute.toolspanToolCallsConsumed), 0)
  const linked = spans.flatMap((span) =>
    span.links.filter((link) => link.attributes[Attribute.toolspanLinkType] === "consumes").map((link) => link.spanId)
  )
  const made = told(spans, "tool_result").filter((span) => span.attributes[Attribute.toolspanResultOrigin] !== "prompt")
  const asked = told(spans, "tool_approval").filter((span) =>
    span.attributes[Attribute.toolspanApprovalEvent] === "requested"
  )
  const rules: ReadonlyArray<readonly [string, boolean]> = [
    ["decided is the number of tool_call spans", decided === told(spans, "tool_call").length],
    ["each call that came out was decided", parts("tool-call") <= decided],
    ["each result that came out is told", parts("tool-result") <= made.length],
    ["each request for approval that came out is told", parts("tool-approval-request") <= asked.length],
    ["consumed is the number of links", consumed === linked.length],
    ["no result is consumed twice", new Set(linked).size === linked.length],
    [
      "an execution is decided by one call, or says that it could be two",
      told(spans, "execute_tool").every((span) =>
        span.attributes[Attribute.toolspanLinkAmbiguous] === true || span.links.length > 0 ||
        // A history of another app, or of a turn that failed.
        span.attributes[Attribute.toolspanApprovalState] === "approved"
      )
    ],
    [
      "a result that could be of two calls leads to neither",
      told(spans, "tool_result").every((span) =>
        span.attributes[Attribute.toolspanLinkAmbiguous] !== true || span.links.length === 0
      )
    ],
    [
      "links of a call lead to the same call",
      spans.every((span) =>
        kindOf(span) === "chat" || span.links.every((link) => {
          const target = byId.get(link.spanId)
          return target === undefined ||
            target.attributes[Attribute.genAiToolCallId] === span.attributes[Attribute.genAiToolCallId]
        })
      )
    ]
  ]
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule)
}

const handlersStarted = (told: Played) => told.host.filter((line) => line.startsWith("start ")).length

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
        { numRuns: 200 }
      )
    })
  }

  it("at every step of each scene leaves nothing open", { timeout: 120_000 }, async () => {
    for (const scene of scenes) {
      if (scene.name.includes("switched off") || scene.name.includes("wrapped") || scene.name.includes("sampled")) {
        continue
      }
      for (const mode of scene.modes ?? modes) {
        for (let steps = 0; steps < 60; steps++) {
          const told = await run(interrupted(scene.play, steps), mode, "all")
          assert.deepStrictEqual([told.complaints, told.open, told.stats.internalErrors], [[], [], 0], scene.name)
        }
      }
    }
  })
})
