import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { storeFindings } from "../../src/cli/StoreFindings.ts"
import * as Retention from "../../src/store/Retention.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { row } from "../store/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "traces.db"))

describe("what doctor says of the data file", () => {
  it.effect("has the limits, and what had to go", () =>
    Effect.gen(function*() {
      const path = yield* file
      const store = yield* SqliteStore.make({ path })
      yield* store.append([row(1, { attributes: { "toolspan.stage": "execution" } }), row(2, { trace: 2 })])
      const texts = () => Effect.map(storeFindings(path), (findings) => findings.map(({ found }) => found))
      assert.strictEqual(
        (yield* texts())[1],
        "toolspan dev keeps spans up to 1 GiB, for 7 days; then what came first makes room. Nothing had to go yet"
      )
      yield* TestClock.setTime(Number(row(2).start / 1_000_000n) + Duration.toMillis(Retention.defaults.maxAge))
      const sweeping = yield* Effect.forkChild(Retention.sweep(store, Retention.defaults))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* Fiber.join(sweeping), 1)
      assert.strictEqual(
        (yield* texts())[1],
        "toolspan dev keeps spans up to 1 GiB, for 7 days; then what came first makes room. 1 spans went, and with them all of 1 calls"
      )
    }))

  it.effect("has the limits of the environment", () =>
    Effect.gen(function*() {
      const path = yield* file
      yield* Effect.scoped(SqliteStore.make({ path }))
      const findings = yield* storeFindings(path)
      assert.include(findings[1]!.found, "keeps spans up to 500 MiB; then what came first makes room.")
    }).pipe(
      Effect.provide(
        ConfigProvider.layer(ConfigProvider.fromUnknown({ TOOLSPAN_MAX_SIZE: "500MiB", TOOLSPAN_MAX_AGE: "none" }))
      )
    ))

  it.effect("has the files that were set aside", () =>
    Effect.gen(function*() {
      const path = yield* file
      fs.writeFileSync(path, Buffer.alloc(4096))
      yield* Effect.scoped(SqliteStore.make({ path }))
      const findings = yield* storeFindings(path)
      assert.match(findings.at(-1)!.found, /traces\.db\.corrupt-.*: a damaged data file of 0\.0 MB that was set aside/)
      fs.rmSync(path)
      assert.lengthOf(yield* storeFindings(path), 2)
    }))
})
