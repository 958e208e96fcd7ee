/** The MCP server on standard input and output. Loaded only where it is wanted: it brings half of effect with it. */
import { createRequire } from "node:module"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import * as McpHandlers from "./McpHandlers.ts"
import * as McpInput from "./McpInput.ts"
import { notice, tools } from "./McpTools.ts"

const version = String(createRequire(import.meta.url)("../../package.json").version)

const instructions =
  "toolspan keeps the AI tool calls of apps on this machine: which model decided a call, whether a human "
  + "approved it, how it ran, what came of it and who used the result. Begin with find_tool_calls; get_tool_call tells one "
  + `call whole; list_violations tells broken histories. ${notice}`

/** Standard input and output, with only messages in the one. */
const checkedStdio = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (stdio) =>
    Stdio.make({
      ...stdio,
      stdin: McpInput.messages(stdio.stdin, (line) => Stream.run(Stream.make(line), stdio.stdout()))
    }))
)

/** Serves until standard input ends. */
export const serve = Effect.fnUntraced(function*(open: McpHandlers.OpenSource) {
  const server = McpServer.layerStdio({
    name: "toolspan",
    version,
    instructions,
    protocols: [
      McpProtocol.v2025_11_25,
      McpProtocol.v2025_06_18,
      McpProtocol.v2025_03_26,
      McpProtocol.v2024_11_05
    ],
    registrations: McpServer.toolkit(tools).pipe(Layer.provide(McpHandlers.layer(open)))
  }).pipe(Layer.provide(checkedStdio))
  // The server interrupts the fiber that made it when its input ends.
  const fiber = yield* Effect.forkScoped(Layer.launch(server))
  const exit = yield* Fiber.await(fiber)
  if (exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
}, Effect.provide(Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])))
