/** `toolspan dev`: takes an app's traces and keeps them. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Receiver from "../receive/Receiver.ts"
import * as Retention from "../store/Retention.ts"
import * as SqliteStore from "../store/SqliteStore.ts"
import * as DevServer from "./DevServer.ts"
import { inert } from "./InertText.ts"
import { Screen } from "./Screen.ts"
import * as StopSignal from "./StopSignal.ts"
import * as StoredQuery from "./StoredQuery.ts"
import type { Style } from "./Style.ts"

const flags = {
  port: Flag.Int("port").pipe(
    Flag.filter((port) => port >= 0 && port <= 65_535, () => "a number from 0 to 65,535"),
    Flag.withDescription(`The port to listen on, 0 for any free one. Default: ${Receiver.standardPort}`),
    Flag.withDefault(Receiver.standardPort)
  ),
  data: StoredQuery.dataFlag
}

/** Listens on the loopback address until a signal stops it. */
export const devCommand = Command.make(
  "dev",
  flags,
  Effect.fnUntraced(function*({ data, port }) {
    const stopped = yield* StopSignal.listen
    const screen = yield* Screen
    const file = yield* StoredQuery.fileOf(data)
    const store = yield* SqliteStore.make({ path: file }).pipe(Effect.mapError(StoredQuery.failed))
    const receiver = yield* DevServer.make({ store, port }).pipe(Effect.mapError(StoredQuery.failed))
    yield* Effect.forkScoped(Retention.keep(store, Retention.defaults))
    yield* screen.print(welcome(receiver, file, Option.getOrUndefined(data), screen.style))
    yield* stopped
    yield* screen.print(["", "Stopped. What was taken is kept."])
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Take traces over OTLP/HTTP on 127.0.0.1 and keep them in a file, until Ctrl+C. "
      + "toolspan find and toolspan show read that file, also while this runs. Exit code 2: it cannot start."
  ),
  Command.withShortDescription("Take an app's traces and keep them"),
  Command.withExamples([
    { command: "toolspan dev", description: "Listen where exporters send to by default" },
    { command: "toolspan dev --port 0 --data ./traces.db", description: "Any free port, and a file of this project" }
  ])
)

const welcome = (
  { port, url }: Receiver.Receiver.Shape,
  file: string,
  data: string | undefined,
  style: Style
): ReadonlyArray<string> => {
  const endpoint = port === Receiver.standardPort ? "" : `OTEL_EXPORTER_OTLP_ENDPOINT=${url} `
  const where = data === undefined ? "" : ` --data ${quoted(data)}`
  return [
    `${style.bold("toolspan")} listens on ${style.cyan(`${url}/v1/traces`)}`,
    `and keeps what it gets in ${inert(file)}`,
    "",
    "Send it the traces of an app:",
    `  ${endpoint}node --import toolspan/register app.js`,
    "",
    `Then look at ${style.cyan(url)}, or ask in another terminal:`,
    `  toolspan find${where}`,
    `  toolspan show <id>${where}`,
    "",
    style.faint("Ctrl+C stops it.")
  ]
}

/** As a shell takes it. */
const quoted = (path: string): string => /^[\w./~-]+$/.test(path) ? path : `'${inert(path).replaceAll("'", "'\\''")}'`
