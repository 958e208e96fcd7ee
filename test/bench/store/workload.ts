/**
 * OTLP requests of an instrumented app without end: calls as toolspan writes them, each request with ids of its own.
 *
 * Encoding would cost more than a receiver needs for decoding. So a few requests are encoded once, with marks where ids
 * and times stand, and each one that is sent is a copy in which the marks are written over.
 */
import { PbfWriter } from "pbf"
import * as ProtobufEncoder from "../../../src/otlp/ProtobufEncoder.ts"
import type { Attributes, AttributeValue, SpanRow } from "../../../src/otlp/SpanRow.ts"
import { approvedCall, plainCall } from "../../query/CallFixture.ts"
import { origin } from "../../query/SpanBuilder.ts"

/** Spans of one request: what OpenTelemetry's batch processor sends at most, to the next whole call. */
const requestSpans = 512

/** Requests that are encoded. */
const templates = 24

const tools = Array.from({ length: 40 }, (_, index) => `tool_${index}`)
const services = ["assistant", "billing", "search", "support", "planner", "mailer", "scraper", "worker"]

/** The first bytes of each id; the fourth is the number of the scene. */
const mark = "f1e2d3"
const markOf = (scene: number): string => `${mark}${scene.toString(16).padStart(2, "0")}`

/** The upper half of each time (little-endian); the lower half is nanoseconds after the request's own time. */
const timeMark = 0xa9b8c7d6n << 32n

/** Milliseconds of the fixtures are squeezed into what the lower half holds. */
const timeOf = (time: bigint): bigint => timeMark + (time - origin) / 32n + 500_000_000n

const hexId = /\b[0-9a-f]{32}-[0-9a-f]{16}\b/g

interface Place {
  readonly at: number
  readonly scene: number
  readonly text: boolean
}

/** An encoded request and where its marks stand. */
interface Template {
  readonly body: Buffer
  readonly ids: ReadonlyArray<Place>
  readonly times: ReadonlyArray<number>
  readonly spans: number
  readonly scenes: number
}

const marked = (row: SpanRow, scene: number): SpanRow => {
  const id = (hex: string): string => hex === "" ? "" : markOf(scene) + hex.slice(8)
  const value = (given: AttributeValue): AttributeValue =>
    typeof given === "string"
      ? given.replaceAll(hexId, (address) => address.split("-").map(id).join("-"))
      : Array.isArray(given)
      ? given.map(value)
      : given
  const attributes = (list: Attributes) => list.map((entry) => ({ key: entry.key, value: value(entry.value) }))
  return {
    ...row,
    traceId: id(row.traceId),
    spanId: id(row.spanId),
    parentSpanId: id(row.parentSpanId),
    start: timeOf(row.start),
    end: timeOf(row.end),
    attributes: attributes(row.attributes),
    events: row.events.map((event) => ({ ...event, time: timeOf(event.time) })),
    links: row.links.map((link) => ({ ...link, traceId: id(link.traceId), spanId: id(link.spanId) }))
  }
}

/** What an app's own HTTP spans say. */
const httpAttributes: Attributes = Object.entries({
  "http.request.method": "GET",
  "server.address": "api.example.org",
  "server.port": 443n,
  "url.full": "https://api.example.org/v2/forecast?place=berlin&days=3",
  "http.response.status_code": 200n
}).map(([key, value]) => ({ key, value }))

const sceneRows = (template: number, scene: number): ReadonlyArray<SpanRow> => {
  const number = template * 64 + scene
  const tool = tools[number % tools.length]!
  const id = `toolu_${markOf(scene)}9Kx${number.toString(36).padStart(5, "0")}`
  const conversation = `talk-${markOf(scene - scene % 5)}`
  const violations = number % 100 === 7
    ? [{
      name: "toolspan.violation",
      at: 42_600,
      attributes: {
        "toolspan.violation.kind": "orphan_result",
        "toolspan.violation.scope": "conversation",
        "toolspan.call.key": id,
        "gen_ai.tool.call.id": id
      }
    }]
    : []
  const rows = scene % 4 === 3
    ? approvedCall(id, { tool, conversation, chatEvents: violations })
    : plainCall(id, {
      tool,
      outcome: number % 10 === 0 ? "failure" : "success",
      values: { "gen_ai.conversation.id": conversation }
    })
  return rows.map((row) => ({
    ...marked(row, scene),
    attributes: row.attributes.length === 0 && /^[a-z]|^GET/.test(row.name)
      ? httpAttributes
      : marked(row, scene).attributes
  }))
}

