/**
 * How much one request may hold beyond its bytes.
 */
import { Excess } from "./Fault.ts"

/**
 * Objects (spans, attributes, values, events, links) in one request. An empty one takes 2 bytes on the wire and about
 * 56 in memory: 64 MiB of them would be 1.9 GB. Ordinary spans of 64 MiB hold about 3 million.
 */
export const maximumValues = 4_000_000

/** What is thrown beyond that. */
export const tooMany = (): Excess => new Excess(maximumValues, "spans, attributes, events and links")

/** Attribute values inside attribute values. Official parsers stop at 100 messages, two for each level. */
export const maximumDepth = 50

/**
 * Commas and opening brackets in a JSON body, which hold its values apart: each can cost 150 bytes of memory and 2 µs. An
 * attribute has four of them, so they are enough for 20 MiB of spans with nothing but short attributes.
 */
export const maximumJsonValues = 2_000_000

/** The same where a number is longer than a double holds: to read it exactly takes three times as much of both. */
export const maximumExactJsonValues = 500_000

/** Names of fields in a JSON body: each one that is new can cost 600 bytes, and OTLP has some 40. */
export const maximumJsonNames = 10_000

/** Brackets inside brackets in a JSON body: deep ones cost about 56 bytes of memory for each byte. */
export const maximumJsonDepth = 500
