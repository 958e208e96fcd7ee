import { assert, describe, it } from "@effect/vitest"
import { checkNever } from "../cases/check/never.ts"
import { checkRegistry } from "../cases/check/registry.ts"
import { checkTwins } from "../cases/check/twins.ts"
import { checkViolationCounts } from "../cases/check/violation-counts.ts"
import { kindOf } from "../cases/trail.ts"
import { performances } from "./scenes.ts"
import { render } from "./tree.ts"
import type { Reach } from "./World.ts"
import { canary, run } from "./World.ts"

const traced = performances.filter(({ scene }) => !scene.name.endsWith("switched off"))

describe("however little is wrapped", () => {
  for (const reach of ["service", "provider", "toolkit", "twice"] satisfies ReadonlyArray<Reach>) {
    it(`${reach}: the app behaves as ever, and what is told is whole`, async () => {
      for (const { mode, scene, title } of traced) {
        const bare = await run(scene.play, mode, "none")
        const told = await run(scene.play, mode, reach)
        const { spans } = told.trail
        assert.deepStrictEqual(told.host, bare.host, title)
        assert.deepStrictEqual([told.complaints, told.open, told.stats.internalErrors], [[], [], 0], title)
        if (scene.name !== "a parent that is not sampled") {
          assert.deepStrictEqual(
            [...checkRegistry(spans), ...checkTwins(spans), ...checkViolationCounts(spans)],
            [],
            title
          )
        }
        // A toolkit that is handled by hand and not wrapped tells its arguments: no service sees that.
        if (reach !== "toolkit" && !(reach !== "twice" && scene.name.startsWith("handled by hand"))) {
          assert.deepStrictEqual(checkNever([canary], spans, []), [], title)
        }
        // Of a turn that is not sampled nothing is told.
        const silent = scene.name === "a parent that is not sampled" && reach !== "toolkit"
        const chats = spans.filter((span) => kindOf(span) === "chat").length
        assert.strictEqual(chats, silent || reach === "service" || reach === "toolkit" ? 0 : told.asked.length, title)
        if (reach !== "twice") continue
        const once = await run(scene.play, mode, "all")
        assert.strictEqual(render(spans), render(once.trail.spans), title)
      }
    })
  }
})
