/** Asks a receiver over HTTP, as the page does, and keeps how long each kind of answer takes. */
import type { Workload } from "./workload.ts"

/** Milliseconds: the median, and the slowest but a twentieth. */
export interface Millis {
  readonly median: number
  readonly p95: number
}

const kinds = ["find", "story", "filtered", "rare", "text"] as const

const times = 100

const tools = 40

const millis = (values: ReadonlyArray<number>): Millis => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? NaN).toFixed(2))
  return { median: at(0.5), p95: at(0.95) }
}

/** The same calls in the same order each time; requests up to `requests` have been sent. */
export const ask = async (
  url: string,
  workload: Workload,
  requests: number
): Promise<Readonly<Record<typeof kinds[number], Millis>>> => {
  const found = new Map<string, Array<number>>(kinds.map((kind) => [kind, []]))
  for (let index = 0; index < times; index++) {
    const request = Math.floor(requests * ((index * 0.618) % 1))
    const id = workload.callId(request, index % workload.scenesOf(request))
    const asked: Readonly<Record<typeof kinds[number], string>> = {
      find: `find=${id}`,
      story: `story=${id}`,
      filtered: `tool=tool_${index % tools}&state=not_required`,
      rare: `tool=tool_${index % tools}&outcome=failure`,
      text: `q=${id.slice(0, 10)}`
    }
    for (const kind of kinds) {
      const begun = performance.now()
      const answer = await fetch(`${url}/ask?${asked[kind]}`).then((response) => response.text())
      found.get(kind)?.push(performance.now() - begun)
      if ((kind === "find" || kind === "story") && answer !== "1") throw new Error(`${kind} ${id} found ${answer}`)
    }
  }
  return Object.fromEntries(kinds.map((kind) => [kind, millis(found.get(kind) ?? [])])) as Record<
    typeof kinds[number],
    Millis
  >
}
