// How many spans an OTLP request has, by walking its lengths: decoding millions of them would be the slowest part.

const lengthDelimited = 2

/** Calls `each` with the bounds of every length-delimited field of this number between `from` and `to`. */
const fields = (
  body: Uint8Array,
  field: number,
  from: number,
  to: number,
  each: (from: number, to: number) => void
) => {
  let at = from
  const varint = (): number => {
    let value = 0
    for (let scale = 1;; scale *= 128) {
      const byte = body[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
  }
  while (at < to) {
    const tag = varint()
    // The messages that are walked through have no other kind of field.
    if ((tag & 7) !== lengthDelimited) throw new Error("not an OTLP trace request")
    const length = varint()
    if (tag >> 3 === field) each(at, at + length)
    at += length
  }
}

/** The number of spans in an `ExportTraceServiceRequest`. */
export const spanCount = (body: Uint8Array): number => {
  let count = 0
  fields(
    body,
    1,
    0,
    body.length,
    (from, to) =>
      fields(body, 2, from, to, (start, end) =>
        fields(body, 2, start, end, () => {
          count++
        }))
  )
  return count
}
