/** `toolspan dev`: takes an app's traces, keeps them and shows them. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Receiver from "../receive/Receiver.ts"
import * as Token from "../receive/Token.ts"
import * as ReadOnlyStore from "../store/ReadOnlyStore.ts"
import * as Retention from "../store/Retention.ts"
import * as ThreadedStore from "../store/ThreadedStore.ts"
import * as WriterLock from "../store/WriterLock.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as DevLimits from "./DevLimits.ts"
import * as DevServer from "./DevServer.ts"
import * as DevWelcome from "./DevWelcome.ts"
import { Screen } from "./Screen.ts"
import * as StopSignal from "./StopSignal.ts"
import * as StoredQuery from "./StoredQuery.ts"

const flags = {
  port: Flag.Int("port").pipe(
    Flag.filter((port) => port >= 0 && port <= 65_535, () => "a number from 0 to 65,535"),
    Flag.withDescription(`The port to listen on, 0 for any free one. Default: ${Receiver.standardPort}`),
    Flag.withDefault(Receiver.standardPort)
  ),
  ...StoredQuery.placeFlags,
  ...DevLimits.flags,
  cors: Flag.Boolean("cors").pipe(
    Flag.withDescription("Let pages of other ports of this machine send spans and read the API"),
    Flag.withDefault(false)
  ),
  host: Flag.String("host").pipe(
    Flag.withMetavar("<address>"),
    Flag.filter((host) => /^[\w.:-]{1,253}$/.test(host), () => "an address or a name of this machine"),
    Flag.withDescription(
      `The address to listen on; others than this machine's own loopback want a token. Default: ${Receiver.standardHost}`
    ),
    Flag.withDefault(Receiver.standardHost)
  ),
  token: Flag.String("token").pipe(
    Flag.withMetavar("<text>"),
    Flag.withFallbackConfig(Config.String("TOOLSPAN_TOKEN")),
    Flag.withDescription(
      "What every request has to show. Better in $TOOLSPAN_TOKEN: others see what commands are given"
    ),
    Flag.optional
  )
}

/** Not a check of the flag: that would print the token. */
const wrongToken = new CommandFailure({
  message: "The token (--token or TOOLSPAN_TOKEN) must be 16 to 256 characters of ASCII without spaces: "
    + "openssl rand -hex 16 makes one"
})

/** Listens until a signal stops it. */
export const devCommand = Command.make(
  "dev",
  flags,
  Effect.fnUntraced(function*({ backend, cors, data, host, maxAge, maxSize, port, token: given }) {
    const stopped = yield* StopSignal.listen
    const screen = yield* Screen
    const token = Option.getOrUndefined(given)
    if (token !== undefined && !Token.pattern.test(token)) return yield* wrongToken
    const listening = { port, host, cors, token }
    const failed = Effect.mapError(StoredQuery.failed)
    if (Option.isSome(backend)) {
      const place = yield* StoredQuery.placeOf({ backend, data })
      const { reader } = yield* place.open
      const { url } = yield* DevServer.make({ ...listening, store: ReadOnlyStore.make(reader) }).pipe(failed)
      yield* screen.print(DevWelcome.looking({ url, name: place.name, token: token !== undefined }, screen.style))
      yield* stopped
      return yield* screen.print(["", "Stopped."])
    }
    const file = yield* StoredQuery.fileOf(data)
    const limits = DevLimits.limitsOf({ maxSize, maxAge })
    yield* WriterLock.take({ path: file }).pipe(failed)
    const store = yield* ThreadedStore.make({ path: file }).pipe(failed)
    const { url } = yield* DevServer.make({ ...listening, store }).pipe(failed)
    yield* Effect.forkScoped(Retention.keep(store, limits))
    const where = Option.getOrUndefined(data)
    yield* screen.print(
      DevWelcome.taking({ url, host, file, limits, data: where, token: token !== undefined }, screen.style)
    )
    yield* stopped
    yield* screen.print(["", "Stopped. What was taken is kept."])
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Take traces over OTLP/HTTP on 127.0.0.1, keep them in a file and show them on a page, until Ctrl+C. "
      + "toolspan find and toolspan show read that file, also while this runs. Exit code 2: it cannot start."
  ),
  Command.withShortDescription("Take an app's traces, keep them and show them"),
  Command.withExamples([
    { command: "toolspan dev", description: "Listen where exporters send to by default" },
    { command: "toolspan dev --port 0 --data ./traces.db", description: "Any free port, and a file of this project" },
    {
      command: "toolspan dev --port 0 --backend tempo=http://tempo.internal:3200",
      description: "Show a team's store on the page, and take nothing"
    },
    { command: "toolspan dev --max-size 200MB --max-age 12h", description: "Keep less" },
    {
      command: "TOOLSPAN_TOKEN=$(openssl rand -hex 16) toolspan dev --host 0.0.0.0",
      description: "For other machines too, which then have to show the token"
    }
  ])
)
