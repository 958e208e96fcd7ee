/** The story of a tool call, as text for people. */
import { millisBetween } from "../query/Instant.ts"
import { originText } from "../query/originText.ts"
import { addressText } from "../query/SpanReading.ts"
import type { Approval, Consumer, Decision, Execution, ResultPart, Story } from "../query/Story.ts"
import * as Column from "./Column.ts"
import * as Elapsed from "./Elapsed.ts"
import { inert } from "./InertText.ts"
import type { Mark, Style } from "./Style.ts"
import { looks, waterfall } from "./Waterfall.ts"

/** One line of the account: which stage, what happened, and details below it. */
interface Fact {
  readonly label: string
  readonly mark: Mark
  readonly text: string
  readonly details?: ReadonlyArray<string>
}

/** Labels stand in a column of this width. */
const labelWidth = 13
/** An id that is longer is no id that somebody wants to read. */
const maxId = 120

/** The lines of one story. Times are relative to the decision, or to the first thing that is known. */
export const storyText = (story: Story, width: number, style: Style): ReadonlyArray<string> => {
  const origin = story.call.decidedAt ?? story.call.startedAt
  const facts = [
    ...decided(story),
    ...approval(story, origin),
    ...executions(story, origin),
    ...results(story),
    ...consumers(story),
    ...faults(story, origin)
  ]
  return [
    ...heading(story, width, style),
    "",
    ...facts.flatMap((fact) => factLines(fact, width, style)),
    ...waterfall(story, origin, width, style)
  ]
}

/** Words for a value of the contract: `not_required` reads as `not required`. */
export const words = (value: string): string => inert(value).replaceAll("_", " ")

/** The colour of an outcome or approval state. */
export const tone = (value: string | undefined): Mark => {
  switch (value) {
    case undefined:
    case "not_required":
      return "faint"
    case "success":
    case "approved":
      return "green"
    case "pending":
    case "interrupted":
    case "not_started":
    case "denied":
    case "abandoned":
      return "yellow"
    default:
      return "red"
  }
}

const heading = ({ call, violations }: Story, width: number, style: Style): ReadonlyArray<string> => {
  const marks = [
    ...(call.state === undefined || call.state === "not_required"
      ? []
      : [[words(call.state), tone(call.state)] as const]),
    ...(call.outcome === undefined || call.outcome === call.state
      ? []
      : [[words(call.outcome), tone(call.outcome)] as const]),
    ...(call.providerExecuted ? [["run by the provider", "faint"] as const] : []),
    ...(violations.length === 0 ? [] : [[count(violations.length, "fault"), "red"] as const])
  ]
  const rest = marks.map(([text]) => ` · ${text}`).join("")
  const name = Column.fit(inert(call.tool), Math.max(8, width - Column.widthOf(rest)))
  const about = [
    call.id === undefined ? `no id (key ${inert(call.key)})` : inert(call.id).slice(0, maxId),
    ...(call.id !== undefined && call.key !== call.id ? [`key ${inert(call.key)}`] : []),
    ...(call.conversation === undefined ? [] : [`conversation ${inert(call.conversation)}`]),
    ...(call.agent === undefined ? [] : [`agent ${inert(call.agent)}`])
  ]
  return [
    style.bold(name) + marks.map(([text, mark]) => `${style.faint(" · ")}${style[mark](text)}`).join(""),
    ...Column.wrap(about.join(" · "), width).map(style.faint)
  ]
}

const decided = ({ approvals, call, decisions, results, violations }: Story): ReadonlyArray<Fact> => {
  if (decisions.length === 0) {
    const known = call.executions + approvals.length + results.length
    const text = violations.length > 0 && known === 0
      ? "not seen: only faults that name this call are known"
      : "not seen: the turn that asked for it is not in this store"
    return [{ label: "decided", mark: "faint", text }]
  }
  return decisions.map((decision) => ({
    label: "decided",
    mark: looks.decision.mark,
    text: `${by(decision.model, decision.provider)} asked for it${inTurn(decision)}`
      + (call.known ? "" : ", but the toolkit has no such tool")
      + (decision.incomplete ? "; its stream ended before the call was whole" : ""),
    details: [
      [Elapsed.moment(decision.at), trace(decision.span), ...streamed(decision)].join(" · "),
      ...content("arguments", decision.arguments),
      ...cut(decision)
    ]
  }))
}

