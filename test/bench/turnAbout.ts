/** Runs things turn about in one process, and keeps what each of them took in each round. */
import process from "node:process"

/** One thing that is measured: how often it runs in a slice is found out first. */
export interface Contestant {
  readonly name: string
  readonly run: () => Promise<void>
}

/** Microseconds, and how far off they may be: two standard errors of a median. */
export interface Micros {
  readonly value: number
  readonly error: number
}

const medianOf = (values: ReadonlyArray<number>): Micros => {
  const sorted = values.toSorted((one, two) => one - two)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  // Of a bell curve: a quartile's distance is 1.35 deviations, and a median's error 1.25 times a mean's.
  return { value: at(0.5), error: (2 * 1.25 * (at(0.75) - at(0.25))) / 1.35 / Math.sqrt(values.length) }
}

/** What was measured, by the names of the contestants. */
export interface Measured {
  readonly median: (name: string) => Micros
  /** The median of what `name` took more than `base` in the same round: what slows a round slows both. */
  readonly more: (name: string, base: string) => Micros
}

const measure = async (contestant: Contestant, times: number): Promise<number> => {
  const start = process.threadCpuUsage()
  for (let index = 0; index < times; index++) await contestant.run()
  const { system, user } = process.threadCpuUsage(start)
  return (user + system) / times
}

/**
 * Takes microseconds of this thread's processor time a run of each contestant, over `rounds` slices of some `sliceMillis` each: what
 * other programs do is not in it (but for the caches that they empty), the collector's work on this thread is.
 */
export const turnAbout = async (
  contestants: ReadonlyArray<Contestant>,
  options: { readonly rounds: number; readonly sliceMillis: number }
): Promise<Measured> => {
  const times = new Map<string, number>()
  for (const contestant of contestants) {
    // Warm: the optimising compiler has seen each path before anything counts.
    await measure(contestant, 500)
    // By the processor's time and not by the clock: what other programs take is not this one's.
    let runs = 50
    let took = 0
    while (took < 2000) {
      runs *= 2
      took = await measure(contestant, runs) * runs
    }
    times.set(contestant.name, Math.max(10, Math.round((options.sliceMillis * 1000 * runs) / took)))
  }
  const samples = new Map<string, Array<number>>(contestants.map((contestant) => [contestant.name, []]))
  for (let round = 0; round < options.rounds; round++) {
    // Another first one each round, and every other round backwards: no contestant always follows the same one.
    const turned = contestants.map((_, index) => contestants[(index + round) % contestants.length]!)
    for (const contestant of round % 2 === 0 ? turned : turned.toReversed()) {
      samples.get(contestant.name)?.push(await measure(contestant, times.get(contestant.name) ?? 10))
    }
  }
  const of = (name: string): ReadonlyArray<number> => samples.get(name) ?? []
  return {
    median: (name) => medianOf(of(name)),
    more: (name, base) => medianOf(of(name).map((value, round) => value - (of(base)[round] ?? 0)))
  }
}
