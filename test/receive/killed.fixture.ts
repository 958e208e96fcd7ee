/**
 * A receiver with a SQLite store in a process of its own: `node killed.fixture.ts <file>` prints its port.
 */
import * as Effect from "effect/Effect"
import * as Receiver from "../../src/receive/Receiver.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"

const program = Effect.gen(function*() {
  const { port } = yield* Receiver.make({ port: 0 })
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(Effect.provide(program, SqliteStore.layer({ path: process.argv[2]! }))))
