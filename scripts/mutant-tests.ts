// Stands in for the test runner while mutants are tried: it takes the tests of a file and runs them one after the other.
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"

type Run = () => unknown

interface Suite {
  readonly tests: Array<Run>
}

let suite: Suite = { tests: [] }

/** Runs the tests that `load` declares; ends with the first that fails, as its rejection. */
export const runTests = async (load: () => Promise<unknown>): Promise<number> => {
  suite = { tests: [] }
  await load()
  const { tests } = suite
  for (const test of tests) await test()
  return tests.length
}

const add = (run: Run): void => void suite.tests.push(run)

const describe = (_name: string, body: () => void): void => body()

const it = Object.assign((_name: string, run: Run): void => add(run), {
  effect: (_name: string, run: () => Effect.Effect<unknown, unknown, Scope.Scope>): void =>
    add(() => Effect.runPromise(Effect.provide(Effect.scoped(run()), TestClock.layer()))),
  each: (cases: ReadonlyArray<unknown>) => (_name: string, run: (one: unknown) => unknown): void => {
    for (const one of cases) add(() => run(one))
  }
})

export { assert, describe, it }
