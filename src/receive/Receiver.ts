/**
 * The OTLP/HTTP receiver: an HTTP server on the loopback address that stores the spans it is sent.
 */
import * as http from "node:http"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { TraceStore } from "../store/TraceStore.ts"
import * as ClientFault from "./ClientFault.ts"
import * as Connections from "./Connections.ts"
import * as Gate from "./Gate.ts"
import { isLoopback } from "./Guard.ts"
import { health } from "./Health.ts"
import * as Listening from "./Listening.ts"
import { type ListenFailed, type PortInUse, TokenMissing } from "./ReceiverError.ts"
import * as Reply from "./Reply.ts"
import * as TraceRoute from "./TraceRoute.ts"

/** The port that OTLP/HTTP exporters use unless told otherwise. */
export const standardPort = 4318

/** The address that is listened on unless told otherwise: only this machine reaches it. */
export const standardHost = "127.0.0.1"

/** Open connections beyond which idle ones are closed; an app has one or two. */
const connectionsAtMost = 128

/** Serves a request of another path; answers false when it does not know the path. Host, Origin and token are checked. */
export type ExtraHandler = (request: http.IncomingMessage, response: http.ServerResponse) => boolean

/** Settings of a receiver. */
export interface Options {
  /** 0 takes any free port. */
  readonly port: number
  /** The address to listen on, 127.0.0.1 unless told otherwise. Others than loopback ones want a `token`. */
  readonly host?: string | undefined
  /** What every request must show, as `Authorization: Bearer` or as the cookie that a login sets. */
  readonly token?: string | undefined
  /** Whether pages of other ports of this machine may send spans and read answers. */
  readonly cors?: boolean | undefined
  /** Serves other paths on the same port (viewer, query API). */
  readonly extra?: ExtraHandler | undefined
  /** Paths of `extra` that are read without the token, because they hold nothing of anybody: none unless told. */
  readonly isOpen?: Gate.Options["isOpen"]
  /** How long the headers of a request may take, in milliseconds (10,000). */
  readonly headersWithin?: number | undefined
  /** How long a whole request may take to arrive, in milliseconds (30,000). */
  readonly requestWithin?: number | undefined
  /** How long a connection may stand still, an answer that is not read included, in milliseconds (60,000). */
  readonly stillWithin?: number | undefined
  /** Bytes of request bodies held at a time, of all requests together (128 MiB); more are answered with 503. */
  readonly bodiesAtMost?: number | undefined
}

/** A running receiver. */
export class Receiver extends Context.Service<Receiver, Receiver.Shape>()("toolspan/receive/Receiver") {}

export declare namespace Receiver {
  /** Where it listens, and what it has taken. */
  interface Shape {
    readonly port: number
    /** The base address, such as `http://127.0.0.1:4318`. */
    readonly url: string
    readonly counts: Effect.Effect<TraceRoute.Counts>
  }
}

type TraceRouteShape = ReturnType<typeof TraceRoute.make>

const notFound = (path: string): string =>
  path === "/v1/metrics" || path === "/v1/logs"
    ? "only traces are taken here: POST them to /v1/traces"
    : "there is nothing at this path: POST OTLP traces to /v1/traces"

/** The answer to a request; `undefined` when an extra handler gives it. */
const answer = (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  route: TraceRouteShape,
  extra: ExtraHandler,
  gate: Gate.Gate
): Effect.Effect<Reply.Reply | undefined> => {
  const encoding = TraceRoute.encodingOf(request.headers) ?? "json"
  const path = (request.url ?? "").split("?", 1)[0]!
  const refuse = (status: number, reason: string, headers?: Record<string, string>) =>
    Effect.succeed(Reply.refuse(status, encoding, reason, headers))
  const stopped = gate(request, response)
  if (stopped !== undefined) return Effect.succeed(stopped)
  if (path === TraceRoute.path) {
    if (request.method === "POST") return route.handle(request)
    return refuse(405, "POST OTLP traces to this path", { allow: "POST" })
  }
  if (path === health.path) {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return refuse(405, "GET this path", { allow: "GET, HEAD" })
    }
    return Effect.succeed(Reply.make(200, "json", new TextEncoder().encode(health.body)))
  }
  return Effect.suspend(() => extra(request, response) ? Effect.undefined : refuse(404, notFound(path)))
}

const serve = (
  request: http.IncomingMessage,
  response: http.ServerResponse,
  route: TraceRouteShape,
  extra: ExtraHandler,
  gate: Gate.Gate
): Effect.Effect<void> =>
  Effect.suspend(() => answer(request, response, route, extra, gate)).pipe(
    Effect.flatMap((reply) => Effect.sync(() => reply && Reply.send(response, reply))),
    Effect.catchCause((cause) =>
      Effect.andThen(
        Effect.logError("A request could not be served", cause),
        Effect.sync(() => {
          if (response.headersSent) response.destroy()
          else Reply.send(response, Reply.refuse(500, "json", "the request could not be served"))
        })
      )
    )
  )

/** Why a receiver does not start. */
export type CannotStart = PortInUse | ListenFailed | TokenMissing

/** Starts a receiver that stops with its scope. A request that it acknowledged is in the store. */
export const make = Effect.fnUntraced(function*(options: Options) {
  const route = TraceRoute.make(yield* TraceStore, options.bodiesAtMost ?? 128 * 1024 * 1024)
  const extra = options.extra ?? (() => false)
  const host = options.host ?? standardHost
  if (!isLoopback(host) && options.token === undefined) return yield* new TokenMissing({ host })
  const gate = Gate.make({ host, cors: options.cors ?? false, token: options.token, isOpen: options.isOpen })
  const headersWithin = options.headersWithin ?? 10_000
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const server = http.createServer({
    headersTimeout: headersWithin,
    requestTimeout: options.requestWithin ?? 30_000,
    connectionsCheckingInterval: Math.min(headersWithin, 1_000)
  }, (request, response) => {
    run(serve(request, response, route, extra, gate))
  })
  Connections.limit(server, connectionsAtMost)
  server.timeout = options.stillWithin ?? 60_000
  server.on("clientError", ClientFault.answer)
  const port = yield* Effect.acquireRelease(
    Listening.start(server, host, options.port),
    () => Listening.stop(server)
  )
  return {
    port,
    url: `http://${Listening.reachable(host, standardHost)}:${port}`,
    counts: route.counts
  } satisfies Receiver.Shape
}) satisfies (options: Options) => Effect.Effect<Receiver.Shape, CannotStart, Scope.Scope | TraceStore>
