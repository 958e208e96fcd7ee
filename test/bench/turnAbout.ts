/** Runs things turn about in one process, so that what slows the machine slows them all, and keeps a little disturbed slice of each. */
import process from "node:process"

/** One thing that is measured: how often it runs in a slice is found out first. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<void>
}

/** A slice of the best fifth: garbage collection is in it, and what else the machine does only ever adds, to processor time a little, to the clock a lot. */
const littleDisturbed = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, two) => one - two)[Math.floor(values.length / 5)] ?? 0

const measure = async (contestant: Contestant, times: number): Promise<number> => {
  const start = process.cpuUsage()
  for (let index = 0; index < times; index++) await contestant.run()
  const { system, user } = process.cpuUsage(start)
  return (user + system) / times
}

/** Microseconds of processor time, garbage collection included, a run of each contestant, over `rounds` slices of some `sliceMillis` each. */
export const turnAbout = async (
  contestants: ReadonlyArray<Contestant>,
  options: { readonly rounds: number; readonly sliceMillis: number }
): Promise<Readonly<Record<string, number>>> => {
  const times = new Map<string, number>()
  for (const contestant of contestants) {
    // Warm: the optimising compiler has seen each path before anything counts.
    await measure(contestant, 300)
    const micros = await measure(contestant, 100)
    times.set(contestant.name, Math.max(20, Math.round(options.sliceMillis * 1000 / micros)))
  }
  const samples = new Map<string, Array<number>>(contestants.map((contestant) => [contestant.name, []]))
  for (let round = 0; round < options.rounds; round++) {
    // Another order each round: no contestant always follows the same one.
    const order = contestants.map((_, index) => contestants[(index + round) % contestants.length]!)
    for (const contestant of order) {
      samples.get(contestant.name)?.push(await measure(contestant, times.get(contestant.name) ?? 20))
    }
  }
  return Object.fromEntries(Array.from(samples, ([name, values]) => [name, littleDisturbed(values)]))
}
