/** Content as text: JSON, capped, with a marker for whatever JSON cannot say. */
import type { ContentPlace, ContentSettings } from "../settings/settings.ts"

/** A value as it is written: the text, whether it was cut, and the size of the whole in bytes. */
export interface ContentText {
  readonly text: string
  readonly truncated: boolean
  readonly bytes: number
}

const removed = "[redacted]"

/** Deeper values overflow the stack of the serialiser; no tool's arguments come near. */
const maximumDepth = 256

const encoder = new TextEncoder()

const isView = (value: object): value is ArrayBufferView | ArrayBuffer =>
  ArrayBuffer.isView(value) || value instanceof ArrayBuffer

/** What a walk over one value keeps in mind: what stands for a missing leaf, and how many nodes it may still visit. */
interface Walk {
  readonly missing: string
  nodes: number
}

/** An object that holds another twice is written twice: without a limit thirty such levels are a thousand million nodes. */
const maximumNodes = 4_000_000

/** The same value with JSON leaves only: a cycle, a function or a throwing getter costs its own leaf, nothing more. */
const jsonLike = (value: unknown, ancestors: Array<object>, walk: Walk): unknown => {
  if (value === null) return null
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : `[${value}]`
    case "bigint":
      return value.toString()
    case "undefined":
      return walk.missing
    case "function":
    case "symbol":
      return `[${typeof value}]`
    case "object":
      return ofObject(value, ancestors, walk)
  }
}

const ofObject = (value: object, ancestors: Array<object>, walk: Walk): unknown => {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString()
  if (isView(value)) return `[${value.constructor.name} ${value.byteLength} bytes]`
  if (ancestors.includes(value)) return "[circular]"
  if (ancestors.length >= maximumDepth) return "[too deep]"
  if (--walk.nodes < 0) return "[too large]"
  ancestors.push(value)
  const result = inside(value, ancestors, walk)
  ancestors.pop()
  return result
}

const read = (value: object, key: string | number, ancestors: Array<object>, walk: Walk): unknown => {
  const depth = ancestors.length
  try {
    return jsonLike((value as Record<string | number, unknown>)[key], ancestors, walk)
  } catch {
    ancestors.length = depth
    return "[unreadable]"
  }
}

const toJsonOf = (value: object): (() => unknown) | undefined => {
  try {
    const toJson = (value as { readonly toJSON?: unknown }).toJSON
    return typeof toJson === "function" ? toJson as () => unknown : undefined
  } catch {
    return undefined
  }
}

const inside = (value: object, ancestors: Array<object>, walk: Walk): unknown => {
  if (Array.isArray(value)) return value.map((_, index) => read(value, index, ancestors, walk))
  if (value instanceof Map) return Array.from(value, (entry) => jsonLike(entry, ancestors, walk))
  if (value instanceof Set) return Array.from(value, (item) => jsonLike(item, ancestors, walk))
  const toJson = toJsonOf(value)
  if (toJson !== undefined) {
    const told: unknown = toJson.call(value)
    if (told !== value) return jsonLike(told, ancestors, walk)
  }
  const entries: Record<string, unknown> = Object.create(null)
  if (value instanceof Error) entries["message"] = read(value, "message", ancestors, walk)
  for (const key of Object.keys(value)) entries[key] = read(value, key, ancestors, walk)
  return entries
}

/** The longest prefix of at most `maxBytes` UTF-8 bytes that cuts no character in two. */
const cut = (text: string, maxBytes: number): string => {
  const buffer = new Uint8Array(Math.max(0, maxBytes))
  return text.slice(0, encoder.encodeInto(text, buffer).read)
}

const byteLength = (text: string): number => {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    // A surrogate pair is four bytes: the first of its two code units counts for both.
    if (code >= 0xd800 && code < 0xdc00) index++
    bytes += code < 0x800 ? 1 : 2
  }
  return bytes
}

const serialise = (value: unknown, missing: string): string => {
  try {
    return JSON.stringify(jsonLike(value, [], { missing, nodes: maximumNodes }))
  } catch {
    return "\"[unreadable]\""
  }
}

/**
 * A content value as the settings allow it to be written.
 *
 * The redactor sees the value first; what it removes, and a value on which it throws, becomes `[redacted]`.
 */
export const make = (value: unknown, settings: ContentSettings, place: ContentPlace): ContentText =>
  written(value, settings, place, (kept) => serialise(kept, settings.redact === undefined ? "[undefined]" : removed))

/** The same for a text that was to be JSON: it is written as it stands, unless the redactor makes something else of it. */
export const ofText = (text: string, settings: ContentSettings, place: ContentPlace): ContentText =>
  written(text, settings, place, (kept) => typeof kept === "string" ? kept : serialise(kept, removed))

const written = (
  value: unknown,
  settings: ContentSettings,
  place: ContentPlace,
  write: (kept: unknown) => string
): ContentText => {
  let kept = value
  if (settings.redact !== undefined) {
    try {
      kept = settings.redact(value, place)
    } catch {
      kept = undefined
    }
    if (kept === undefined) return { text: removed, truncated: false, bytes: removed.length }
  }
  const text = write(kept)
  const bytes = byteLength(text)
  return bytes <= settings.maxBytes
    ? { text, truncated: false, bytes }
    : { text: cut(text, settings.maxBytes), truncated: true, bytes }
}
