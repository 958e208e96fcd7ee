/** Which spans of a request are refused, and why: counted without end, told with an end. */

/** Reasons that are told apart; how many spans there are of others is told too. */
const reasonsAtMost = 10

/** Places of spans that are told for one reason. */
const placesAtMost = 10

interface Refused {
  count: number
  readonly places: Array<number>
}

/** What is refused of one request. */
export interface Refusals {
  /** Refuses the span at this place, counted from 1 in the order of the request. */
  readonly add: (reason: string, place: number) => void
  readonly count: () => number
  /** Each reason with the places of its spans: `trace id is all zero (spans 2, 5 and 40 more)`. */
  readonly reasons: () => ReadonlyArray<string>
}

const told = (reason: string, { count, places }: Refused): string => {
  const more = count - places.length
  return `${reason} (${count === 1 ? "span" : "spans"} ${places.join(", ")}${more === 0 ? "" : ` and ${more} more`})`
}

/** None yet. */
export const make = (): Refusals => {
  const refused = new Map<string, Refused>()
  let count = 0
  let others = 0
  return {
    add: (reason, place) => {
      count++
      const known = refused.get(reason)
      if (known !== undefined) {
        known.count++
        if (known.places.length < placesAtMost) known.places.push(place)
      } else if (refused.size < reasonsAtMost) refused.set(reason, { count: 1, places: [place] })
      else others++
    },
    count: () => count,
    reasons: () => [
      ...[...refused].map(([reason, spans]) => told(reason, spans)),
      ...(others === 0 ? [] : [`other reasons (${others} more)`])
    ]
  }
}
