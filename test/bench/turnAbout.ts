/** Runs things turn about in one process, so that what slows the machine slows them all, and keeps the median slice of each. */
import process from "node:process"

/** One thing that is measured: how often it runs in a slice is found out first. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<void>
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, two) => one - two)[values.length >> 1] ?? 0

const measure = async (contestant: Contestant, times: number): Promise<number> => {
  const start = process.threadCpuUsage()
  for (let index = 0; index < times; index++) await contestant.run()
  const { system, user } = process.threadCpuUsage(start)
  return (user + system) / times
}

/**
 * Microseconds of this thread's processor time a run of each contestant, over `rounds` slices of some `sliceMillis` each: what
 * other programs do is not in it, the collector's work on this thread is.
 */
export const turnAbout = async (
  contestants: ReadonlyArray<Contestant>,
  options: { readonly rounds: number; readonly sliceMillis: number }
): Promise<Readonly<Record<string, number>>> => {
  const times = new Map<string, number>()
  for (const contestant of contestants) {
    // Warm: the optimising compiler has seen each path before anything counts.
    await measure(contestant, 300)
    const begun = performance.now()
    await measure(contestant, 100)
    // By the clock: processor time is too coarse for so little.
    const runs = options.sliceMillis / (performance.now() - begun) * 100
    times.set(contestant.name, Math.min(100_000, Math.max(20, Math.round(runs))))
  }
  const samples = new Map<string, Array<number>>(contestants.map((contestant) => [contestant.name, []]))
  for (let round = 0; round < options.rounds; round++) {
    // Another order each round: no contestant always follows the same one.
    const order = contestants.map((_, index) => contestants[(index + round) % contestants.length]!)
    for (const contestant of order) {
      samples.get(contestant.name)?.push(await measure(contestant, times.get(contestant.name) ?? 20))
    }
  }
  return Object.fromEntries(Array.from(samples, ([name, values]) => [name, median(values)]))
}
