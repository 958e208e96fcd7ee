/** How a server begins and ends to listen. */
import type * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as PortOwner from "./PortOwner.ts"
import { ListenFailed, PortInUse } from "./ReceiverError.ts"

/** How long requests that are being served may take to end when the receiver stops. */
const drainWithin = "2 seconds"

/** Why listening failed; a port in use is worth asking who uses it. */
const listenError = Effect.fnUntraced(function*(host: string, port: number, error: NodeJS.ErrnoException) {
  if (error.code !== "EADDRINUSE") return yield* new ListenFailed({ host, port, reason: error.message })
  const [holder, toolspan] = yield* Effect.all([PortOwner.holder(port), PortOwner.isToolspan(port)], {
    concurrency: "unbounded"
  })
  return yield* new PortInUse({ port, holder, toolspan })
})

/** Listens; gives the port. */
export const start = (
  server: http.Server,
  host: string,
  port: number
): Effect.Effect<number, PortInUse | ListenFailed> =>
  Effect.callback<number, NodeJS.ErrnoException>((resume) => {
    server.on("error", (error) => resume(Effect.fail(error)))
    server.listen({ host, port, exclusive: true }, () => resume(Effect.succeed((server.address() as AddressInfo).port)))
  }).pipe(Effect.catch((error) => listenError(host, port, error)))

/** Takes no new connections, lets running requests end, then closes what is left. */
export const stop = (server: http.Server): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeIdleConnections()
  }).pipe(
    Effect.timeoutOption(drainWithin),
    Effect.andThen(Effect.sync(() => server.closeAllConnections()))
  )

/** The address under which this machine reaches the one that is listened on. */
export const reachable = (host: string, loopback: string): string => {
  if (host === "0.0.0.0" || host === "::") return loopback
  return host.includes(":") ? `[${host}]` : host
}
