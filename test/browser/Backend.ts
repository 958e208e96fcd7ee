/** What `toolspan dev` runs, over a database of its own: receiver, store, API and page on a free port. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as DevServer from "../../src/cli/DevServer.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import { otlpJson } from "../query/SpanBuilder.ts"

/** A running backend. */
export interface Backend {
  readonly url: string
  readonly port: number
  /** The database. */
  readonly file: string
  /** Sends the spans as an exporter does. */
  readonly send: (rows: ReadonlyArray<SpanRow>) => Promise<void>
  readonly close: () => Promise<void>
}

/** What a backend is started with. */
export interface Options {
  /** The page, built. */
  readonly page: string
  /** Spans that it is sent first. */
  readonly rows?: ReadonlyArray<SpanRow>
  /** Puts calls into the store before the server starts. */
  readonly fill?: (store: TraceStore.Shape) => Effect.Effect<unknown, unknown>
  readonly port?: number
  /** What every request has to show. */
  readonly token?: string
  /** A database of an earlier backend; it is left there. */
  readonly file?: string
  /** Makes another store of the real one. */
  readonly store?: (store: TraceStore.Shape) => TraceStore.Shape
}

/** Spans of one request; exporters send 512. */
const spansAtOnce = 512

const sending = (url: string, token: string | undefined) => async (rows: ReadonlyArray<SpanRow>): Promise<void> => {
  for (let from = 0; from < rows.length; from += spansAtOnce) {
    const answer = await fetch(`${url}/v1/traces`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body: otlpJson(rows.slice(from, from + spansAtOnce))
    })
    const said = await answer.text()
    if (answer.status !== 200 || said !== "{}") throw new Error(`The spans were refused: ${answer.status} ${said}`)
  }
}

/** Starts one. */
export const start = async (
  { file, fill, page, port = 0, rows = [], store: other = (store) => store, token }: Options
) => {
  const temporary = file === undefined ? fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-page-")) : undefined
  const database = file ?? path.join(temporary!, "traces.db")
  const scope = Scope.makeUnsafe()
  const running = await Effect.runPromise(
    Effect.gen(function*() {
      const store = yield* SqliteStore.make({ path: database })
      if (fill !== undefined) yield* fill(store)
      return yield* DevServer.make({ store: other(store), port, folder: page, token })
    }).pipe(Effect.provideService(Scope.Scope, scope))
  )
  const send = sending(running.url, token)
  await send(rows)
  return {
    url: running.url,
    port: running.port,
    file: database,
    send,
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      if (temporary !== undefined) fs.rmSync(temporary, { recursive: true, force: true })
    }
  } satisfies Backend
}
