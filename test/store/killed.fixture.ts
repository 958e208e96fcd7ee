/**
 * A store in a process of its own, which a test kills: `node killed.fixture.ts <file> <what>` prints a line for each step
 * that has succeeded.
 */
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { row } from "./rows.ts"

const [, , file = "", what = ""] = process.argv

/** Not through a pipe that the process may leave half written. */
const say = (line: string): void => {
  fs.writeSync(1, `${line}\n`)
}

const padding = "x".repeat(500)

/** Appends without end. */
const append = Effect.gen(function*() {
  const store = yield* SqliteStore.make({ path: file })
  for (let from = 1;; from += 20) {
    yield* store.append(Array.from({ length: 20 }, (_, index) => row(from + index, { attributes: { padding } })))
    say(`appended ${from + 19}`)
  }
})

/** Takes everything out in small steps. */
const drop = Effect.gen(function*() {
  const store = yield* SqliteStore.make({ path: file })
  for (;;) {
    const dropped = yield* store.drop({ before: 2n ** 63n - 1n }, 25)
    if (dropped === 0) break
    say(`dropped ${dropped}`)
  }
})

/** Opens the file, which migrates it when it is old. */
const open = Effect.andThen(SqliteStore.make({ path: file }), Effect.sync(() => say("opened")))

const programs: Readonly<Record<string, typeof append | typeof drop>> = { append, drop, open }

say("started")
Effect.runPromise(Effect.scoped(Effect.asVoid(programs[what]!))).catch((error: unknown) => {
  say(`failed ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
