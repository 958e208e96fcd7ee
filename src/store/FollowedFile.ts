/**
 * Notices that another file has taken an open one's place, and opens that: what is written to a file that has no name any
 * more is lost.
 */
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** The numbers of a file at these paths. */
const numberOf = (path: string): bigint | undefined => fs.statSync(path, { bigint: true, throwIfNoEntry: false })?.ino

/** What SQLite keeps beside its file. */
const suffixes = ["-wal", "-shm"]

/** What is open, and how it is seen whether it is still the file at its path. */
interface Followed<A> {
  readonly value: A
  readonly isThere: () => boolean
  /** Closes it, and takes away what was kept beside a file that is not there any more. */
  readonly leave: Effect.Effect<void>
}

const open = Effect.fnUntraced(function*<A, E>(path: string, make: Effect.Effect<A, E, Scope.Scope>) {
  const scope = yield* Scope.make()
  const value = yield* make.pipe(
    Effect.provideService(Scope.Scope, scope),
    Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
  )
  const own = numberOf(path)
  const beside = suffixes.map((suffix) => [`${path}${suffix}`, numberOf(`${path}${suffix}`)] as const)
  const isThere = (): boolean => numberOf(path) === own
  const leave = Effect.andThen(
    Scope.close(scope, Exit.void),
    Effect.sync(() => {
      if (isThere()) return
      // SQLite would take them for those of the new file.
      for (const [name, number] of beside) if (number !== undefined && numberOf(name) === number) fs.rmSync(name)
    })
  )
  return { value, isThere, leave }
})

/** What is made of the file that is there when it is asked for. */
export interface FollowedFile<A, E> {
  readonly current: Effect.Effect<A, E>
  /** Whether it is still the file that was opened last. */
  readonly isThere: () => boolean
}

/** Opens the file with `opening`; both MUST be done without waiting where `current` is to be. Closed with the scope. */
export const make = Effect.fnUntraced(function*<A, E>(path: string, opening: Effect.Effect<A, E, Scope.Scope>) {
  let followed: Followed<A> | undefined = yield* open(path, opening)
  yield* Effect.addFinalizer(() => followed?.leave ?? Effect.void)
  const again = Effect.gen(function*() {
    const before = followed
    followed = undefined
    if (before !== undefined) yield* before.leave
    const { value } = followed = yield* open(path, opening)
    return value
  })
  return {
    current: Effect.suspend(() => followed?.isThere() === true ? Effect.succeed(followed.value) : again),
    isThere: () => followed?.isThere() === true
  } satisfies FollowedFile<A, E>
})
