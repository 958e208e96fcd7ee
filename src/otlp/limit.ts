/**
 * How much one request may hold beyond its bytes.
 */

/**
 * Objects (spans, attributes, values, events, links) in one request. An empty one takes 2 bytes on the wire and about
 * 56 in memory: 64 MiB of them would be 1.9 GB. Ordinary spans of 64 MiB hold about 3 million.
 */
export const maximumValues = 4_000_000

/** Attribute values inside attribute values. Official parsers stop at 100 messages, two for each level. */
export const maximumDepth = 50

/** Brackets inside brackets in a JSON body: deep ones cost about 56 bytes of memory for each byte. */
export const maximumJsonDepth = 500
