/** Finds tool calls and tells their stories. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { ReadError } from "../store/Capability.ts"
import type { TraceReader } from "../store/TraceReader.ts"
import * as CallListing from "./CallListing.ts"
import type { Changes } from "./CallListing.ts"
import type { CallPage, CallSearch } from "./CallSearch.ts"
import type { Conversation } from "./Conversation.ts"
import { conversation } from "./ConversationTelling.ts"
import type { WrongCursor } from "./Cursor.ts"
import { present } from "./Fact.ts"
import type { Stats, Tools, ViolationPage, ViolationSearch } from "./Overview.ts"
import type { Stories } from "./Story.ts"
import { stories } from "./StorySearch.ts"
import { figuresAtMost, toolFigures } from "./ToolStatistics.ts"
import { violationPage } from "./ViolationListing.ts"
import { wholeTrace } from "./WholeTraceTelling.ts"
import type { WholeTrace } from "./WholeTrace.ts"

/** Finds tool calls and tells their stories. */
export class Query extends Context.Service<Query, Query.Shape>()("toolspan/query/Query") {}

export declare namespace Query {
  /** What can be asked. */
  interface Shape {
    /** A page of the calls that fit. Fails with `WrongCursor` when the cursor is of another order, or none of ours. */
    readonly calls: (search: CallSearch) => Effect.Effect<CallPage, ReadError | WrongCursor>
    /**
     * Everything about the calls with this id or key, the newest first, `limit` at most. Calls that only share the id are
     * separate stories.
     */
    readonly story: (id: string, limit: number) => Effect.Effect<Stories, ReadError>
    /** One trace; `undefined` when nothing of it is stored. */
    readonly trace: (traceId: string) => Effect.Effect<WholeTrace | undefined, ReadError>
    /** Every tool in figures. */
    readonly tools: Effect.Effect<Tools, ReadError>
    /** A page of the faults that fit, the last stored first. */
    readonly violations: (search: ViolationSearch) => Effect.Effect<ViolationPage, ReadError | WrongCursor>
    /** The turns of a conversation; `undefined` when nothing of it is stored. */
    readonly conversation: (id: string) => Effect.Effect<Conversation | undefined, ReadError>
    /** How much is stored. */
    readonly stats: Effect.Effect<Stats, ReadError>
    /** Calls that are new or have changed, from a place of an earlier answer on, or from now on. */
    readonly changes: (after: number | undefined) => Effect.Effect<Changes, ReadError>
  }
}

/** Asks this reader. */
export const make = (reader: TraceReader.Shape): Query.Shape => {
  const listing = CallListing.make(reader)
  return {
    calls: listing.calls,
    changes: listing.changes,
    story: (id, limit) => stories(reader, id, limit),
    trace: (traceId) => wholeTrace(reader, traceId),
    conversation: (id) => conversation(reader, listing, id),
    tools: Effect.map(reader.figures(figuresAtMost), toolFigures),
    violations: (search) => violationPage(reader, search),
    stats: Effect.map(reader.stats, ({ bytes, calls, dropped, newest, oldest, spans, traces, violations }) => ({
      spans,
      calls,
      traces,
      violations,
      bytes,
      ...present("oldest", oldest),
      ...present("newest", newest),
      dropped
    }))
  }
}
