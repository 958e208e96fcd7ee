import { assert, describe, it } from "@effect/vitest"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import type { TraceRequest } from "../../src/otlp/TraceRequest.ts"
import * as TraceResponse from "../../src/otlp/TraceResponse.ts"

const clean: TraceRequest = { rows: [], encoded: [], refused: 0, reasons: [] }
const partial: TraceRequest = {
  rows: [],
  encoded: [],
  refused: 300,
  reasons: ["trace id is all zero (299)", "naïve \u{60000} (1)"]
}
const message = "refused 300 spans: trace id is all zero (299); naïve \u{60000} (1)"

describe("the response, read by the official exporter", () => {
  it("says nothing when all was taken", () => {
    assert.deepStrictEqual(TraceResponse.encode(clean, "protobuf"), new Uint8Array())
    assert.deepStrictEqual(JsonTraceSerializer.deserializeResponse(TraceResponse.encode(clean, "json")), {})
  })

  it("has the number of refused spans and the reasons", () => {
    const json = JsonTraceSerializer.deserializeResponse(TraceResponse.encode(partial, "json"))
    assert.deepStrictEqual<unknown>(json, { partialSuccess: { rejectedSpans: "300", errorMessage: message } })
    const protobuf = ProtobufTraceSerializer.deserializeResponse(TraceResponse.encode(partial, "protobuf"))
    assert.deepStrictEqual<unknown>(
      { ...protobuf.partialSuccess, rejectedSpans: Number(protobuf.partialSuccess?.rejectedSpans) },
      { rejectedSpans: 300, errorMessage: message }
    )
  })

  it("says what is wrong as a google.rpc.Status", () => {
    assert.strictEqual(
      new TextDecoder().decode(TraceResponse.encodeStatus(3, "no", "json")),
      "{\"code\":3,\"message\":\"no\"}"
    )
    assert.deepStrictEqual([...TraceResponse.encodeStatus(3, "no", "protobuf")], [8, 3, 18, 2, 110, 111])
  })
})
