/**
 * Notices what becomes of an open database, and opens what is there instead: what is written to a file that has no name any
 * more is lost, and so is what only a log has that was deleted.
 */
import * as fs from "node:fs"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as CutFile from "./CutFile.ts"

/**
 * What became of it. `gone`: it has no name any more, or another file has its name. `unlogged`: what SQLite keeps beside it
 * has no name any more. `cut`: bytes of it, or of its log, are missing.
 */
export type Loss = "gone" | "unlogged" | "cut"

const statOf = (path: string) => fs.statSync(path, { bigint: true, throwIfNoEntry: false })

/** What SQLite keeps beside its file. */
const suffixes = ["-wal", "-shm"]

/** Looks at what is there now, and compares it with what is there when it is asked. */
const watch = (path: string) => {
  const own = statOf(path)
  const beside = suffixes.map((suffix) => [`${path}${suffix}`, statOf(`${path}${suffix}`)?.ino] as const)
  let size = own?.size ?? 0n
  const loss = (): Loss | undefined => {
    const now = statOf(path)
    if (now?.ino !== own?.ino) return "gone"
    // Another program may make it smaller, and leave it whole.
    if (now !== undefined && now.size < size && CutFile.isCut(path, now.size)) return "cut"
    size = now?.size ?? 0n
    if (beside.some(([name, number]) => statOf(name)?.ino !== number)) return "unlogged"
    return CutFile.isLogCut(path) ? "cut" : undefined
  }
  /** SQLite would take them for those of the file that comes next. */
  const removeBeside = (): void => {
    for (const [name, number] of beside) if (number !== undefined && statOf(name)?.ino === number) fs.rmSync(name)
  }
  return { loss, removeBeside }
}

/** What is open, and what is seen of its file. */
interface Followed<A> extends ReturnType<typeof watch> {
  readonly value: A
  readonly scope: Scope.Closeable
}

/** How a file is followed; all of it MUST be done without waiting where `current` is to be. */
export interface Following<A, E> {
  readonly open: Effect.Effect<A, E, Scope.Scope>
  /** Done before it is closed for what became of it. Where it fails the file stays open, and the next `current` tries again. */
  readonly farewell?: (value: A, loss: Loss) => Effect.Effect<void, E>
}

/** What is made of the file that is there when it is asked for. */
export interface FollowedFile<A, E> {
  readonly current: Effect.Effect<A, E>
  /** Whether it is open, and still the file that was opened, whole and with all that is beside it. */
  readonly isThere: () => boolean
  /** Closes it until it is asked for. */
  readonly leave: Effect.Effect<void, E>
}

/** Opens the file; it is closed with the scope. */
export const make = Effect.fnUntraced(function*<A, E>(
  path: string,
  { farewell = () => Effect.void, open }: Following<A, E>
) {
  const opened = Effect.gen(function*() {
    const scope = yield* Scope.make()
    const value = yield* open.pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    return { value, scope, ...watch(path) }
  })
  let followed: Followed<A> | undefined = yield* opened
  const close = ({ removeBeside, scope }: Followed<A>, loss: Loss | undefined) =>
    Effect.suspend(() => {
      followed = undefined
      return Effect.andThen(Scope.close(scope, Exit.void), Effect.sync(() => loss === "gone" && removeBeside()))
    })
  const leave = Effect.suspend(() => {
    if (followed === undefined) return Effect.void
    const { loss, value } = followed
    const now = loss()
    return Effect.andThen(now === undefined ? Effect.void : farewell(value, now), close(followed, now))
  })
  yield* Effect.addFinalizer(() =>
    leave.pipe(
      Effect.ignore({ log: "Warn" }),
      Effect.andThen(Effect.suspend(() => followed === undefined ? Effect.void : close(followed, undefined)))
    )
  )
  const again = Effect.gen(function*() {
    yield* leave
    followed = yield* opened
    return followed.value
  })
  const isThere = () => followed !== undefined && followed.loss() === undefined
  return {
    current: Effect.suspend(() => followed !== undefined && isThere() ? Effect.succeed(followed.value) : again),
    isThere,
    leave
  } satisfies FollowedFile<A, E>
})
