/** Answers the questions of the API. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import * as SchemaIssue from "effect/SchemaIssue"
import { api, NothingThere, QuestionForm, StoreBusy, WrongQuestion } from "../query/api.ts"
import type { Query } from "../query/Query.ts"
import { bounded } from "./AnswerSize.ts"
import * as LiveCalls from "./LiveCalls.ts"

/** Stories of one answer unless told otherwise. */
const usualStories = 20

/** Characters of what is wrong with a question. */
const reasonAtMost = 500

const problemsOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names and expectations only: what was sent is not sent back. */
const reasonOf = (issue: SchemaIssue.Issue): string =>
  problemsOf(issue).issues
    .map(({ message, path = [] }) => path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`)
    .join("; ")
    .slice(0, reasonAtMost)

/** Tells what is wrong with the form of a question. */
const questionForm = HttpApiMiddleware.layerSchemaErrorTransform(
  QuestionForm,
  (error) =>
    error.kind === "Body" || error.kind === "ResponseHeaders"
      ? Effect.fail(error)
      : Effect.fail(new WrongQuestion({ reason: reasonOf(error.cause.issue) }))
)

type Failure = Effect.Error<ReturnType<Query.Shape["calls"] | Query.Shape["story"]>>

const busy = (error: { readonly message: string }) => Effect.fail(new StoreBusy({ reason: error.message }))

/** An answer of a size that can be sent, and failures as the API has them. */
const answered = <A>(answer: Effect.Effect<A, Failure>) =>
  answer.pipe(
    Effect.catchTags({
      StoreUnavailable: busy,
      WrongCursor: (error) => Effect.fail(new WrongQuestion({ reason: error.message }))
    }),
    Effect.flatMap(bounded)
  )

const there = <A, E>(found: Effect.Effect<A | undefined, E>, what: string): Effect.Effect<A, E | NothingThere> =>
  Effect.flatMap(found, (value) =>
    value === undefined
      ? Effect.fail(new NothingThere({ reason: `nothing of this ${what} is stored` }))
      : Effect.succeed(value))

/** The answers that this query gives; live ones until `ended` completes. */
export const layer = (query: Query.Shape, ended: Effect.Effect<void>) => {
  const live = LiveCalls.make(query, ended)
  return HttpApiBuilder.group(api, "questions", (handlers) =>
    handlers
      .handle("calls", ({ query: search }) => answered(query.calls(search)))
      .handle("story", ({ params, query: { limit = usualStories } }) => answered(query.story(params.key, limit)))
      .handle("trace", ({ params }) => there(answered(query.trace(params.traceId)), "trace"))
      .handle("tools", () => Effect.catchTag(query.tools, "StoreUnavailable", busy))
      .handle("violations", ({ query: search }) => answered(query.violations(search)))
      .handle("conversation", ({ params }) => there(answered(query.conversation(params.id)), "conversation"))
      .handle("stats", () => Effect.catchTag(query.stats, "StoreUnavailable", busy))
      .handle("live", ({ headers }) =>
        Effect.map(live(headers["last-event-id"]), (stream) =>
          HttpServerResponse.stream(stream, {
            contentType: "text/event-stream",
            headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
          })))).pipe(Layer.provide(questionForm))
}
