/** The command line: its commands and its exit codes. */
import { createRequire } from "node:module"
import process from "node:process"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { CommandFailure, FaultsFound, NothingFound, ViolationsFound } from "./CommandFailure.ts"
import * as HelpText from "./HelpText.ts"
import { inert } from "./InertText.ts"
import * as NodePlatform from "./NodePlatform.ts"
import * as Screen from "./Screen.ts"
import { plain } from "./Style.ts"
import { toolspan } from "./ToolspanCommand.ts"
import * as WrongUse from "./WrongUse.ts"

const version = String(createRequire(import.meta.url)("../../package.json").version)

/** Help that was asked for goes to standard output; what is said of a wrong use goes to standard error. */
const presenter = Layer.unwrap(Effect.gen(function*() {
  const screen = yield* Screen.Screen
  const colors = screen.style !== plain
  return CliOutput.layerPresenter({
    present: (event) => {
      switch (event._tag) {
        case "Help": {
          const formatter = CliOutput.defaultFormatter({ colors })
          return Effect.ignore(screen.print(HelpText.within(formatter.formatHelpDoc(event.helpDoc), screen.width)))
        }
        case "Version": {
          const formatter = CliOutput.defaultFormatter({ colors })
          return Effect.ignore(screen.print([formatter.formatVersion(event.name, event.version)]))
        }
        case "InvalidInvocation":
          return Effect.ignore(screen.note(WrongUse.lines(event.errors, event.commandPath)))
      }
    }
  })
}))

/** No wizard and no log level: the commands ask nothing and log nothing. */
const config = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })

const platform = Screen.layer.pipe(Layer.provideMerge(NodePlatform.layer))

/** Runs the command line on this screen and gives the exit code. */
export const run = (args: ReadonlyArray<string>): Effect.Effect<number, never, Platform> =>
  Command.runWith(toolspan, { version })(args).pipe(
    Effect.as(0),
    Effect.catch(exitCodeOf),
    Effect.provide(Layer.merge(config, presenter))
  )

type Platform = Layer.Success<typeof platform>

const exitCodeOf = Effect.fnUntraced(function*(error: unknown) {
  // What it says has been shown already.
  if (CliError.isCliError(error) || NodePlatform.isUnwritable(error)) return 2
  const { note } = yield* Screen.Screen
  const message = error instanceof Error ? error.message : String(error)
  const answers = error instanceof NothingFound || error instanceof ViolationsFound || error instanceof FaultsFound
  const known = answers || error instanceof CommandFailure
  yield* Effect.ignore(note([known ? inert(message) : `toolspan: ${inert(message)}`]))
  return answers ? 1 : 2
})

/** Runs the command and sets the exit code: 0 done or found, 1 nothing found or violations, 2 wrong use or an error. */
export const start = (args: ReadonlyArray<string>): void => {
  NodePlatform.watchOutput()
  Effect.runFork(Effect.provide(run(args), platform)).addObserver((exit) => {
    if (Exit.isSuccess(exit)) process.exitCode = Math.max(exit.value, Number(process.exitCode ?? 0))
    else {
      process.stderr.write(`toolspan: a fault of its own, please report it\n${inertLines(Cause.pretty(exit.cause))}\n`)
      process.exitCode = 2
    }
  })
}

const inertLines = (text: string) => text.split("\n").map(inert).join("\n")
