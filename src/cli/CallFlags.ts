/** The flags that narrow a list of calls. */
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CallFilter } from "../query/CallSearch.ts"
import { faultKinds, outcomes, states } from "../query/CallSearch.ts"
import { CommandFailure } from "./CommandFailure.ts"
import * as TimeFlag from "./TimeFlag.ts"

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const choice = (name: string, values: ReadonlyArray<string>, description: string) =>
  Flag.Literals(name, values).pipe(Flag.withDescription(description), Flag.optional)

const millis = (name: string, description: string) =>
  Flag.Int(name).pipe(
    Flag.withMetavar("<milliseconds>"),
    Flag.filter((given) => given >= 0, () => "0 or more milliseconds"),
    Flag.withDescription(description),
    Flag.optional
  )

/** Flags by the name of the filter that they set. */
export const callFlags = {
  id: text("id", "The call's id or key, exactly"),
  idPrefix: text("id-prefix", "How its id or key begins"),
  key: text("key", "The call's key, exactly"),
  tool: text("tool", "The tool's name, exactly"),
  state: choice("state", states, "The state of its approval"),
  outcome: choice("outcome", outcomes, "How it ended"),
  violation: choice("violation", faultKinds, "A fault that was reported for it"),
  conversation: text("conversation", "The conversation's id, exactly"),
  service: text("service", "The service that wrote its first span, exactly"),
  from: TimeFlag.make(
    "since",
    "from",
    "It began then or later: a date or time (UTC unless said otherwise), or 90s, 15m, 2h, 7d ago"
  ),
  to: TimeFlag.make("until", "to", "It began before then"),
  minDuration: millis("min-duration", "Its handler ran so long or longer"),
  maxDuration: millis("max-duration", "Its handler ran so long or shorter"),
  q: text("text", "Its id begins so, or the tool's name or captured content holds this")
}

/** The flags as they were given. */
export type CallFlags = {
  readonly [K in keyof typeof callFlags]: Option.Option<K extends "minDuration" | "maxDuration" ? number : string>
}

const empty = (message: string) => new CommandFailure({ message: `${message}: no call fits that` })

/** The filter that the flags mean now; fails where no call could fit it, which would look like an empty store. */
export const filterOf = Effect.fnUntraced(function*(flags: CallFlags) {
  const now = yield* Clock.currentTimeNanos
  const filter: Record<string, unknown> = {}
  for (const name of Object.keys(callFlags) as Array<keyof CallFlags>) {
    const given = Option.getOrUndefined<string | number>(flags[name])
    if (given === undefined) continue
    filter[name] = name === "from" || name === "to" ? TimeFlag.parse(String(given), now) : given
  }
  const { from, maxDuration, minDuration, to } = filter as CallFilter
  if (from !== undefined && to !== undefined && from >= to) return yield* empty("--since is not before --until")
  if (minDuration !== undefined && maxDuration !== undefined && minDuration > maxDuration) {
    return yield* empty("--min-duration is more than --max-duration")
  }
  return filter as CallFilter
})

/** The filter in words, after "with"; `""` when nothing is narrowed. */
export const inWords = (flags: CallFlags): string =>
  (Object.keys(callFlags) as Array<keyof CallFlags>).flatMap((name) => {
    const given = Option.getOrUndefined<string | number>(flags[name])
    return given === undefined ? [] : [`${words[name] ?? name} ${given}`]
  }).join(", ")

const words: Readonly<Partial<Record<keyof CallFlags, string>>> = {
  idPrefix: "an id that begins with",
  violation: "fault",
  from: "a start from",
  to: "a start before",
  minDuration: "a run of at least (ms)",
  maxDuration: "a run of at most (ms)",
  q: "text"
}
