/**
 * Reads the message descriptors that the Python package `opentelemetry-proto` carries as text.
 */
import * as fs from "node:fs"
import { PbfReader } from "pbf"

/** A message's fields, or an enum's values, by name. */
export type Numbers = Record<string, number>

const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, "\\": 92, "'": 39, "\"": 34 }

/** The bytes of a Python bytes literal's inside. */
const bytesOf = (literal: string): Uint8Array => {
  const bytes: Array<number> = []
  const pattern = /\\x([0-9a-f]{2})|\\([0-7]{3})|\\(.)|([^\\])/gs
  for (const [, hex, octal, escape, plain] of literal.matchAll(pattern)) {
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (escape !== undefined) bytes.push(escapes[escape]!)
    else bytes.push(plain!.charCodeAt(0))
  }
  return Uint8Array.from(bytes)
}

const camel = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** Reads `{ name = 1; number = 3 }` (a field) or `{ name = 1; number = 2 }` (an enum's value). */
const readNumbered = (pbf: PbfReader, numberField: number): readonly [string, number] => {
  const found = { name: "", number: 0 }
  pbf.readMessage((field, target) => {
    if (field === 1) target.name = pbf.readString()
    else if (field === numberField) target.number = pbf.readVarint()
  }, found)
  return [found.name, found.number]
}

interface Found {
  name: string
  readonly fields: Numbers
  readonly inside: Record<string, Numbers>
}

const readEnum = (pbf: PbfReader): Found =>
  pbf.readMessage<Found>((field, target) => {
    if (field === 1) target.name = pbf.readString()
    else if (field === 2) {
      const [name, number] = readNumbered(pbf, 2)
      target.fields[name] = number
    }
  }, { name: "", fields: {}, inside: {} })

const put = (into: Record<string, Numbers>, found: Found, prefix: string): void => {
  into[prefix + found.name] = found.fields
  for (const [name, numbers] of Object.entries(found.inside)) into[`${prefix}${found.name}.${name}`] = numbers
}

const readMessage = (pbf: PbfReader): Found =>
  pbf.readMessage<Found>((field, target) => {
    if (field === 1) target.name = pbf.readString()
    else if (field === 2) {
      const [name, number] = readNumbered(pbf, 3)
      target.fields[camel(name)] = number
    } else if (field === 3) put(target.inside, readMessage(pbf), "")
    else if (field === 4) put(target.inside, readEnum(pbf), "")
  }, { name: "", fields: {}, inside: {} })

/** Where the official descriptors are, when they are. */
export const folder = new URL("../../.cache/opentelemetry-proto/opentelemetry/proto/", import.meta.url).pathname

/** The modules of the trace messages. */
export const files = ["common/v1/common", "resource/v1/resource", "trace/v1/trace", "collector/trace/v1/trace_service"]
  .map((file) => `${folder}${file}_pb2.py`)

/** Whether they are there. A run that writes a report is CI's, and must not pass without them. */
export const areThere = fs.existsSync(folder) || process.env["CI"] !== undefined
  || process.env["TOOLSPAN_TEST_REPORT"] !== undefined

/** Fields that only the profiles signal may use. */
export const ofProfiles = ["stringValueStrindex", "keyStrindex"]

const literalOf = (file: string): string => /AddSerializedFile\(b'(.*)'\)/.exec(fs.readFileSync(file, "utf8"))![1]!

/** Every message and enum of a generated module, by its name with the package before it. */
export const read = (file: string): Record<string, Numbers> => {
  const pbf = new PbfReader(bytesOf(literalOf(file)))
  const all: Record<string, Numbers> = {}
  let prefix = ""
  pbf.readFields((field) => {
    if (field === 2) prefix = `${pbf.readString()}.`
    else if (field === 4) put(all, readMessage(pbf), prefix)
    else if (field === 5) put(all, readEnum(pbf), prefix)
  }, null)
  return all
}

/** How a field is sent: `type` is protobuf's number for it, `message` the name of the message that it holds. */
export interface Field {
  name: string
  number: number
  type: number
  repeated: boolean
  message: string
}

/** The fields of messages, by the message's full name. */
export type Schemas = Record<string, ReadonlyArray<Field>>

const readField = (pbf: PbfReader): Field =>
  pbf.readMessage<Field>((field, target) => {
    if (field === 1) target.name = camel(pbf.readString())
    else if (field === 3) target.number = pbf.readVarint()
    else if (field === 4) target.repeated = pbf.readVarint() === 3
    else if (field === 5) target.type = pbf.readVarint()
    else if (field === 6) target.message = pbf.readString().slice(1)
  }, { name: "", number: 0, type: 0, repeated: false, message: "" })

const readSchema = (pbf: PbfReader, into: Schemas, prefix: string): void => {
  const found = { name: "", fields: [] as Array<Field> }
  // A message's name comes before what is in it.
  pbf.readMessage((field, target) => {
    if (field === 1) target.name = prefix + pbf.readString()
    else if (field === 2) target.fields.push(readField(pbf))
    else if (field === 3) readSchema(pbf, into, `${target.name}.`)
  }, found)
  into[found.name] = found.fields
}

/** Every message of a generated module with its fields. */
export const readSchemas = (file: string): Schemas => {
  const pbf = new PbfReader(bytesOf(literalOf(file)))
  const all: Schemas = {}
  let prefix = ""
  pbf.readFields((field) => {
    if (field === 2) prefix = `${pbf.readString()}.`
    else if (field === 4) readSchema(pbf, all, prefix)
  }, null)
  return all
}
