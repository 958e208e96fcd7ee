/** The rules of pairing once more, written to be obvious and not to be fast. */
import type { PlainHistory } from "./PlainHistory.ts"

export interface SlowFault {
  readonly kind: string
  readonly id: string | undefined
  readonly key: string
  readonly message: number
  readonly part: number
}

interface SlowCall {
  readonly id: string | undefined
  name: string
  readonly key: string
  readonly message: number
  readonly part: number
  results: number
}

const hasId = (id: string | undefined): id is string => id !== undefined && id !== ""

const keyOf = (id: string, occurrence: number): string =>
  id.replace(/[%#]|^\?/g, (sign) => encodeURIComponent(sign)) + (occurrence === 1 ? "" : `#${occurrence}`)

/** Every fault of a history without approvals and provider-run calls. `named`: results carry names. */
export const slowFaults = (history: PlainHistory, named: boolean): ReadonlyArray<SlowFault> => {
  const calls: Array<SlowCall> = []
  const faults: Array<SlowFault> = []
  let missing = 0
  history.forEach(({ parts }, message) =>
    parts.forEach((entry, part) => {
      if (entry.kind === "text") return
      const { id } = entry
      const withId = calls.filter((call) => call.id === id)
      if (entry.kind === "call") {
        const key = hasId(id) ? keyOf(id, withId.length + 1) : `?${++missing}`
        calls.push({ id, name: entry.name, key, message, part, results: 0 })
        if (id === undefined) faults.push({ kind: "missing_id", id, key, message, part })
        if (id === "") faults.push({ kind: "empty_id", id, key, message, part })
        if (hasId(id) && withId.length > 0) faults.push({ kind: "duplicate_id", id, key, message, part })
        return
      }
      const free = withId.filter((call) => call.results === 0)
      const latest = Math.max(...free.map((call) => call.message))
      const answered = free.find((call) => call.message === latest) ?? withId.at(-1)
      if (answered === undefined) {
        const key = hasId(id) ? keyOf(id, 1) : `?${++missing}`
        faults.push({ kind: "orphan_result", id, key, message, part })
        return
      }
      if (answered.results++ > 0) faults.push({ kind: "duplicate_result", id, key: answered.key, message, part })
      if (!named || entry.name === "") return
      if (answered.name === "") answered.name = entry.name
      if (answered.name !== entry.name) faults.push({ kind: "renamed_tool", id, key: answered.key, message, part })
    })
  )
  for (const call of calls) {
    const together = calls.filter((one) => one.id === call.id && one.message === call.message)
    if (together[0] !== call || together.some((one) => one.results > 0)) continue
    const { id, key, message, part } = call
    faults.push({ kind: "unanswered_call", id, key, message, part })
  }
  return faults
}
