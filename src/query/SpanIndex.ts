/** Spans by identity and by parent, to walk a trace up and down. */
import * as Attribute from "../semconv/attribute.ts"
import type { SpanAddress } from "../store/TraceReader.ts"
import { byTime } from "./CallGroup.ts"
import * as Reading from "./SpanReading.ts"

/** Spans by identity and by parent. */
export interface SpanIndex {
  readonly get: (address: SpanAddress) => Reading.SpanRow | undefined
  readonly children: (address: SpanAddress) => ReadonlyArray<Reading.SpanRow>
  readonly all: () => Iterable<Reading.SpanRow>
}

/** An index of these rows; of two rows of one span the first counts. */
export const make = (rows: Iterable<Reading.SpanRow>): SpanIndex => {
  const byAddress = new Map<string, Reading.SpanRow>()
  const byParent = new Map<string, Array<Reading.SpanRow>>()
  for (const row of rows) {
    const address = Reading.addressText(row)
    if (byAddress.has(address)) continue
    byAddress.set(address, row)
    const parent = Reading.parentOf(row)
    if (parent === undefined) continue
    const siblings = byParent.get(Reading.addressText(parent))
    if (siblings === undefined) byParent.set(Reading.addressText(parent), [row])
    else siblings.push(row)
  }
  for (const siblings of byParent.values()) siblings.sort(byTime)
  return {
    get: (address) => byAddress.get(Reading.addressText(address)),
    children: (address) => byParent.get(Reading.addressText(address)) ?? [],
    all: () => byAddress.values()
  }
}

/** The span's ancestors, the nearest first; a trace whose parents run in a circle ends where it would repeat. */
export const ancestors = (spans: SpanIndex, row: Reading.SpanRow): ReadonlyArray<Reading.SpanRow> => {
  const found: Array<Reading.SpanRow> = []
  const seen = new Set([Reading.addressText(row)])
  for (let next = parentRow(spans, row); next !== undefined; next = parentRow(spans, next)) {
    if (seen.has(Reading.addressText(next))) break
    seen.add(Reading.addressText(next))
    found.push(next)
  }
  return found
}

const parentRow = (spans: SpanIndex, row: Reading.SpanRow) => {
  const parent = Reading.parentOf(row)
  return parent === undefined ? undefined : spans.get(parent)
}

/** All spans below this one, in tree order, `limit` at most. */
export const descendants = (spans: SpanIndex, row: Reading.SpanRow, limit: number): ReadonlyArray<Reading.SpanRow> => {
  const found: Array<Reading.SpanRow> = []
  const seen = new Set([Reading.addressText(row)])
  const waiting = spans.children(row).toReversed()
  for (let next = waiting.pop(); next !== undefined && found.length < limit; next = waiting.pop()) {
    if (seen.has(Reading.addressText(next))) continue
    seen.add(Reading.addressText(next))
    found.push(next)
    for (const child of spans.children(next).toReversed()) waiting.push(child)
  }
  return found
}

/** The provider request that a span belongs to: itself or its nearest ancestor that is one. */
export const chatOf = (spans: SpanIndex, row: Reading.SpanRow): Reading.SpanRow | undefined =>
  [row, ...ancestors(spans, row)].find(Reading.isChat)

/** The turn that a span belongs to: itself or its nearest ancestor that is one. */
export const turnOf = (spans: SpanIndex, row: Reading.SpanRow): Reading.SpanRow | undefined =>
  [row, ...ancestors(spans, row)].find(Reading.isTurn)

/** The model that was asked by the provider request, else by the turn, that a span belongs to. */
export const modelOf = (spans: SpanIndex, row: Reading.SpanRow): string | undefined => {
  for (const place of [chatOf(spans, row), turnOf(spans, row)]) {
    const model = place && (Reading.text(place.attributes, Attribute.genAiRequestModel)
      ?? Reading.text(place.attributes, Attribute.genAiResponseModel))
    if (model !== undefined) return model
  }
  return undefined
}
