/** A trace store that takes OTLP over gRPC and remembers which spans it took: down, up again and counting as a test wants. */
import * as http2 from "node:http2"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import * as Result from "effect/Result"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import { map, read } from "../collector/Files.ts"

export interface GrpcSink extends AsyncDisposable {
  /** Host and port. */
  readonly address: string
  readonly rows: () => ReadonlyArray<SpanRow>
  /** The size of the largest message, in bytes, as a store measures it. */
  readonly largest: () => number
  /** Resolves when a first client has its connection. */
  readonly connected: Promise<void>
  /** Nothing listens any more; open connections are cut. */
  readonly goDown: () => Promise<void>
  /** Listens at the same address again. */
  readonly comeUp: () => Promise<void>
}

/** The message of a unary call's only frame: a flag for gzip, four bytes of length, the message. */
const messageOf = (frame: Buffer): Buffer => {
  const message = frame.subarray(5, 5 + frame.readUInt32BE(1))
  return frame[0] === 1 ? gunzipSync(message) : message
}

export interface Options {
  /** `false` takes messages without looking into them: for loads that reading would hold up. */
  readonly reads?: boolean
  /** As Tempo with collector/tempo.yaml: one span without ids, or more than its limit, and the whole message is refused for good. */
  readonly strict?: boolean
  /** Refuses every message for good. */
  readonly refuses?: boolean
}

const protocols = map(read("collector/tempo.yaml"), "distributor", "receivers", "otlp", "protocols")
const limit = Number(map(protocols, "grpc")["max_recv_msg_size_mib"]) * 1024 * 1024
const invalidArgument = "3"
const resourceExhausted = "8"

export const make = async ({ reads = true, refuses = false, strict = false }: Options = {}): Promise<GrpcSink> => {
  const rows: Array<SpanRow> = []
  let largest = 0
  const sessions = new Set<http2.ServerHttp2Session>()
  const connected = Promise.withResolvers<void>()
  let server: http2.Http2Server
  const listen = (port: number): Promise<number> => {
    server = http2.createServer()
    server.on("session", (session) => {
      sessions.add(session)
      session.once("close", () => sessions.delete(session))
      session.on("error", () => {})
      // The client has read our preface and said so.
      session.once("localSettings", () => connected.resolve())
    })
    server.on("stream", (stream) => {
      const chunks: Array<Buffer> = []
      stream.on("error", () => {})
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        // The collector was killed, or this store went down, before the message was answered: it counts as not taken.
        if (stream.destroyed) return
        const message = reads ? messageOf(Buffer.concat(chunks)) : Buffer.alloc(0)
        largest = Math.max(largest, message.length)
        const request = Result.getOrThrow(TraceRequest.decode(message, "protobuf"))
        const isTooLarge = strict && message.length > limit
        const isInvalid = refuses || (strict && request.refused > 0)
        if (!isTooLarge && !isInvalid) { for (const row of request.rows) rows.push(row) }
        const status = isTooLarge ? resourceExhausted : isInvalid ? invalidArgument : "0"
        stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true })
        stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": status }))
        stream.end(Buffer.alloc(5))
      })
    })
    return new Promise((resolve, reject) => {
      server.once("error", reject)
      server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
    })
  }
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const session of sessions) session.destroy()
    await closed
  }
  const port = await listen(0)
  return {
    address: `127.0.0.1:${port}`,
    rows: () => rows,
    largest: () => largest,
    connected: connected.promise,
    goDown: close,
    comeUp: async () => void await listen(port),
    [Symbol.asyncDispose]: close
  }
}
