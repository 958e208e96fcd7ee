/** `toolspan mcp`: an agent asks. */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as StopSignal from "./StopSignal.ts"
import * as StoredQuery from "./StoredQuery.ts"

/** Serves the Model Context Protocol on standard input and output until that ends, or a signal stops it. */
export const mcpCommand = Command.make(
  "mcp",
  StoredQuery.placeFlags,
  Effect.fnUntraced(function*(flags) {
    const stopped = yield* StopSignal.listen
    const place = yield* StoredQuery.placeOf(flags)
    const { serve } = yield* Effect.promise(() => import("./McpServer.ts"))
    yield* Effect.raceFirst(serve(place.open), stopped)
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Serve the Model Context Protocol on standard input and output, for an agent that starts this command: "
      + "find_tool_calls, get_tool_call, get_trace and list_violations, all of them read-only. The data file may be written by "
      + "toolspan dev meanwhile, or not be there yet. Exit code 0: its input ended or it was stopped, 2: wrong use or an error."
  ),
  Command.withShortDescription("Let an agent ask, over MCP"),
  Command.withExamples([
    { command: "claude mcp add toolspan -- npx toolspan mcp", description: "Tell Claude Code about it" },
    { command: "toolspan mcp --data ./traces.db", description: "Ask a file of this project" }
  ])
)
