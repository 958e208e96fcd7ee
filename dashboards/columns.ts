/** Columns of the tables, each with where a click on it leads. */
import * as Attribute from "../src/semconv/attribute.ts"
import { labelName, serviceLabel } from "./promql.ts"
import type { Column } from "./tables.ts"

/** The dashboard that shows one call. */
export const finder = { uid: "toolspan-find-tool-call", title: "Find a tool call" }

const open = (variables: Readonly<Record<string, string>>): string =>
  `/d/${finder.uid}?${
    [
      "${__url_time_range}",
      "${tempo_datasource:queryparam}",
      "${prometheus_datasource:queryparam}",
      ...Object.entries(variables).map(([name, value]) => `var-${name}=${value}`)
    ].join("&")
  }`

/** Inside the finder the call and conversation stay what they are. */
const stay = { id: "${id:percentencode}", conversation: "${conversation:percentencode}" }
const value = "${__value.raw:percentencode}"
const traceOfRow = "${__data.fields.traceIdHidden}"

const attribute = (key: string, title: string, more: Partial<Column> = {}): Column => ({ from: [key], title, ...more })

/** When a span began. */
export const start: Column = { from: ["Start time", "time"], title: "Start" }
/** How long it took; Tempo tells nanoseconds. */
export const duration: Column = { from: ["Duration", "duration"], title: "Duration", unit: "ns" }
/** The name of a span. */
export const name: Column = { from: ["Name", "name"], title: "Span" }
/** The service that wrote it. */
export const service = attribute("service.name", "Service")
/** Its stage. */
export const stage = attribute(Attribute.toolspanStage, "Stage")
/** The tool. */
export const tool = attribute(Attribute.genAiToolName, "Tool")
/** Its status. */
export const status = attribute("status", "Status")
/** How an execution ended. */
export const outcome = attribute(Attribute.toolspanOutcome, "Outcome")
/** What failed. */
export const error = attribute(Attribute.errorType, "Error")
/** Where a result came from. */
export const origin = attribute(Attribute.toolspanResultOrigin, "Origin")
/** Whether the call was approved. */
export const approval = attribute(Attribute.toolspanApprovalState, "Approval")
/** Whether approval was asked for, answered or abandoned. */
export const approvalEvent = attribute(Attribute.toolspanApprovalEvent, "Approval event")
/** The approval. */
export const approvalId = attribute(Attribute.toolspanApprovalId, "Approval id")
/** How long the answer took. */
export const wait = attribute(Attribute.toolspanApprovalWait, "Wait", { unit: "s", number: true })
/** The key of a call. */
export const key = attribute(Attribute.toolspanCallKey, "Key")
/** The agent. */
export const agent = attribute(Attribute.genAiAgentName, "Agent")
/** The kind of fault. */
export const kind = attribute(Attribute.toolspanViolationKind, "Fault")
/** Where it was found. */
export const scope = attribute(Attribute.toolspanViolationScope, "Found in")

/** The call: a click finds it. */
export const call = attribute(Attribute.genAiToolCallId, "Tool call id", {
  links: [{ title: "Find this call", url: open({ id: value, trace: traceOfRow }) }]
})
/** The conversation: a click lists its calls. */
export const conversation = attribute(Attribute.genAiConversationId, "Conversation", {
  links: [{ title: "Calls of this conversation", url: open({ conversation: value }) }]
})
const spanColumn = (url: string): Column => ({
  from: ["Span ID", "spanID"],
  title: "Span id",
  links: [{ title: "Show its trace and links", url }]
})

/** The span, inside the finder: a click shows its trace, and the links that lead to it. */
export const span = spanColumn(open({ ...stay, trace: traceOfRow, span: value }))
/** The span, on other dashboards: a click goes to the finder. */
export const spanElsewhere = spanColumn(
  open({ id: `\${__data.fields["${call.title}"]:percentencode}`, trace: traceOfRow, span: value })
)

const nowhere = { "0000000000000000": "–", "00000000000000000000000000000000": "–" }

/** The trace to which a span links. */
export const linkedTrace = attribute("link:traceID", "Linked trace", { values: nowhere })
/** The span to which it links: a click goes there. */
export const linkedSpan = attribute("link:spanID", "Linked span", {
  values: nowhere,
  links: [{
    title: "Follow this link",
    url: open({ ...stay, trace: "${__data.fields[\"Linked trace\"]}", span: value })
  }]
})

/** The same links as attributes, `<trace>-<span>`: these tell the kind, and all links where a span has several. */
export const twins: ReadonlyArray<Column> = [
  attribute(Attribute.toolspanLinkDecidedBy, "Decided by"),
  attribute(Attribute.toolspanLinkApprovedBy, "Approved by"),
  attribute(Attribute.toolspanLinkAnswers, "Answers"),
  attribute(Attribute.toolspanLinkResultOf, "Result of")
]

/** Columns of figures from Prometheus. */
export const figures = {
  service: { from: [serviceLabel], title: "Service" },
  tool: { from: [labelName(Attribute.genAiToolName)], title: "Tool" },
  kind: { from: [labelName(Attribute.toolspanViolationKind)], title: "Fault" },
  value: (title: string, unit: string): Column => ({ from: ["Value"], title, unit })
}
