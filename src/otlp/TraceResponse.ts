/**
 * What is answered to a request, in the request's own encoding.
 */
import { PbfWriter } from "pbf"
import * as Message from "./message.ts"
import type { Encoding, TraceRequest } from "./TraceRequest.ts"
import * as WireText from "./WireText.ts"

const varint = 0

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** What an answer tells of a request. */
type Refusals = Pick<TraceRequest, "refused" | "reasons">

/** The refused spans in one sentence. */
const messageOf = (request: Refusals): string =>
  `refused ${request.refused} ${request.refused === 1 ? "span" : "spans"}: ${request.reasons.join("; ")}`

interface PartialSuccess {
  readonly rejected: number
  readonly message: string
}

const partialSuccess = (partial: PartialSuccess, pbf: PbfWriter): void => {
  pbf.writeTag(Message.ExportTracePartialSuccess.rejectedSpans, varint)
  pbf.writeVarint(partial.rejected)
  pbf.writeTag(Message.ExportTracePartialSuccess.errorMessage, 2)
  WireText.write(pbf, partial.message)
}

/** Encodes an `ExportTraceServiceResponse`; `partial_success` is set only when spans were refused. */
export const encode = (request: Refusals, encoding: Encoding): Uint8Array => {
  const partial = { rejected: request.refused, message: messageOf(request) }
  if (encoding === "json") {
    return toBytes(
      request.refused === 0
        ? {}
        : { partialSuccess: { rejectedSpans: String(partial.rejected), errorMessage: partial.message } }
    )
  }
  const pbf = new PbfWriter()
  if (request.refused > 0) {
    pbf.writeMessage(Message.ExportTraceServiceResponse.partialSuccess, partialSuccess, partial)
  }
  return pbf.finish()
}

/** Encodes a `google.rpc.Status`; `code` is a gRPC code (3 invalid argument, 8 exhausted, 14 unavailable, …). */
export const encodeStatus = (code: number, message: string, encoding: Encoding): Uint8Array => {
  if (encoding === "json") return toBytes({ code, message })
  const pbf = new PbfWriter()
  pbf.writeTag(Message.RpcStatus.code, varint)
  pbf.writeVarint(code)
  pbf.writeTag(Message.RpcStatus.message, 2)
  WireText.write(pbf, message)
  return pbf.finish()
}
