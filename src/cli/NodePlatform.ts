/**
 * The services of a command line program on Node, as far as `toolspan` needs them. `@effect/platform-node` has them all,
 * but its peer range leaves the older effect line out, beside which toolspan must install.
 */
import process from "node:process"
import { getSystemErrorMessage } from "node:util"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { isPlatformError, type PlatformError, systemError } from "effect/PlatformError"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as Terminal from "effect/Terminal"

/** Streams whose reader has left. Node makes a standard stream writable again after an error. */
const left = new WeakSet<NodeJS.WriteStream>()

/** A reader that has seen enough (`toolspan find | head`) is no failure of ours. */
const isLeft = (stream: NodeJS.WriteStream, cause: NodeJS.ErrnoException): boolean => {
  if (cause.code !== "EPIPE") return false
  left.add(stream)
  return true
}

/** Whether somebody still reads standard output, as far as writing has shown. */
export const isRead: Effect.Effect<boolean> = Effect.sync(() => process.stdout.writable && !left.has(process.stdout))

/** Writes to a stream of the process; ends when the text has left it. */
const write = (
  stream: NodeJS.WriteStream,
  method: string,
  text: string | Uint8Array
): Effect.Effect<void, PlatformError> =>
  Effect.callback((resume) => {
    stream.write(text, (cause) =>
      resume(
        cause === undefined || cause === null || isLeft(stream, cause)
          ? Effect.void
          : Effect.fail(systemError({ module: "Stdio", method, _tag: "Unknown", cause }))
      ))
  })

/** Standard input, opened when it is read; what was not taken stays for the next who reads. */
const stdin: Stream.Stream<Uint8Array, PlatformError> = Stream.suspend(() =>
  Stream.fromAsyncIterable(
    process.stdin.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>,
    (cause) => systemError({ module: "Stdio", method: "stdin", _tag: "Unknown", cause })
  )
)

const stdio = Stdio.make({
  args: Effect.sync(() => process.argv.slice(2)),
  stdinIsTerminal: Effect.sync(() => process.stdin.isTTY === true),
  stdoutIsTerminal: Effect.sync(() => process.stdout.isTTY === true),
  stderrIsTerminal: Effect.sync(() => process.stderr.isTTY === true),
  stdout: () => Sink.forEach((text: string | Uint8Array) => write(process.stdout, "stdout", text)),
  // Where nothing can be said, the answer and the exit code are still good.
  stderr: () => Sink.forEach((text: string | Uint8Array) => Effect.ignore(write(process.stderr, "stderr", text))),
  stdin
})

/** The command never asks questions, so there is nothing to read. */
const terminal = Terminal.make({
  columns: Effect.sync(() => process.stdout.columns ?? 0),
  rows: Effect.sync(() => process.stdout.rows ?? 0),
  size: Effect.die("toolspan does not watch the size of the terminal"),
  readInput: Effect.die("toolspan does not read keys"),
  readLine: Effect.fail(new Terminal.QuitError({})),
  display: (text) => write(process.stdout, "display", text)
})

/** Everything that `effect/cli` asks for. Files and child processes are not used by any command, so they do nothing. */
export const layer: Layer.Layer<
  FileSystem.FileSystem | Path.Path | Stdio.Stdio | Terminal.Terminal | ChildProcessSpawner.ChildProcessSpawner
> = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Layer.succeed(Stdio.Stdio, stdio),
  Layer.succeed(Terminal.Terminal, terminal),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => Effect.die("toolspan starts no programs"))
  )
)

/** Whether it is the failure of a write, which {@link watchOutput} tells. */
export const isUnwritable = (error: unknown): boolean =>
  isPlatformError(error) && error.reason._tag !== "BadArgument" && error.reason.module === "Stdio"

/**
 * What fails to be written is told by an event too, which would end the process with a stack: says it in a sentence and
 * has the process end with 2.
 */
export const watchOutput = (): void => {
  process.stderr.on("error", () => {})
  let isTold = false
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    if (isLeft(process.stdout, cause)) return
    process.exitCode = 2
    if (isTold) return
    isTold = true
    process.stderr.write(
      `Standard output cannot be written: ${getSystemErrorMessage(cause.errno ?? 0) ?? cause.message}\n`
    )
  })
}
