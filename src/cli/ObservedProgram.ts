/** Runs a program as it is and reads what it tells from inside. */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type { ProgramReport } from "../boot/programReport.ts"
import { CommandFailure } from "./CommandFailure.ts"

/** How a program ended, and what its processes told. */
export interface Observed {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly reports: ReadonlyArray<ProgramReport>
}

const reporter = fileURLToPath(
  new URL(`../boot/report${import.meta.url.endsWith(".ts") ? ".mts" : ".mjs"}`, import.meta.url)
).replaceAll("\\", "/")

/** Each runtime reads one of them; the quotes are for a path with spaces, each in the place that the runtime takes. */
const preloading: Readonly<Record<string, string>> = {
  // Node and Deno. Deno takes no `--import` from here, and fails at an ES module whose name ends in .js: hence .mjs.
  NODE_OPTIONS: `--require "${reporter}"`,
  BUN_OPTIONS: `"--preload=${reporter}"`
}

const options = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(preloading).map(([name, added]) => {
      const given = process.env[name]
      return [name, given === undefined ? added : `${given} ${added}`]
    })
  )

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "toolspan-doctor-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** A terminal sends Ctrl+C to the program too: it decides, and the doctor reports when it has ended. */
const patience = Effect.acquireRelease(
  Effect.sync(() => {
    const wait = () => {}
    process.on("SIGINT", wait)
    return wait
  }),
  (wait) => Effect.sync(() => process.off("SIGINT", wait))
)

const ended = (command: string, args: ReadonlyArray<string>, folder: string, quiet: boolean) =>
  Effect.callback<Omit<Observed, "reports">, CommandFailure>((resume) => {
    const child = spawn(command, args, {
      // A script that reads our answer must not get the program's output in between.
      stdio: ["inherit", quiet ? 2 : "inherit", "inherit"],
      env: {
        ...process.env,
        ...options(),
        TOOLSPAN_DOCTOR_REPORT: folder
      }
    })
    const pass = () => child.kill("SIGTERM")
    process.once("SIGTERM", pass)
    child.once(
      "error",
      (cause) => resume(Effect.fail(new CommandFailure({ message: `${command} cannot be run: ${cause.message}` })))
    )
    child.once("close", (code, signal) => {
      process.off("SIGTERM", pass)
      resume(Effect.succeed({ code, signal }))
    })
    return Effect.sync(() => child.kill())
  })

const reportsIn = (folder: string): ReadonlyArray<ProgramReport> =>
  readdirSync(folder).filter((name) => name.endsWith(".json")).map((name) =>
    JSON.parse(readFileSync(join(folder, name), "utf8")) as ProgramReport
  )

/** Runs it to its end: its input, its output and how it ends are its own; when `quiet`, its output goes to our stderr. */
export const observe: (
  command: string,
  args: ReadonlyArray<string>,
  quiet: boolean
) => Effect.Effect<Observed, CommandFailure> = Effect
  .fnUntraced(function*(command, args, quiet) {
    const folder = yield* temporaryFolder
    yield* patience
    const { code, signal } = yield* ended(command, args, folder, quiet)
    return { code, signal, reports: reportsIn(folder) }
  }, Effect.scoped)