const streamed = ({ durationMillis, paramsBytes, paramsDeltas }: Decision): ReadonlyArray<string> => [
  ...(paramsBytes === undefined ? [] : [`${count(paramsBytes, "byte")} of arguments`]),
  ...(paramsDeltas === undefined
    ? []
    : [`streamed in ${count(paramsDeltas, "piece")} over ${Elapsed.duration(durationMillis)}`])
]

const approval = ({ approvals, call }: Story, origin: bigint): ReadonlyArray<Fact> => {
  if (approvals.length === 0) {
    if (call.state === undefined) return []
    return [{ label: "approval", mark: tone(call.state), text: words(call.state) }]
  }
  const asked = approvals.find(({ event }) => event === "requested")
  const answers = approvals.filter(({ event }) => event !== "requested")
  const before = asked === undefined ? "asked elsewhere" : `asked ${after(origin, asked.at, "the decision")}`
  if (answers.length === 0) return [{ label: "approval", mark: "yellow", text: `${before}; no answer yet` }]
  return answers.map((answer, index) => ({
    label: "approval",
    mark: tone(answer.state),
    text: `${index === 0 ? `${before}; ` : "then "}${answerText(answer)}`,
    details: content("reason", answer.reason)
  }))
}

const answerText = ({ event, state, waitMillis }: Approval): string => {
  if (event === "abandoned") return "never answered: the conversation went on without it"
  const waited = waitMillis === undefined ? "" : ` after ${Elapsed.duration(waitMillis)}`
  return state === "approved" || state === "denied"
    ? `a human ${state} it${waited}`
    : `answered${waited}: ${words(state ?? "?")}`
}

const executions = ({ call, decisions, executions, traces }: Story, origin: bigint): ReadonlyArray<Fact> => {
  if (executions.length === 0) return [{ label: "execution", mark: "faint", text: whyNotRun(call) }]
  return executions.map((execution, index) => ({
    label: executions.length === 1 ? "execution" : `execution ${index + 1}`,
    mark: execution.outcome === "success" ? looks.execution.mark : tone(execution.outcome),
    text: `${call.known ? "the handler ran" : "was tried"} for ${Elapsed.duration(execution.durationMillis)}, starting `
      + `${after(origin, execution.at, "the decision")}${whichTurn(execution, decisions)}: ${outcomeText(execution)}`,
    details: [
      ...inside(execution, traces),
      ...(execution.preliminary === undefined ? [] : [count(execution.preliminary, "preliminary result")]),
      ...content("arguments", execution.arguments),
      ...content("result", execution.result),
      ...content("error", execution.errorMessage),
      ...cut(execution)
    ]
  }))
}

/** What the app itself did inside a run: its outermost spans by name. */
const inside = ({ inside, span }: Execution, traces: Story["traces"]): ReadonlyArray<string> => {
  if (inside === 0) return []
  const spans = traces.find((trace) => trace.traceId === span.traceId)?.spans ?? []
  const named = spans.filter((inner) => inner.parentSpanId === span.spanId).slice(0, 4).map((inner) =>
    `${Column.fit(inert(inner.name), 40)} (${Elapsed.duration(inner.durationMillis)}${inner.failed ? ", failed" : ""})`
  )
  const rest = inside - named.length
  return [`inside it: ${named.join(", ")}${rest > 0 ? ` and ${count(rest, "more span")}` : ""}`]
}

const whyNotRun = ({ decidedAt, outcome, providerExecuted, state }: Story["call"]): string => {
  if (providerExecuted) return "none here: the provider ran the tool itself"
  if (state === "denied") return "none: it was denied"
  if (state === "pending") return "none yet: it waits for the answer"
  if (state === "abandoned") return "none: the approval was never answered"
  if (outcome === "not_started") return "none: the turn ended before the handler could start"
  return decidedAt === undefined ? "not seen" : "none seen"
}

const outcomeText = ({ errorType, failureMode, failureOrigin, outcome }: Execution): string => {
  if (outcome === undefined) {
    return errorType === undefined
      ? "its outcome is not told"
      : `failed with ${inert(errorType)}`
  }
  const cause = errorType === undefined ? "" : ` with ${inert(errorType)}`
  const origin = failureOrigin === undefined || outcome !== "failure" ? "" : `, in its ${words(failureOrigin)}`
  const returned = failureMode === "return" && outcome !== "success" ? ", handed to the model as a result" : ""
  return `${words(outcome)}${cause}${origin}${returned}`
}

const whichTurn = (execution: Execution, decisions: ReadonlyArray<Decision>): string => {
  const decidedIn = decisions[0]?.turn
  if (execution.turn === undefined || decidedIn === undefined) return ""
  const same = execution.turn.spanId === decidedIn.spanId && execution.turn.traceId === decidedIn.traceId
  return same ? ", in the same turn" : `, in a later turn (${trace(execution.span)})`
}

