/** Where a command writes: how wide it is, whether it takes colours, and the writing itself. */
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"
import type { PlatformError } from "effect/PlatformError"
import * as NodePlatform from "./NodePlatform.ts"
import { colours, plain, type Style } from "./Style.ts"

/** Where a command writes. */
export class Screen extends Context.Service<Screen, Screen.Shape>()("toolspan/cli/Screen") {}

export declare namespace Screen {
  /** What a command needs of its output. */
  interface Shape {
    /** Columns of one line, 40 at least. */
    readonly width: number
    readonly style: Style
    /** Writes lines to standard output. */
    readonly print: (lines: ReadonlyArray<string>) => Effect.Effect<void, PlatformError>
    /** Writes lines to standard error: what is said about the answer, and is not the answer. */
    readonly note: (lines: ReadonlyArray<string>) => Effect.Effect<void, PlatformError>
    /** False once a write has found that nobody reads standard output any more (`toolspan find --all | head`). */
    readonly isRead: Effect.Effect<boolean>
  }
}

/** Narrower than this no line makes sense. */
const narrowest = 40
const usual = 80

const text = (lines: ReadonlyArray<string>) => lines.map((line) => `${line}\n`).join("")

/**
 * `COLUMNS` where it is set, else the terminal's width, else 80; colours only on a terminal or with `FORCE_COLOR`, and not
 * with `NO_COLOR`.
 */
export const layer: Layer.Layer<Screen, never, Stdio.Stdio | Terminal.Terminal> = Layer.effect(
  Screen,
  Effect.gen(function*() {
    const stdio = yield* Stdio.Stdio
    const terminal = yield* Terminal.Terminal
    const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
    const variable = (name: string) =>
      Effect.map(Effect.orDie(Config.option(Config.String(name))), Option.getOrElse(() => ""))
    const wanted = Number(yield* variable("COLUMNS"))
    const isTerminal = yield* stdio.stdoutIsTerminal
    const columns = Number.isInteger(wanted) && wanted > 0 ? wanted : isTerminal ? yield* terminal.columns : usual
    return {
      width: Math.max(narrowest, columns > 0 ? columns : usual),
      style: canColor && (yield* variable("FORCE_COLOR")) !== "0" ? colours : plain,
      print: (lines) => Stream.run(Stream.make(text(lines)), stdio.stdout()),
      note: (lines) => Stream.run(Stream.make(text(lines)), stdio.stderr()),
      isRead: NodePlatform.isRead
    }
  })
)
