/**
 * A receiver with a SQLite store in a process of its own: `node killed.fixture.ts <file>` prints its port.
 */
import * as Effect from "effect/Effect"
import * as Receiver from "../../src/receive/Receiver.ts"
import * as ThreadedStore from "../../src/store/ThreadedStore.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"

const program = Effect.gen(function*() {
  const store = yield* ThreadedStore.make({ path: process.argv[2]! })
  const { port } = yield* Effect.provideService(Receiver.make({ port: 0 }), TraceStore, store)
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