const results = ({ call, results, violations }: Story): ReadonlyArray<Fact> => {
  if (results.length === 0) {
    const waits = call.state === "pending"
    return waits ? [] : [{ label: "result", mark: "faint", text: "none seen" }]
  }
  return results.map((result: ResultPart) => ({
    label: "result",
    mark: tone(result.outcome),
    text: [
      result.outcome === undefined ? "known" : words(result.outcome),
      ...(result.origin === undefined
        ? []
        : [inert(originText({ origin: result.origin, outcome: result.outcome, faults: violations }))]),
      ...(result.bytes === undefined ? [] : [count(result.bytes, "byte")])
    ].join(", "),
    details: content("result", result.result)
  }))
}

/** When a result was carried. A result that the request itself brings is seen a little after the request began. */
const carriedAt = (consumer: Consumer, results: Story["results"]): string => {
  const carried = new Set(consumer.results.map(addressText))
  const result = results.findLast(({ span }) => carried.has(addressText(span))) ?? results.at(-1)!
  return consumer.at < result.at && consumer.span.traceId === result.span.traceId
    ? ", whose request was the first to have it"
    : `, ${after(result.at, consumer.at, "the result")}`
}

const consumers = ({ consumers, results }: Story): ReadonlyArray<Fact> => {
  if (results.length === 0) return []
  if (consumers.length === 0) return [{ label: "used by", mark: "faint", text: "no turn yet" }]
  return consumers.map((consumer: Consumer) => ({
    label: "used by",
    mark: looks.consumer.mark,
    text: `${by(consumer.model, undefined)}${inTurn(consumer)}${carriedAt(consumer, results)} (${trace(consumer.span)})`
  }))
}

const faults = ({ violations }: Story, origin: bigint): ReadonlyArray<Fact> =>
  violations.map((violation) => ({
    label: "fault",
    mark: "red",
    text: violation.explanation,
    details: [[
      inert(violation.kind),
      ...(violation.scope === undefined ? [] : [`in the ${words(violation.scope)}`]),
      ...(violation.otherName === undefined ? [] : [`the other name is ${inert(violation.otherName)}`]),
      ...(violation.approvalId === undefined ? [] : [`approval ${inert(violation.approvalId)}`]),
      ...(violation.truncated === true ? ["the arguments were cut off"] : []),
      `told by ${inert(violation.span.name)} at ${Elapsed.offset(millisBetween(origin, violation.at))}`
    ].join(" · ")]
  }))

const factLines = ({ details = [], label, mark, text }: Fact, width: number, style: Style): ReadonlyArray<string> => {
  const room = Math.max(16, width - labelWidth - 2)
  const margin = " ".repeat(labelWidth + 2)
  const [first, ...rest] = Column.wrap(text, room)
  return [
    `  ${style[mark](Column.left(label, labelWidth))}${first!}`,
    ...rest.map((line) => `${margin}${line}`),
    ...details.flatMap((detail) => Column.wrap(detail, room)).map((line) => `${margin}${style.faint(line)}`)
  ]
}

const by = (model: string | undefined, provider: string | undefined): string => inert(model ?? provider ?? "a model")

const inTurn = ({ turn }: { readonly turn?: { readonly name: string } }): string =>
  turn === undefined ? "" : ` in a ${inert(turn.name).replace(/^LanguageModel\./, "")} turn`

/** The first digits are enough to find the trace below. */
const trace = ({ traceId }: { readonly traceId: string }): string => `trace ${traceId.slice(0, 8)}`

const after = (from: bigint, to: bigint, what: string): string => {
  const millis = millisBetween(from, to)
  return millis < 0 ? `${Elapsed.duration(-millis)} before ${what}` : `${Elapsed.duration(millis)} after ${what}`
}

const count = (amount: number, noun: string): string =>
  `${amount.toLocaleString("en-US")} ${noun}${amount === 1 ? "" : "s"}`

/** What the app itself has left out. */
const cut = ({ contentCut }: { readonly contentCut?: boolean }): ReadonlyArray<string> =>
  contentCut === true ? ["what was captured is cut at the app's limit (TOOLSPAN_CONTENT_MAX_BYTES)"] : []

/** Captured content is shown from its beginning; the JSON has it whole. */
const content = (label: string, value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : [`${label} ${Column.fit(inert(value.slice(0, 2000)), 400)}`]
