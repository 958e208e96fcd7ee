/** Answers what never became a request. */
import type { Duplex } from "node:stream"
import * as TraceResponse from "../otlp/TraceResponse.ts"

interface Fault {
  readonly status: string
  readonly code: number
  readonly reason: string
}

const noRequest: Fault = { status: "400 Bad Request", code: 3, reason: "this is no HTTP request" }

const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    code: 3,
    reason: "the address and the headers are over 16 KiB together: ask for less"
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    code: 4,
    reason: "the request took too long to arrive: send it again"
  }
}

/** Says what is wrong and closes the connection. */
export const answer = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, reason, status } = faults[error.code ?? ""] ?? noRequest
  const body = Buffer.from(TraceResponse.encodeStatus(code, reason, "json"))
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: application/json\r\n`
    + `content-length: ${body.byteLength}\r\nx-content-type-options: nosniff\r\n\r\n`
  // What was answered before on this connection is not cut by what came after it.
  socket.end(Buffer.concat([Buffer.from(head), body]))
}
