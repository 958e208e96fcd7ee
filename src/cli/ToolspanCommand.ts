/** The command with all its subcommands. */
import * as Command from "effect/cli/Command"
import { checkCommand } from "./CheckCommand.ts"
import { devCommand } from "./DevCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { exportCommand } from "./ExportCommand.ts"
import { findCommand } from "./FindCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { showCommand } from "./ShowCommand.ts"
import { tailCommand } from "./TailCommand.ts"
import { violationsCommand } from "./ViolationsCommand.ts"

export const toolspan = Command.make("toolspan").pipe(
  Command.withDescription("Traceable AI tool calls: decided, approved, run, answered, used."),
  Command.withSubcommands([
    devCommand,
    findCommand,
    showCommand,
    tailCommand,
    violationsCommand,
    exportCommand,
    checkCommand,
    doctorCommand,
    mcpCommand
  ])
)
