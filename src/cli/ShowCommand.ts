/** `toolspan show`: the story of a tool call. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { Story } from "../query/Story.ts"
import { NothingFound } from "./CommandFailure.ts"
import * as JsonLines from "./JsonLines.ts"
import { Screen } from "./Screen.ts"
import * as StoredQuery from "./StoredQuery.ts"
import { storyText } from "./StoryText.ts"
import type { Style } from "./Style.ts"

const parameters = {
  id: Argument.String("id").pipe(Argument.withDescription("The call's id or key, exactly")),
  limit: Flag.Int("limit").pipe(
    Flag.filter((limit) => limit >= 1 && limit <= 1000, () => "a number from 1 to 1000"),
    Flag.withDescription("At most so many calls that share the id, the newest first. Default: 10"),
    Flag.withDefault(10)
  ),
  ...StoredQuery.placeFlags,
  json: StoredQuery.jsonFlag
}

const json = JsonLines.of(Story)

/** Prints the stories of all calls with this id, as text or as a JSON object a line. */
export const showCommand = Command.make(
  "show",
  parameters,
  Effect.fnUntraced(function*({ backend, data, id, json: asJson, limit }) {
    const screen = yield* Screen
    const place = yield* StoredQuery.placeOf({ backend, data })
    const source = yield* place.open
    const { query } = source
    const { more, stories } = yield* query.story(id, limit).pipe(Effect.mapError(StoredQuery.failed))
    if (stories.length === 0) {
      // A result without its call is told as a fault only. A store that cannot be asked for faults says nothing of it here.
      const { total } = yield* query.violations({ id, limit: 1 }).pipe(Effect.orElseSucceed(() => ({ total: 0 })))
      const named = total === 0 ? "" : `. Faults name it, ${total} in all: toolspan violations --id=<id> lists them`
      return yield* new NothingFound({
        message: `There is no tool call with the id or key ${id} in ${place.name}${named}`
      })
    }
    yield* screen.print(asJson ? yield* json(stories) : text(stories, screen.width, screen.style))
    yield* screen.note(StoredQuery.reservations(source, ["incoming", "fields"]))
    if (more) yield* screen.note(["", `These are the newest ${limit} calls with this id or key; --limit shows more.`])
  }, Effect.scoped)
).pipe(
  Command.withDescription(
    "Tell the story of a tool call over all traces it touched: decided, approved, run, answered, used. "
      + "Exit code 0: found, 1: none, 2: wrong use or an error."
  ),
  Command.withShortDescription("Tell the story of a tool call"),
  Command.withExamples([
    { command: "toolspan show toolu_01A09q90qw90lq917835lq9", description: "The story as text" },
    { command: "toolspan show call_0#2 --json", description: "The second call of a repeated id, for a script" }
  ])
)

const text = (stories: ReadonlyArray<Story>, width: number, style: Style): ReadonlyArray<string> => {
  const told = stories.map((story) => storyText(story, width, style))
  if (told.length === 1) return told[0]!
  const intro =
    `${told.length} calls have this id or key, and nothing in their traces joins them. The newest comes first.`
  return [intro, ...told.flatMap((lines) => ["", style.faint("─".repeat(width)), ...lines])]
}
