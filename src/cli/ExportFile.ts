/** Where an export goes: standard output, or a file of its own. */
import { type FileHandle, open, rm } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import { CommandFailure } from "./CommandFailure.ts"
import type { Screen } from "./Screen.ts"

/** Takes lines. */
export interface ExportFile {
  readonly write: (lines: ReadonlyArray<string>) => Effect.Effect<void, CommandFailure | PlatformError>
  /** False once nobody reads what is written. */
  readonly isRead: Effect.Effect<boolean>
}

const failedAt = (path: string) => (cause: unknown) => {
  const { code, message } = cause as NodeJS.ErrnoException
  return new CommandFailure({
    message: code === "EEXIST"
      ? `${path} is there already and was left as it is: remove it, or choose another file`
      : `${path} cannot be written: ${message}`
  })
}

/** A new file, for its owner only: what tools were called with may be in it. One that failed is taken away again. */
const newFile = (path: string): Effect.Effect<FileHandle, CommandFailure, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({ try: () => open(path, "wx", 0o600), catch: failedAt(path) }),
    (file, exit) =>
      Effect.promise(async () => {
        await file.close()
        if (Exit.isFailure(exit)) await rm(path, { force: true })
      })
  )

/** Standard output without a path. */
export const make = (
  path: string | undefined,
  screen: Screen.Shape
): Effect.Effect<ExportFile, CommandFailure, Scope.Scope> =>
  path === undefined
    ? Effect.succeed({ write: screen.print, isRead: screen.isRead })
    : Effect.map(newFile(path), (file) => ({
      write: (lines) =>
        Effect.tryPromise({
          try: () => file.writeFile(lines.map((line) => `${line}\n`).join("")),
          catch: failedAt(path)
        }),
      isRead: Effect.succeed(true)
    }))
