/** What travels with a call to another process: the spans that later ones link to, and when approval was asked. */
import * as Tracer from "effect/Tracer"

/** Under this key a call's carrier stands in its part's `metadata` and, in a history, in its `options`. */
export const field = "toolspan"

/** The carrier of a call, version 1. Completed in place when approval is asked. */
export interface Carrier {
  readonly v: 1
  /** W3C `traceparent` of the decision. */
  readonly decided: string
  /** W3C `traceparent` of the approval request. */
  asked?: string
  /** Milliseconds since the epoch. */
  askedAt?: number
}

/** A carrier that was read: spans of another process, perhaps of this one before it was started anew. */
export interface Carried {
  readonly decided: Tracer.AnySpan
  readonly asked: Tracer.AnySpan | undefined
  /** Nanoseconds since the epoch. */
  readonly askedAt: bigint | undefined
}

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span as a W3C `traceparent`. */
export const write = (span: Tracer.AnySpan): string => `00-${span.traceId}-${span.spanId}-${span.sampled ? "01" : "00"}`

const read = (value: unknown): Tracer.AnySpan | undefined => {
  const match = typeof value === "string" ? traceparent.exec(value) : null
  if (match === null || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return undefined
  return Tracer.externalSpan({
    traceId: match[1]!,
    spanId: match[2]!,
    sampled: (Number.parseInt(match[3]!, 16) & 1) === 1
  })
}

/** How a carrier is judged: the time now, and how old one may be. */
export interface Age {
  readonly nowMillis: number
  readonly ttlMillis: number
}

/**
 * Reads a carrier; `undefined` when it is broken, of another version, from the future or older than the limit.
 *
 * A carrier without a time has no age: no approval was asked, or by a program that switched timing off.
 */
export const parse = (value: unknown, age: Age): Carried | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  const carrier = value as Record<string, unknown>
  const decided = read(carrier["decided"])
  if (carrier["v"] !== 1 || decided === undefined) return undefined
  if (carrier["asked"] === undefined && carrier["askedAt"] === undefined) {
    return { decided, asked: undefined, askedAt: undefined }
  }
  const asked = read(carrier["asked"])
  const askedAt = carrier["askedAt"]
  if (asked !== undefined && askedAt === undefined) return { decided, asked, askedAt }
  if (asked === undefined || typeof askedAt !== "number" || !Number.isFinite(askedAt)) return undefined
  if (askedAt > age.nowMillis || askedAt < age.nowMillis - age.ttlMillis) return undefined
  return { decided, asked, askedAt: BigInt(Math.trunc(askedAt)) * 1_000_000n }
}
