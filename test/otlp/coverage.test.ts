/**
 * Walks the official descriptors, sends every field that a trace request can have, and looks for it in the stored row.
 * Where the descriptors come from: `message.test.ts`.
 */
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { PbfWriter } from "pbf"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as descriptor from "./descriptor.ts"

const Type = {
  double: 1,
  int64: 3,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  message: 11,
  bytes: 12,
  uint32: 13,
  enum: 14
}

/** From the request down to a field that holds no message. */
type Path = ReadonlyArray<descriptor.Field>

const root = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"

/** Values in values: a message may stand twice on a path. */
const pathsOf = (
  schemas: descriptor.Schemas,
  message: string,
  above: ReadonlyArray<string> = []
): ReadonlyArray<Path> => {
  if (above.filter((name) => name === message).length === 2) return []
  return schemas[message]!.filter(({ name }) => !descriptor.ofProfiles.includes(name)).flatMap((field) =>
    field.type === Type.message
      ? pathsOf(schemas, field.message, [...above, message]).map((rest) => [field, ...rest])
      : [[field]]
  )
}

const nameOf = (of: Path): string => of.map(({ name }) => name).join(".")

/** How long official ids are. */
const idBytes: Readonly<Record<string, number>> = { traceId: 16, spanId: 8, parentSpanId: 8 }

/** A value that no other field has. */
const markOf = (of: Path): string | bigint | number | boolean | Uint8Array => {
  const { name, type } = of.at(-1)!
  switch (type) {
    case Type.string:
      return `mark of ${nameOf(of)}`
    case Type.bytes:
      return Uint8Array.from({ length: idBytes[name] ?? 5 }, (_, index) => 0xe0 + index)
    case Type.fixed64:
    case Type.int64:
      // Beyond 2^53, and exact as a double, which is what this test's encoder takes.
      return 2n ** 60n + 2n ** 10n
    case Type.double:
      return 1.5
    case Type.bool:
      return true
    case Type.enum:
      return 2
    case Type.uint32:
    case Type.fixed32:
      return 3_000_000_001
    default:
      throw new Error(`${nameOf(of)} has the type ${type}, which this test cannot send`)
  }
}

/** A message: its fields, each with the values that are sent. */
type Message = Map<descriptor.Field, Array<unknown>>

const put = (message: Message, of: Path, value: unknown): void => {
  const [field, ...rest] = of
  const values = message.get(field!) ?? []
  message.set(field!, values)
  if (rest.length === 0) {
    values[0] = value
    return
  }
  values[0] ??= new Map()
  put(values[0] as Message, rest, value)
}

const toProtobuf = (message: Message, pbf: PbfWriter): void => {
  for (const [{ number, type }, values] of message) {
    for (const value of values) {
      if (type === Type.message) pbf.writeMessage(number, toProtobuf, value as Message)
      else if (type === Type.string) pbf.writeStringField(number, value as string)
      else if (type === Type.bytes) pbf.writeBytesField(number, value as Uint8Array)
      else if (type === Type.bool) pbf.writeBooleanField(number, value as boolean)
      else if (type === Type.double) pbf.writeDoubleField(number, value as number)
      else if (type === Type.fixed32) pbf.writeFixed32Field(number, value as number)
      else if (type === Type.fixed64) pbf.writeFixed64Field(number, Number(value))
      else pbf.writeVarintField(number, Number(value))
    }
  }
}

const toJson = (message: Message): Record<string, unknown> =>
  Object.fromEntries([...message].map(([{ name, repeated, type }, values]) => {
    const sent = values.map((value) => {
      if (type === Type.message) return toJson(value as Message)
      if (type === Type.bytes) return Buffer.from(value as Uint8Array).toString(name in idBytes ? "hex" : "base64")
      return typeof value === "bigint" ? String(value) : value
    })
    return [name, repeated ? sent : sent[0]]
  }))

const has = (where: unknown, mark: unknown, isId: boolean): boolean => {
  if (mark instanceof Uint8Array) {
    const hex = Buffer.from(mark).toString("hex")
    if (isId ? where === hex : where instanceof Uint8Array && Buffer.from(where).toString("hex") === hex) return true
  } else if (where === mark) return true
  return typeof where === "object" && where !== null && !(where instanceof Uint8Array)
    && Object.values(where).some((inside) => has(inside, mark, isId))
}

describe.skipIf(!descriptor.areThere)("every field of a trace request", () => {
  const schemas: descriptor.Schemas = descriptor.areThere
    ? Object.assign({}, ...descriptor.files.map(descriptor.readSchemas))
    : {}
  const paths = descriptor.areThere ? pathsOf(schemas, root) : []
  const span = ["resourceSpans", "scopeSpans", "spans"]
  const idPaths = paths.filter((of) => [`${span.join(".")}.traceId`, `${span.join(".")}.spanId`].includes(nameOf(of)))

  const requestOf = (of: Path, trace: number): Message => {
    const message: Message = new Map()
    const [traceId, spanId] = idPaths
    put(message, traceId!, Uint8Array.from({ length: 16 }, (_, index) => index === 15 ? trace : 1))
    put(message, spanId!, Uint8Array.from({ length: 8 }, () => 1))
    put(message, of, markOf(of))
    return message
  }

  const body = {
    json: (message: Message) => Buffer.from(JSON.stringify(toJson(message))),
    protobuf: (message: Message) => {
      const pbf = new PbfWriter()
      toProtobuf(message, pbf)
      return pbf.finish()
    }
  }

  it("is found by the walk", () => {
    assert.strictEqual(idPaths.length, 2)
    for (const name of ["traceState", "flags", "links.flags", "events.timeUnixNano", "attributes.value.bytesValue"]) {
      assert.isTrue(paths.some((of) => nameOf(of) === `${span.join(".")}.${name}`), name)
    }
    assert.isAbove(paths.length, 100)
  })

  for (const encoding of ["json", "protobuf"] as const) {
    it.live(`is in the row that was stored, sent as ${encoding}`, () =>
      Effect.gen(function*() {
        const folder = yield* temporaryFolder
        const store = yield* SqliteStore.make({ path: path.join(folder, "spans.db") })
        const lost: Array<string> = []
        for (const [index, of] of paths.entries()) {
          const bytes = body[encoding](requestOf(of, index % 200 + 1))
          const { rows } = Result.getOrThrow(TraceRequest.decode(bytes, encoding))
          const row: SpanRow = rows[0]!
          yield* store.append(rows)
          const stored = yield* store.span({ traceId: row.traceId, spanId: row.spanId })
          if (!has(stored?.row, markOf(of), of.at(-1)!.name in idBytes)) lost.push(nameOf(of))
        }
        assert.deepStrictEqual(lost, [])
      }), 30_000)
  }
})
