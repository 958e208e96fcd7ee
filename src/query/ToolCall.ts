/** One tool call in a few facts: what a list shows and a script asks for. */
import * as Schema from "effect/Schema"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import type { CallGroup } from "./CallGroup.ts"
import { present } from "./Fact.ts"
import { Instant, millisBetween } from "./Instant.ts"
import * as Reading from "./SpanReading.ts"
import * as SpanIndex from "./SpanIndex.ts"

/**
 * A tool call. Times are instants, durations milliseconds with their fraction; a fact that is not known is absent.
 * `state`, `outcome` and `origin` have the values of the contract, or whatever text a foreign writer gave.
 */
export const ToolCall = Schema.Struct({
  /** Identifies the call within its conversation, also when the provider gave no id. */
  key: Schema.String,
  /** The provider's id, verbatim. */
  id: Schema.optionalKey(Schema.String),
  /** The toolkit's name, or the name that the model asked for when the toolkit has no such tool. */
  tool: Schema.String,
  /** False when the model asked for a tool that the toolkit does not have. */
  known: Schema.Boolean,
  /** True when the provider ran the tool itself. */
  providerExecuted: Schema.Boolean,
  conversation: Schema.optionalKey(Schema.String),
  agent: Schema.optionalKey(Schema.String),
  services: Schema.Array(Schema.String),
  /** The approval state. */
  state: Schema.optionalKey(Schema.String),
  outcome: Schema.optionalKey(Schema.String),
  errorType: Schema.optionalKey(Schema.String),
  /** Where the result came from. */
  origin: Schema.optionalKey(Schema.String),
  /** The model that decided the call. */
  model: Schema.optionalKey(Schema.String),
  decidedAt: Schema.optionalKey(Instant),
  /** From the first to the last moment that is known of the call. */
  startedAt: Instant,
  endedAt: Instant,
  /** How long a human took to answer, or the request has waited without an answer being known: then absent. */
  approvalWaitMillis: Schema.optionalKey(Schema.Finite),
  /** How long the last run of the handler took. */
  executionMillis: Schema.optionalKey(Schema.Finite),
  executions: Schema.Finite,
  /** The traces that hold a span of the call, in the order in which the call came to them. */
  traces: Schema.Array(Schema.String)
})
/** One tool call in a few facts. */
export interface ToolCall extends Schema.Schema.Type<typeof ToolCall> {}

/** The facts of one call; `spans` is where parents are looked up. */
export const summarize = (group: CallGroup, spans: SpanIndex.SpanIndex): ToolCall => {
  const { rows } = group
  const of = (stage: string) => rows.filter((row) => Reading.stageOf(row) === stage)
  const decision = of("decision")[0]
  const executions = of("execution")
  const execution = executions.at(-1)
  const result = of("result").at(-1)
  const wanted = first(rows, Attribute.toolspanToolRequestedName)
  const tool = first(rows, Attribute.genAiToolName)
  return {
    key: first(rows, Attribute.toolspanCallKey) ?? first(rows, Attribute.genAiToolCallId) ?? "",
    ...present("id", first(rows, Attribute.genAiToolCallId)),
    tool: tool ?? wanted ?? SpanName.unknownTool,
    known: tool !== undefined,
    providerExecuted: rows.some((row) => Reading.flag(row.attributes, Attribute.toolspanProviderExecuted)),
    ...present("conversation", first(rows, Attribute.genAiConversationId)),
    ...present("agent", first(rows, Attribute.genAiAgentName)),
    services: distinct(rows.flatMap((row) => Reading.serviceOf(row) ?? [])),
    ...present("state", stateOf(rows)),
    ...present("outcome", outcomeOf(result) ?? outcomeOf(execution)),
    ...present("errorType", execution && Reading.text(execution.attributes, Attribute.errorType)),
    ...present("origin", result && Reading.text(result.attributes, Attribute.toolspanResultOrigin)),
    ...present("model", decision && SpanIndex.modelOf(spans, decision)),
    ...present("decidedAt", decision?.end),
    startedAt: rows[0]!.start,
    endedAt: rows.reduce((latest, row) => row.end > latest ? row.end : latest, rows[0]!.end),
    ...present("approvalWaitMillis", waitMillis(of("approval"))),
    ...present("executionMillis", execution && millisBetween(execution.start, execution.end)),
    executions: executions.length,
    traces: distinct(rows.map((row) => row.traceId))
  }
}

/** The answer's own account of the wait, else the time between request and answer; the last answer counts. */
export const waitMillis = (approvals: ReadonlyArray<Reading.SpanRow>): number | undefined => {
  const answer = approvals.findLast((row) => eventOf(row) === "resolved")
  if (answer === undefined) return undefined
  const told = Reading.waitOf(answer)
  if (told !== undefined) return told
  const asked = approvals.find((row) => eventOf(row) === "requested")
  return asked === undefined ? undefined : millisBetween(asked.start, answer.start)
}

/** The last answer decides; without one, the newest span that knows a state. */
const stateOf = (rows: ReadonlyArray<Reading.SpanRow>): string | undefined => {
  const state = (row: Reading.SpanRow | undefined) =>
    row && Reading.text(row.attributes, Attribute.toolspanApprovalState)
  const answer = rows.findLast((row) =>
    Reading.stageOf(row) === "approval" && eventOf(row) !== "requested" && state(row) !== undefined
  )
  return state(answer) ?? state(rows.findLast((row) => state(row) !== undefined))
}

const eventOf = (row: Reading.SpanRow) => Reading.text(row.attributes, Attribute.toolspanApprovalEvent)

const outcomeOf = (row: Reading.SpanRow | undefined) => row && Reading.text(row.attributes, Attribute.toolspanOutcome)

const first = (rows: ReadonlyArray<Reading.SpanRow>, key: string): string | undefined => {
  for (const row of rows) {
    const value = Reading.text(row.attributes, key)
    if (value !== undefined) return value
  }
  return undefined
}

const distinct = (values: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(values)]
