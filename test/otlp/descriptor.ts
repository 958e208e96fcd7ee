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

/** Every message and enum of a generated module, by its name with the package before it. */
export const read = (file: string): Record<string, Numbers> => {
  const literal = /AddSerializedFile\(b'(.*)'\)/.exec(fs.readFileSync(file, "utf8"))![1]!
  const pbf = new PbfReader(bytesOf(literal))
  const all: Record<string, Numbers> = {}
  let prefix = ""
  pbf.readFields((field) => {
    if (field === 2) prefix = `${pbf.readString()}.`
    else if (field === 4) put(all, readMessage(pbf), prefix)
    else if (field === 5) put(all, readEnum(pbf), prefix)
  }, null)
  return all
}
