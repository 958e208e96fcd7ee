/**
 * Keeps what is read for one answer to a size that this process can hold, whatever was sent: retention lets a single
 * trace grow to the size of the whole store.
 */
import type { Attributes, AttributeValue, Resource, Scope, SpanRow } from "../otlp/SpanRow.ts"
import { type Capabilities, CannotAnswer } from "./Capability.ts"

/** What the spans of one answer weigh, at most: 128 MiB. */
export const weightAtMost = 128 * 1024 * 1024

const mebibyte = 1024 * 1024

/** What a part of a large trace weighs, but for its last span. */
export const partWeight = 16 * mebibyte

/** What an attribute, an event, a link or another object takes beside its texts, about, in bytes. */
const object = 64

/** What a span takes beside its texts and attributes. */
const emptySpan = 512

const weightOfValue = (value: AttributeValue): number => {
  if (typeof value === "string") return value.length
  if (value === null || typeof value !== "object") return 0
  if (value instanceof Uint8Array) return object + value.byteLength
  if ("entries" in value && !Array.isArray(value)) return object + weightOfAttributes(value.entries as Attributes)
  return (value as ReadonlyArray<AttributeValue>).reduce<number>((sum, one) => sum + 8 + weightOfValue(one), object)
}

const weightOfAttributes = (attributes: Attributes): number => {
  let weight = 0
  for (const { key, value } of attributes) weight += object + key.length + weightOfValue(value)
  return weight
}

const weightOfRow = (row: SpanRow): number => {
  let weight = emptySpan + row.name.length + row.traceState.length + row.status.message.length
    + weightOfAttributes(row.attributes)
  for (const { attributes, name } of row.events) weight += object + name.length + weightOfAttributes(attributes)
  for (const { attributes, traceState } of row.links) {
    weight += 2 * object + traceState.length + weightOfAttributes(attributes)
  }
  return weight
}

/** Counts what one answer holds; each method throws `CannotAnswer` beyond the limit. */
export interface ReadingLimit {
  /** A span that is held; its resource and scope count once. */
  readonly add: (row: SpanRow) => void
  /** What is held, in bytes. */
  readonly weight: () => number
  /** So many other objects. */
  readonly addObjects: (count: number) => void
}

/** The `question` of a refusal that is of this limit. */
const size = "size"

/** Whether it failed because of this limit: less may be answered. */
export const isTooMuch = (error: unknown): boolean => error instanceof CannotAnswer && error.question === size

const tooMuch = (
  { engine }: Capabilities,
  reason: string,
  instead = "Ask for fewer calls at once, or have the app put less into the spans of one trace"
): CannotAnswer =>
  new CannotAnswer({
    engine,
    question: size,
    reason: `${reason}, and an answer is made of ${weightAtMost / mebibyte} MiB of spans at most`,
    instead
  })

/** Fails when the encoded spans of a trace alone are over the limit: then none of them is read. */
export const checkTrace = (capabilities: Capabilities, traceId: string, spans: number, bytes: number): void => {
  if (bytes <= weightAtMost) return
  throw tooMuch(
    capabilities,
    `trace ${traceId} has ${spans} spans with ${Math.ceil(bytes / mebibyte)} MiB`,
    `toolspan export --trace ${traceId} writes it piece by piece. Or have the app put less into the spans of one trace`
  )
}

/** Nothing held yet. Whoever looks at `weight` and stops by it needs no limit besides: `Infinity`. */
export const make = (capabilities: Capabilities, atMost = weightAtMost): ReadingLimit => {
  const shared = new Set<Resource | Scope>()
  let weight = 0
  const take = (more: number): void => {
    weight += more
    if (weight > atMost) {
      throw tooMuch(capabilities, "the spans that were asked for take more memory than this process should use")
    }
  }
  return {
    add: (row) => {
      take(weightOfRow(row))
      for (const one of [row.resource, row.scope]) {
        if (shared.has(one)) continue
        shared.add(one)
        take(object + weightOfAttributes(one.attributes))
      }
    },
    weight: () => weight,
    addObjects: (count) => take(count * 4 * object)
  }
}
