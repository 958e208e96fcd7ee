/** Reads an OTLP trace request in protobuf as OTLP/JSON has it; the field numbers are those of opentelemetry-proto. */
import { PbfReader } from "pbf"

type Read = (pbf: PbfReader) => unknown

/** Where a field goes, how it is read, and whether there can be many. */
type Fields = Readonly<Record<number, readonly [name: string, read: Read, many?: "many"]>>

const text: Read = (pbf) => pbf.readString()
const hex: Read = (pbf) => Buffer.from(pbf.readBytes()).toString("hex")
const int: Read = (pbf) => pbf.readVarint()
const fixed64: Read = (pbf) => {
  const [low, high] = [pbf.readFixed32(), pbf.readFixed32()]
  return String((BigInt(high) << 32n) | BigInt(low))
}

const message = (fields: () => Fields): Read => (pbf) =>
  pbf.readMessage<Record<string, unknown>>((number, target) => {
    const field = fields()[number]
    if (field === undefined) return
    const [name, read, many] = field
    const value = read(pbf)
    if (many === undefined) target[name] = value
    else target[name] = [...(target[name] as ReadonlyArray<unknown> | undefined) ?? [], value]
  }, {})

const anyValue: Read = message(() => ({
  1: ["stringValue", text],
  2: ["boolValue", (pbf) => pbf.readBoolean()],
  3: ["intValue", (pbf) => pbf.readVarint(true)],
  4: ["doubleValue", (pbf) => pbf.readDouble()],
  5: ["arrayValue", message(() => ({ 1: ["values", anyValue, "many"] }))]
}))
const keyValue = message(() => ({ 1: ["key", text], 2: ["value", anyValue] }))
const event = message(() => ({ 1: ["timeUnixNano", fixed64], 2: ["name", text], 3: ["attributes", keyValue, "many"] }))
const link = message(() => ({
  1: ["traceId", hex],
  2: ["spanId", hex],
  3: ["traceState", text],
  4: ["attributes", keyValue, "many"]
}))
const status = message(() => ({ 2: ["message", text], 3: ["code", int] }))
const span = message(() => ({
  1: ["traceId", hex],
  2: ["spanId", hex],
  3: ["traceState", text],
  4: ["parentSpanId", hex],
  5: ["name", text],
  6: ["kind", int],
  7: ["startTimeUnixNano", fixed64],
  8: ["endTimeUnixNano", fixed64],
  9: ["attributes", keyValue, "many"],
  11: ["events", event, "many"],
  13: ["links", link, "many"],
  15: ["status", status]
}))
const scopeSpans = message(() => ({ 2: ["spans", span, "many"] }))
const resource = message(() => ({ 1: ["attributes", keyValue, "many"] }))
const resourceSpans = message(() => ({ 1: ["resource", resource], 2: ["scopeSpans", scopeSpans, "many"] }))

/** An `ExportTraceServiceRequest`. */
export const readTraceRequest = (body: Uint8Array): unknown => {
  const request: { resourceSpans: Array<unknown> } = { resourceSpans: [] }
  const pbf = new PbfReader(body)
  pbf.readFields((number) => {
    if (number === 1) request.resourceSpans.push(resourceSpans(pbf))
  }, null)
  return request
}
