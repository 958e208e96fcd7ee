/**
 * Sends mutated requests through the decoder: none may throw, take long, or leave something behind.
 *
 * `node --expose-gc test/otlp/fuzz.ts [requests] [seed]` runs a million, prints the result as JSON, and ends with 1 when the
 * heap has grown.
 */
import process from "node:process"
import { gzipSync } from "node:zlib"
import * as Result from "effect/Result"
import fc from "fast-check"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as TraceRequest from "../../src/otlp/TraceRequest.ts"
import * as arbitrary from "./arbitrary.ts"
import * as body from "./body.ts"

/** What a run saw. */
export interface Outcome {
  readonly requests: number
  readonly seed: number
  readonly decoded: number
  readonly refusedWhole: number
  readonly rows: number
  /** Spans that were refused in requests that were taken. */
  readonly refused: number
  readonly slowestMillis: number
  /** Heap after a tenth of the run and at its end, in bytes; only with `--expose-gc`. */
  readonly heap: readonly [number, number] | undefined
}

/** A small generator of numbers (mulberry32), so that a seed names a run. */
const generator = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

type Random = ReturnType<typeof generator>

/** What decoders stumble over: brackets, escapes, numbers at limits; varints that are long, lengths that lie, groups. */
const pieces: Readonly<Record<TraceRequest.Encoding, ReadonlyArray<Buffer>>> = {
  json: [
    "[[[[[[[[",
    "]]]]",
    "{\"a\":",
    "}}}}",
    "\"",
    "\\",
    "\\u0000",
    "\\ud800",
    "\\udc00",
    "null",
    "true",
    "1e999",
    "-0",
    "123456789012345678901234567890",
    "-9223372036854775809",
    "18446744073709551616",
    "\"\"",
    ",",
    ":",
    "\0",
    "\u{feff}",
    "\"__proto__\":",
    "\"constructor\":",
    "\"stringValue\":",
    "\"arrayValue\":{\"values\":[",
    "\"kvlistValue\":{}",
    "\"intValue\":\"\"",
    "\"intValue\":\"1e3\"",
    "\"doubleValue\":\"NaN\"",
    "\"bytesValue\":\"=\"",
    "\"spans\":[{}]",
    "\"kind\":\"SPAN_KIND_NONE\"",
    "\"startTimeUnixNano\":-1",
    "\u202e",
    "[0".repeat(600),
    " ".repeat(2_000)
  ].map((text) => Buffer.from(text)),
  protobuf: [
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x80, 0x80, 0x80, 0x80, 0x00],
    [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0x0a, 0x00],
    [0x0a, 0x7f],
    [0x0b, 0x0c],
    [0x0b],
    [0x0c],
    [0x0e],
    [0x07],
    [0x00],
    [0x12, 0x80, 0x80, 0x80, 0x80, 0x08],
    [0x39, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0xc0, 0xaf, 0xed, 0xa0, 0x80, 0xf8],
    Array.from({ length: 300 }, () => 0x2a)
  ].map((bytes) => Buffer.from(bytes))
}

/** Values that stand where another kind may be expected; the body stays JSON. */
const values = [
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "1.5",
  "\"\"",
  "\"x\"",
  "\"5\"",
  "\"-1\"",
  "\"SPAN_KIND_SERVER\"",
  "\"\\ud800\"",
  "[]",
  "{}",
  "[{}]",
  "[null]",
  "{\"values\":[{}]}",
  "{\"stringValue\":\"s\"}",
  "\"18446744073709551615\"",
  "123456789012345678901234567890"
].map((text) => Buffer.from(text))

/** Replaces the value after a colon at or behind this place. */
const replaceValue = (random: Random, json: Buffer, from: number): Buffer => {
  const colon = json.indexOf(":", from)
  if (colon < 0) return json
  let end = colon + 1
  if (json[end] === 0x22) end = json.indexOf("\"", end + 1) + 1
  else while (end < json.length && !",]}".includes(String.fromCharCode(json[end]!))) end++
  return Buffer.concat([
    json.subarray(0, colon + 1),
    values[random(values.length)]!,
    json.subarray(Math.max(end, colon + 1))
  ])
}

