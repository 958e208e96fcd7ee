/**
 * Numbers for spans of engines that do not number them: the same span has the same number each time.
 */

/** A number of 48 bits from the ids; two spans of one answer share one about once in 56,000 answers of 100,000 spans. */
export const of = ({ spanId, traceId }: { readonly traceId: string; readonly spanId: string }): number => {
  const text = `${traceId}-${spanId}`
  let high = 0x811c9dc5
  let low = 0x1b873593
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(low ^ code, 0x85ebca6b)
    low ^= low >>> 13
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b)
  low = Math.imul(low ^ (low >>> 16), 0xc2b2ae35)
  return ((high ^ (high >>> 13)) >>> 0) * 0x1_0000 + ((low ^ (low >>> 16)) & 0xffff)
}
