/**
 * What can be asked over HTTP: one description for the server, the page, the command line's JSON and `/openapi.json`.
 *
 * Instants are ISO 8601 texts in UTC with nine digits after the second; durations are milliseconds. What is not known is
 * absent. Texts of spans are given as they were sent: whoever shows them makes them inert.
 */
import * as Schema from "effect/Schema"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { CannotAnswer } from "../store/Capability.ts"
import { CallPage, CallSearch, ListedCall } from "./CallSearch.ts"
import { Conversation } from "./Conversation.ts"
import { Stats, Tools, ViolationPage, ViolationSearch } from "./Overview.ts"
import { Stories } from "./Story.ts"
import { WholeTrace } from "./WholeTrace.ts"

/** The question was wrong: an unknown cursor, a filter that cannot be read. */
export class WrongQuestion extends Schema.TaggedError<WrongQuestion>()(
  "WrongQuestion",
  { reason: Schema.String },
  { httpApiStatus: 400 }
) {}

/** There is no such trace or conversation. */
export class NothingThere extends Schema.TaggedError<NothingThere>()(
  "NothingThere",
  { reason: Schema.String },
  { httpApiStatus: 404 }
) {}

/** The store cannot answer now. */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()(
  "StoreBusy",
  { reason: Schema.String },
  { httpApiStatus: 503 }
) {}

/** The answer would be larger than anybody could hold. */
export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()(
  "AnswerTooLarge",
  { reason: Schema.String },
  { httpApiStatus: 422 }
) {}

/** So many listen already that no more can; one that leaves makes room. */
export class TooManyListeners extends Schema.TaggedError<TooManyListeners>()(
  "TooManyListeners",
  { reason: Schema.String },
  { httpApiStatus: 503 }
) {}

/** Says what is wrong with a question that does not have the form which is described here. */
export class QuestionForm extends HttpApiMiddleware.Service<QuestionForm>()("toolspan/query/QuestionForm", {
  error: WrongQuestion
}) {}

/** A call that is new or has changed: the `event` is `call`, the `id` a place from which `Last-Event-ID` goes on. */
export const LiveEvent = Schema.Struct({
  id: Schema.optional(Schema.String),
  event: Schema.Literal("call"),
  data: Schema.fromJsonString(Schema.toCodecJson(ListedCall))
})
/** A call that is new or has changed. */
export interface LiveEvent extends Schema.Schema.Type<typeof LiveEvent> {}

const described = (summary: string) => OpenApi.annotations({ summary })

const calls = HttpApiEndpoint.get("calls", "/api/calls", {
  query: CallSearch,
  success: CallPage,
  error: [WrongQuestion, AnswerTooLarge, StoreBusy, CannotAnswer]
}).annotateMerge(described("List tool calls"))

const story = HttpApiEndpoint.get("story", "/api/calls/:key/story", {
  params: { key: Schema.String },
  query: { limit: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))) },
  success: Stories,
  error: [WrongQuestion, AnswerTooLarge, StoreBusy, CannotAnswer]
}).annotateMerge(described("Tell the stories of the calls with this id or key, the newest first (20)"))

const trace = HttpApiEndpoint.get("trace", "/api/traces/:traceId", {
  params: { traceId: Schema.String },
  success: WholeTrace,
  error: [WrongQuestion, NothingThere, AnswerTooLarge, StoreBusy, CannotAnswer]
}).annotateMerge(described("Give one trace, whole"))

const tools = HttpApiEndpoint.get("tools", "/api/tools", {
  success: Tools,
  error: [StoreBusy, CannotAnswer]
}).annotateMerge(described("Give every tool in figures"))

const violations = HttpApiEndpoint.get("violations", "/api/violations", {
  query: ViolationSearch,
  success: ViolationPage,
  error: [WrongQuestion, AnswerTooLarge, StoreBusy, CannotAnswer]
}).annotateMerge(described("List reported faults"))

const conversation = HttpApiEndpoint.get("conversation", "/api/conversations/:id", {
  params: { id: Schema.String },
  success: Conversation,
  error: [WrongQuestion, NothingThere, AnswerTooLarge, StoreBusy, CannotAnswer]
}).annotateMerge(described("Give the turns and calls of a conversation in order"))

const stats = HttpApiEndpoint.get("stats", "/api/stats", {
  success: Stats,
  error: [StoreBusy, CannotAnswer]
}).annotateMerge(described("Say how much is stored"))

const live = HttpApiEndpoint.get("live", "/api/live", {
  headers: { "last-event-id": Schema.optionalKey(Schema.String) },
  success: HttpApiSchema.StreamSse({ events: LiveEvent }),
  error: [WrongQuestion, StoreBusy, CannotAnswer, TooManyListeners]
}).annotateMerge(described("Tell of new and changed calls as they come (server-sent events)"))

/** The questions, without a prefix of their names. */
export const questions = HttpApiGroup.make("questions", { topLevel: true })
  .add(calls, story, trace, tools, violations, conversation, stats, live)
  .middleware(QuestionForm)
  // A filter that is not known would be one that is not applied.
  .annotate(HttpApi.QueryParseOptions, { onExcessProperty: "error" })

/** The whole API. */
export const api = HttpApi.make("toolspan")
  .add(questions)
  .annotateMerge(OpenApi.annotations({
    title: "toolspan",
    description: "AI tool calls as toolspan has stored them. Served on loopback only; every request is a GET."
  }))

/** Where the OpenAPI document is. */
export const openApiPath = "/openapi.json"