const mutate = (random: Random, bodies: ReadonlyArray<Buffer>, encoding: TraceRequest.Encoding): Buffer => {
  let now = bodies[random(bodies.length)]!
  for (let changes = random(3) === 0 ? 1 + random(6) : 1; changes > 0; changes--) {
    const at = random(now.length + 1)
    const before = now.subarray(0, at)
    const after = now.subarray(at)
    const kind = random(encoding === "json" ? 12 : 7)
    if (kind === 0) {
      now = Buffer.from(now)
      if (at < now.length) now[at] = random(256)
    } else if (kind === 1) {
      now = Buffer.from(now)
      if (at < now.length) now[at] = now[at]! ^ (1 << random(8))
    } else if (kind === 2) now = Buffer.concat([before, after.subarray(random(40))])
    else if (kind === 3) now = Buffer.concat([before, pieces[encoding][random(pieces[encoding].length)]!, after])
    else if (kind === 4) now = Buffer.concat([before, after.subarray(0, random(200)), after])
    else if (kind === 5) {
      const other = bodies[random(bodies.length)]!
      now = Buffer.concat([before, other.subarray(random(other.length))])
    } else if (kind === 6) now = before
    else now = replaceValue(random, now, at)
  }
  return now
}

const ids = { trace: /^[0-9a-f]{32}$/, span: /^[0-9a-f]{16}$/ }

const check = (row: SpanRow): void => {
  if (!ids.trace.test(row.traceId) || !ids.span.test(row.spanId)) throw new Error("a row without whole ids")
  if (row.start < 0n || row.end < 0n) throw new Error("a time before 1970")
  if (!row.name.isWellFormed() || !row.status.message.isWellFormed()) throw new Error("text that is not Unicode")
}

/** Runs so many requests; throws at the first that breaks a promise, with what it takes to see it again. */
export const fuzz = (
  options: { readonly requests: number; readonly seed: number; readonly within: number }
): Outcome => {
  const { requests, seed, within } = options
  const random = generator(seed)
  const rows = fc.sample(arbitrary.span, { seed, numRuns: 100 })
  const bodies = {
    json: [...rows.map((row) => Buffer.from(JSON.stringify(body.json(row)))), Buffer.from("{}"), Buffer.from("")],
    protobuf: [...rows.map((row) => Buffer.from(body.protobuf(row))), Buffer.from("")]
  }
  const collect = (globalThis as { readonly gc?: () => void }).gc
  const heapNow = () => {
    collect?.()
    return process.memoryUsage().heapUsed
  }
  let early = 0
  const seen = { decoded: 0, refusedWhole: 0, rows: 0, refused: 0, slowestMillis: 0 }
  for (let number = 0; number < requests; number++) {
    if (number === Math.floor(requests / 10)) early = heapNow()
    const encoding = random(2) === 0 ? "json" : "protobuf"
    const bytes = mutate(random, bodies[encoding], encoding)
    const began = performance.now()
    try {
      const result = TraceRequest.decode(bytes, encoding)
      if (Result.isFailure(result)) {
        seen.refusedWhole++
        if (result.failure.message === "" || result.failure.message.length > 1_000) throw new Error("a poor reason")
      } else {
        seen.decoded++
        seen.rows += result.success.rows.length
        seen.refused += result.success.refused
        const told = result.success.reasons.join("; ")
        if ((told === "") !== (result.success.refused === 0) || told.length > 5_000) throw new Error("poor reasons")
        for (const row of result.success.rows) check(row)
      }
    } catch (cause) {
      const again = gzipSync(bytes).toString("base64")
      throw new Error(`request ${number} of seed ${seed}, ${encoding}, gzip and base64: ${again}`, { cause })
    }
    const millis = performance.now() - began
    seen.slowestMillis = Math.max(seen.slowestMillis, millis)
    if (millis > within) throw new Error(`request ${number} of seed ${seed} took ${millis} ms`)
  }
  return { requests, seed, ...seen, heap: collect && [early, heapNow()] }
}

/** Bytes by which compiled code and the like let the heap grow; a byte that each request leaves would be more in a million. */
const growsAtMost = 900_000

if (process.argv[1] === import.meta.filename) {
  const [, , requests = "1000000", seed = "1"] = process.argv
  const began = performance.now()
  const outcome = fuzz({ requests: Number(requests), seed: Number(seed), within: 1_000 })
  const [early, late] = outcome.heap ?? [0, 0]
  if (late - early > growsAtMost) process.exitCode = 1
  process.stdout.write(`${JSON.stringify({ ...outcome, seconds: Math.round((performance.now() - began) / 1000) })}\n`)
}
