/** How a command ends other than well. */
import * as Schema from "effect/Schema"

/** Nothing was found; exit code 1. `message` says what was looked for and where. */
export class NothingFound extends Schema.TaggedError<NothingFound>()("NothingFound", { message: Schema.String }) {}

/** What was checked is broken; exit code 1. `message` says what and how often. */
export class ViolationsFound extends Schema.TaggedError<ViolationsFound>()("ViolationsFound", {
  message: Schema.String
}) {}

/** The doctor found what fails; exit code 1. `message` says how much of it. */
export class FaultsFound extends Schema.TaggedError<FaultsFound>()("FaultsFound", { message: Schema.String }) {}

/** The command was used in a wrong way or could not do its work; exit code 2. `message` says what to do. */
export class CommandFailure extends Schema.TaggedError<CommandFailure>()("CommandFailure", {
  message: Schema.String
}) {}
