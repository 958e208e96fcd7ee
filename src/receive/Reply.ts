/**
 * What the receiver answers, as data.
 */
import type { ServerResponse } from "node:http"
import type { Encoding } from "../otlp/TraceRequest.ts"
import * as TraceResponse from "../otlp/TraceResponse.ts"

/** An answer: HTTP status, headers and body. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The media types of the two encodings. */
export const mediaTypes: Readonly<Record<Encoding, string>> = {
  json: "application/json",
  protobuf: "application/x-protobuf"
}

/** gRPC's name for what went wrong, by HTTP status. */
const rpcCodes: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 8,
  415: 3,
  500: 13,
  503: 14
}

/** An answer with a body in this encoding. */
export const make = (status: number, encoding: Encoding, body: Uint8Array): Reply => ({
  status,
  headers: { "content-type": mediaTypes[encoding] },
  body
})

/** A refusal: a `google.rpc.Status` with the reason. */
export const refuse = (
  status: number,
  encoding: Encoding,
  reason: string,
  headers: Readonly<Record<string, string>> = {}
): Reply => {
  const reply = make(status, encoding, TraceResponse.encodeStatus(rpcCodes[status] ?? 2, reason, encoding))
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

/** Nothing of an answer is ever script, a page in a frame, or kept. */
const common = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
} as const

/** Sends an answer. */
export const send = (response: ServerResponse, reply: Reply): void => {
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status === 204 ? {} : { "content-length": reply.body.byteLength }),
    ...common
  })
  response.end(reply.body)
}
