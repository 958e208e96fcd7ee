/**
 * Serves the API over Node's server.
 *
 * That server has already checked Host and Origin when it asks this handler.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { api, openApiPath } from "../query/api.ts"
import type { Query } from "../query/Query.ts"
import * as Answers from "./Answers.ts"
import * as NodeAnswer from "./NodeAnswer.ts"
import * as PageHeader from "./PageHeader.ts"

/** Serves a request; answers false when the path is none of its own. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => boolean

/** Characters of an id in a path, at most: Node takes 16 KiB of headers, the path included. */
const idAtMost = 16 * 1024

const nothingThere = HttpServerResponse.jsonUnsafe(
  { _tag: "NothingThere", reason: `there is no such question: ${openApiPath} describes those that there are` },
  { status: 404 }
)

const unreadable = HttpServerResponse.jsonUnsafe(
  { _tag: "WrongQuestion", reason: "the address cannot be read: encode ids as UTF-8 with %" },
  { status: 400 }
)

const routes = (query: Query.Shape, ended: Effect.Effect<void>) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(api, { openapiPath: openApiPath }),
    HttpRouter.add("*", "/*", nothingThere)
  ).pipe(
    Layer.provide(Answers.layer(query, ended)),
    Layer.provide(HttpServer.layerServices),
    Layer.provideMerge(HttpRouter.layer),
    Layer.provide(Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: idAtMost }))
  )

/** The address as routes read it; `undefined` when it is none. */
const urlOf = (request: IncomingMessage): string | undefined => {
  const target = request.url ?? ""
  try {
    decodeURIComponent(target.split("?", 1)[0]!)
  } catch {
    return undefined
  }
  return `http://localhost${target}`
}

/** A handler for the paths of the API; what is told live ends when `ended` completes. */
export const make = Effect.fnUntraced(function*(query: Query.Shape, ended: Effect.Effect<void>) {
  const context = yield* Layer.build(routes(query, ended))
  const app = (yield* Effect.provideContext(HttpRouter.HttpRouter, context)).asHttpEffect()
  const run = Effect.runForkWith(context)
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = (request.url ?? "").split("?", 1)[0]!
    if (path !== openApiPath && !path.startsWith("/api/")) return false
    const { method = "GET" } = request
    if (method !== "GET" && method !== "HEAD") {
      response.writeHead(405, { ...PageHeader.common, allow: "GET, HEAD", "content-length": 0 }).end()
      return true
    }
    const withoutBody = method === "HEAD"
    const url = urlOf(request)
    if (url === undefined) {
      run(NodeAnswer.send(response, unreadable, withoutBody))
      return true
    }
    const headers = new Headers()
    for (const name of passedHeaders) {
      const value = request.headers[name]
      if (typeof value === "string") headers.set(name, value)
    }
    // A HEAD is answered as a GET without its body: the router would give it to the route that takes every method.
    const asked = HttpServerRequest.fromWeb(new Request(url, { headers }))
    const fiber = run(
      HttpEffect.toHandled(app, (_, answer) => {
        const sent = withoutBody ? answer : HttpEffect.scopeTransferToStream(answer)
        return NodeAnswer.send(response, sent, withoutBody)
      }).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, asked))
    )
    response.on("close", () => fiber.interruptUnsafe())
    return true
  }
}) satisfies (query: Query.Shape, ended: Effect.Effect<void>) => Effect.Effect<Handler, never, Scope.Scope>

/** The headers that answers depend on. */
const passedHeaders = ["accept", "last-event-id"]
