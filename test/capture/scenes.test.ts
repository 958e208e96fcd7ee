import { assert, describe, expect, it } from "@effect/vitest"
import { checkAlways } from "../cases/check/always.ts"
import { checkNever } from "../cases/check/never.ts"
import { performances, scenes } from "./scenes.ts"
import { render } from "./tree.ts"
import { canary, run } from "./World.ts"

const untold = new Set(["tracing is switched off", "toolspan is switched off"])

// What no provider hook is wrapped for has no chat span, and an unsampled trace no attributes.
const unlike = new Set([
  ...untold,
  "only the service is wrapped",
  "only the toolkit is wrapped",
  "a parent that is not sampled"
])

describe("each scene", () => {
  for (const { mode, scene, title } of performances) {
    it(title, async () => {
      const reach = scene.reach ?? "all"
      const bare = await run(scene.play, mode, "none", scene.settings)
      const told = await run(scene.play, mode, reach, scene.settings)
      assert.deepStrictEqual(told.host, bare.host)
      assert.deepStrictEqual([told.complaints, told.open, told.stats.internalErrors], [[], [], 0])
      if (!unlike.has(scene.name)) {
        const known = {
          usage: told.asked,
          failed: true,
          openCalls: told.stats.openCalls,
          internalErrors: 0,
          pending: 0
        }
        assert.deepStrictEqual(checkAlways(told.trail, known), [])
      }
      if (!untold.has(scene.name)) assert.deepStrictEqual(checkNever([canary], told.trail.spans, []), [])
      const all = await run(scene.play, mode, reach, { ...scene.settings, content: "all" })
      assert.deepStrictEqual(all.host, bare.host)
      assert.deepStrictEqual([all.complaints, all.open], [[], []])
    })
  }
})

// Fragments, and when a stream is read, are the only things that differ.
const alike = (tree: string): string => tree.replaceAll(/(LanguageModel|Chat)\.\w+/g, "$1")

describe("the trees of", () => {
  for (const scene of scenes) {
    it(scene.name, async () => {
      const trees: Record<string, string> = {}
      for (const { mode } of performances.filter((performance) => performance.scene === scene)) {
        const told = await run(scene.play, mode, scene.reach ?? "all", scene.settings)
        trees[mode] = render(told.trail.spans)
      }
      const [first, ...others] = Object.entries(trees)
      if (scene.differs !== true) {
        for (const [mode, tree] of others) assert.strictEqual(alike(tree), alike(first![1]), mode)
      }
      const shown = scene.differs === true ? Object.entries(trees) : [first!]
      expect(`\n${shown.map(([mode, tree]) => `${mode}\n${tree}`).join("\n")}\n`).toMatchSnapshot()
    })
  }
})
