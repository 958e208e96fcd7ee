/** What a developer looks at: the page, the API that it asks, and the description of that API. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Query } from "../query/Query.ts"
import * as ApiServer from "./ApiServer.ts"
import * as Page from "./Page.ts"
import type { PageMissing } from "./PageError.ts"
import * as PageHeader from "./PageHeader.ts"

/** What is served. */
export interface Options {
  readonly query: Query.Shape
  /** The folder that the build has filled with the page; the package's own unless told otherwise. */
  readonly folder?: string | undefined
}

/** Says what is wrong instead of the page, to those who have the token: the API works without it. */
const missing = (error: PageMissing): Page.Page => ({
  handle: (request, response) => {
    if ((request.url ?? "").split("?", 1)[0] !== "/") return false
    const headers = { ...PageHeader.common, "content-type": "text/plain; charset=utf-8" }
    response.writeHead(503, headers).end(request.method === "HEAD" ? undefined : `${error.message}\n`)
    return true
  },
  isOpen: () => false
})

/** A running viewer. */
export interface Viewer {
  /** For the server that takes the spans. */
  readonly handle: ApiServer.Handler
  /** Paths that may be read without the token: what they have is the same for everybody. */
  readonly isOpen: (path: string) => boolean
  /** Ends what is told live: a server that waits for its requests to end would wait for ever. */
  readonly end: Effect.Effect<void>
}

/** Serves the page and the API. */
export const make = Effect.fnUntraced(function*(options: Options) {
  const page = yield* Page.make({ folder: options.folder }).pipe(
    Effect.catchTag("PageMissing", (error) => Effect.succeed(missing(error)))
  )
  const ended = yield* Deferred.make<void>()
  const ask = yield* ApiServer.make(options.query, Deferred.await(ended))
  return {
    handle: (request, response) => ask(request, response) || page.handle(request, response),
    isOpen: page.isOpen,
    end: Effect.asVoid(Deferred.succeed(ended, undefined))
  }
}) satisfies (options: Options) => Effect.Effect<Viewer, never, Scope.Scope>
