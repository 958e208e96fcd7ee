/**
 * What `toolspan dev` runs, without limits and page: `node receiver.ts <file>` prints its port, and answers `/ask?find=`,
 * `/ask?story=` and `/ask?tool=&outcome=` with the milliseconds that the answer took and how much it found.
 */
import type { ServerResponse } from "node:http"
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Query from "../../../src/query/Query.ts"
import * as Receiver from "../../../src/receive/Receiver.ts"
import * as ThreadedStore from "../../../src/store/ThreadedStore.ts"
import { TraceStore } from "../../../src/store/TraceStore.ts"

const program = Effect.gen(function*() {
  const store = yield* ThreadedStore.make({ path: process.argv[2] ?? "" })
  const query = Query.make(store)

  const run = Effect.runForkWith(yield* Effect.context<never>())

  const answer = (asked: URLSearchParams): Effect.Effect<number, unknown> => {
    const find = asked.get("find")
    if (find !== null) return Effect.map(query.calls({ id: find }), ({ calls }) => calls.length)
    const story = asked.get("story")
    if (story !== null) return Effect.map(query.story(story, 20), ({ stories }) => stories.length)
    const filter = Object.fromEntries(asked)
    return Effect.map(query.calls(filter), ({ calls }) => calls.length)
  }

  const extra = (request: { readonly url?: string | undefined }, response: ServerResponse): boolean => {
    const url = new URL(request.url ?? "", "http://127.0.0.1")
    if (url.pathname !== "/ask") return false
    run(Effect.flatMap(answer(url.searchParams), (found) => Effect.sync(() => response.end(String(found)))))
    return true
  }

  const { port } = yield* Receiver.make({ port: 0, extra }).pipe(Effect.provideService(TraceStore, store))
  process.stdout.write(`${port}\n`)
  return yield* Effect.never
})

Effect.runFork(Effect.scoped(program))
