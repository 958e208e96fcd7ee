/**
 * A plain HTTP client that lets a test send what no decent client would.
 */
import * as http from "node:http"
import * as net from "node:net"
import * as Effect from "effect/Effect"

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

/** Sends one request on a connection of its own. */
export const send = (
  port: number,
  options: {
    readonly method?: string
    readonly path?: string
    readonly headers?: http.OutgoingHttpHeaders
    readonly body?: Uint8Array | string
  }
): Effect.Effect<Answer> =>
  Effect.callback((resume) => {
    const request = http.request({
      host: "127.0.0.1",
      port,
      agent: false,
      method: options.method ?? "POST",
      path: options.path ?? "/v1/traces",
      headers: { "content-type": "application/json", ...options.headers }
    }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", (error) => resume(Effect.die(error)))
      response.on("end", () => {
        const body = Buffer.concat(chunks)
        resume(Effect.succeed({ status: response.statusCode!, headers: response.headers, body, text: body.toString() }))
      })
    })
    request.on("error", (error) => resume(Effect.die(error)))
    request.end(options.body)
  })

/** Writes bytes to a new connection and answers what came back until the other side closed it. */
export const raw = (port: number, ...writes: ReadonlyArray<string | Uint8Array>): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    let text = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => text += chunk)
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text)))
    for (const write of writes) socket.write(write)
    return Effect.sync(() => socket.destroy())
  })
