/**
 * Writes text to protobuf. `pbf` (5.1) writes characters of planes 2, 4, 5, … as others: its surrogate arithmetic
 * ors where it must add.
 */
import type { PbfWriter } from "pbf"

const encoder = new TextEncoder()

/** Up to here a loop over ASCII is faster than the encoder. */
const short = 32

/** Writes the length and the UTF-8 bytes of a text, after its tag. */
export const write = (pbf: PbfWriter, value: string): void => {
  const length = value.length
  if (length <= short) {
    pbf.realloc(length + 1)
    const start = pbf.pos + 1
    let at = 0
    for (; at < length; at++) {
      const code = value.charCodeAt(at)
      if (code > 0x7f) break
      pbf.buf[start + at] = code
    }
    if (at === length) {
      pbf.buf[pbf.pos] = length
      pbf.pos = start + length
      return
    }
  }
  const bytes = Buffer.byteLength(value)
  pbf.writeVarint(bytes)
  pbf.realloc(bytes)
  encoder.encodeInto(value, pbf.buf.subarray(pbf.pos, pbf.pos + bytes))
  pbf.pos += bytes
}
