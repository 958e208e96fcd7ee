/** Runs the command line inside of the test, on a screen that remembers: for what needs no process of its own. */
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as NodePlatform from "../../src/cli/NodePlatform.ts"
import { run } from "../../src/cli/Program.ts"
import { Screen } from "../../src/cli/Screen.ts"
import { plain, type Style } from "../../src/cli/Style.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import type { OpenError } from "../../src/store/StoreError.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import { temporaryFolder } from "./CommandProcess.ts"

export interface ScreenOptions {
  readonly width?: number
  readonly style?: Style
  /** Called with each piece of output. */
  readonly onPrint?: (lines: ReadonlyArray<string>) => void
  readonly onNote?: (lines: ReadonlyArray<string>) => void
  /** What happens while a piece is printed. */
  readonly slowly?: Effect.Effect<void>
  /** The reader leaves after so many lines. */
  readonly leaveAfter?: number
}

export interface Ran {
  readonly code: number
  readonly out: ReadonlyArray<string>
  readonly err: ReadonlyArray<string>
}

/** Runs one command to its end. */
export const command = (args: ReadonlyArray<string>, options: ScreenOptions = {}): Effect.Effect<Ran> => {
  const out: Array<string> = []
  const err: Array<string> = []
  const screen = Screen.of({
    width: options.width ?? 80,
    style: options.style ?? plain,
    print: (lines) =>
      Effect.sync(() => {
        out.push(...lines)
        options.onPrint?.(lines)
      }).pipe(Effect.andThen(options.slowly ?? Effect.void)),
    note: (lines) =>
      Effect.sync(() => {
        err.push(...lines)
        options.onNote?.(lines)
      }),
    isRead: Effect.sync(() => out.length <= (options.leaveAfter ?? Infinity))
  })
  return run(args).pipe(
    Effect.map((code) => ({ code, out, err })),
    Effect.provide(Layer.succeed(Screen, screen).pipe(Layer.merge(NodePlatform.layer))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: {} }))
  )
}

export interface StoredFile {
  readonly path: string
  readonly store: TraceStore.Shape
}

/** A store in a file of its own with these spans, open for writing as `toolspan dev` has it. */
export const stored = (
  rows: ReadonlyArray<SpanRow> = []
): Effect.Effect<StoredFile, OpenError, Scope.Scope> =>
  Effect.gen(function*() {
    const folder = yield* Effect.acquireDisposable(Effect.sync(temporaryFolder))
    const path = `${folder.path}/traces.db`
    const store = yield* SqliteStore.make({ path })
    if (rows.length > 0) yield* store.append(rows)
    return { path, store }
  })
