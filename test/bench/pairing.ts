// How long the checker takes for 100,000 messages, and how that grows from 10,000.
import process from "node:process"
import { check } from "../../src/pairing/Check.ts"
import { histories } from "../pairing/histories.ts"

const best = (history: ReadonlyArray<object>): number => {
  let least = Infinity
  for (let run = 0; run < 7; run++) {
    const start = performance.now()
    check(history)
    least = Math.min(least, performance.now() - start)
  }
  return least
}

/** Measures, and prints one line a history, or one JSON object. */
export const main = (json: boolean): Promise<void> => {
  const figures = Object.entries(histories).map(([name, make]) => {
    const small = make(10_000)
    check(small)
    const millis = best(make(100_000))
    return { name, millis, timesTheTenth: millis / best(small) }
  })
  const slowest = Math.max(...figures.map((figure) => figure.millis))
  process.stdout.write(
    json
      ? `${JSON.stringify({ slowestMillis: slowest, figures })}\n`
      : figures.map(({ millis, name, timesTheTenth }) =>
        `${millis.toFixed(0).padStart(5)} ms, ${timesTheTenth.toFixed(1)} × a tenth of it: 100,000 messages ${name}\n`
      ).join("")
  )
  return Promise.resolve()
}