const resource = (service: string): SpanRow["resource"] => ({
  attributes: Object.entries({
    "service.name": service,
    "service.version": "1.4.2",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.version": "2.3.0",
    "process.runtime.version": "24.21.0",
    "host.name": `${service}-7d9f`
  }).map(([key, value]) => ({ key, value })),
  droppedAttributesCount: 0,
  entityRefs: [],
  schemaUrl: ""
})

const encode = (service: string, rows: ReadonlyArray<SpanRow>): Buffer => {
  const pbf = new PbfWriter()
  pbf.writeMessage(1, (_, resourceSpans) => {
    ProtobufEncoder.resource(resource(service), resourceSpans)
    resourceSpans.writeMessage(2, (_, scopeSpans) => {
      ProtobufEncoder.scope(rows[0]!.scope, scopeSpans)
      for (const row of rows) scopeSpans.writeMessage(2, ProtobufEncoder.span, row)
    }, undefined)
  }, undefined)
  return Buffer.from(pbf.finish())
}

const placesOf = (body: Buffer, wanted: Buffer): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let at = body.indexOf(wanted); at !== -1; at = body.indexOf(wanted, at + wanted.length)) found.push(at)
  return found
}

const makeTemplate = (number: number): Template => {
  const rows: Array<SpanRow> = []
  let scenes = 0
  while (rows.length < requestSpans) rows.push(...sceneRows(number, scenes++))
  const body = encode(services[number % services.length]!, rows)
  const binary = placesOf(body, Buffer.from(mark, "hex")).map((at) => ({ at, scene: body[at + 3]!, text: false }))
  const text = placesOf(body, Buffer.from(mark)).map((at) => ({
    at,
    scene: Number.parseInt(body.toString("latin1", at + 6, at + 8), 16),
    text: true
  }))
  const timeBytes = Buffer.alloc(8)
  timeBytes.writeBigUInt64LE(timeMark)
  const times = placesOf(body, timeBytes.subarray(4)).map((at) => at - 4)
  return { body, ids: [...binary, ...text], times, spans: rows.length, scenes }
}

/** Four bytes that are the same each time for a request and a scene, and else look random. */
const salt = (request: number, scene: number): number => {
  let mixed = (request * 64 + scene + 0x9e3779b9) >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad) >>> 0
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97) >>> 0
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Requests by number. */
export interface Workload {
  /** The body of a request, whose spans begin some seconds around `now` (unix milliseconds). */
  readonly body: (request: number, now: number) => Buffer
  readonly spansOf: (request: number) => number
  /** The id of a call of this request. */
  readonly callId: (request: number, scene: number) => string
  readonly scenesOf: (request: number) => number
}

/** Encodes the templates. */
export const make = (): Workload => {
  const made = Array.from({ length: templates }, (_, number) => makeTemplate(number))
  const of = (request: number): Template => made[request % templates]!
  return {
    spansOf: (request) => of(request).spans,
    scenesOf: (request) => of(request).scenes,
    callId: (request, scene) =>
      `toolu_${salt(request, scene).toString(16).padStart(8, "0")}9Kx${
        (request % templates * 64 + scene).toString(36).padStart(5, "0")
      }`,
    body: (request, now) => {
      const { body, ids, times } = of(request)
      const copy = Buffer.from(body)
      for (const { at, scene, text } of ids) {
        const value = salt(request, scene)
        if (text) copy.write(value.toString(16).padStart(8, "0"), at, "latin1")
        else copy.writeUInt32BE(value, at)
      }
      const base = BigInt(now) * 1_000_000n - 4_000_000_000n
      for (const at of times) copy.writeBigUInt64LE(base + BigInt(copy.readUInt32LE(at)), at)
      return copy
    }
  }
}
