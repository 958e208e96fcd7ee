/** Tool calls of several shapes, as the spans that they leave behind. */
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { type SpanDraft, spanRow, type Values } from "./SpanBuilder.ts"

/** What every stage span of one call has. */
export const callValues = (id: string, tool: string, extra: Values = {}): Values => ({
  [Attribute.genAiToolName]: tool,
  [Attribute.genAiToolCallId]: id,
  [Attribute.genAiToolType]: "function",
  [Attribute.toolspanCallKey]: id,
  [Attribute.toolspanCallIdSource]: "provider",
  [Attribute.toolspanApprovalState]: "not_required",
  ...extra
})

/** A turn with one provider request in it. */
export const turn = (trace: string, at: number, took: number, chat: Partial<SpanDraft> = {}): Array<SpanDraft> => [
  { label: `${trace}/turn`, name: "LanguageModel.generateText", at, took },
  {
    label: `${trace}/chat`,
    parent: `${trace}/turn`,
    name: "chat claude-x",
    at: at + 5,
    took: took - 20,
    ...chat,
    attributes: {
      [Attribute.genAiOperationName]: "chat",
      [Attribute.genAiProviderName]: "anthropic",
      [Attribute.genAiRequestModel]: "claude-x",
      ...chat.attributes
    }
  }
]

const stage = (stage: string) => ({ [Attribute.toolspanStage]: stage })

/** A call that is decided and run in trace `a` and used by the turn of trace `b`. */
export const plainCall = (id: string, options: {
  readonly tool?: string
  readonly a?: string
  readonly b?: string
  readonly at?: number
  readonly values?: Values
  readonly linkForm?: SpanDraft["linkForm"]
  readonly outcome?: string
} = {}): ReadonlyArray<SpanRow> => {
  const { a = "a", at = 0, b = "b", linkForm = "both", outcome = "success", tool = "weather" } = options
  const values = callValues(id, tool, options.values ?? {})
  const drafts: Array<SpanDraft> = [
    ...turn(a, at - 900, 1200),
    {
      label: `${a}/call ${id}`,
      parent: `${a}/chat`,
      name: `tool_call ${tool}`,
      at: at - 80,
      took: 80,
      attributes: { ...values, ...stage("decision"), [Attribute.toolspanCallParamsBytes]: 48n }
    },
    {
      label: `${a}/run ${id}`,
      parent: `${a}/turn`,
      name: `execute_tool ${tool}`,
      at: at + 2,
      took: 180,
      failed: outcome === "failure",
      attributes: {
        ...values,
        ...stage("execution"),
        [Attribute.genAiOperationName]: "execute_tool",
        [Attribute.toolspanOutcome]: outcome,
        ...(outcome === "failure" ? { [Attribute.errorType]: "Timeout" } : {})
      },
      links: [["decided_by", `${a}/call ${id}`]]
    },
    { label: `${a}/http ${id}`, parent: `${a}/run ${id}`, name: "GET forecast", at: at + 10, took: 150 },
    {
      label: `${a}/result ${id}`,
      parent: `${a}/turn`,
      name: `tool_result ${tool}`,
      at: at + 183,
      attributes: {
        ...values,
        ...stage("result"),
        [Attribute.toolspanOutcome]: outcome,
        [Attribute.toolspanResultOrigin]: "handler"
      },
      links: [["result_of", `${a}/run ${id}`]]
    },
    ...turn(b, at + 400, 700, { links: [["consumes", `${a}/result ${id}`]] })
  ]
  return drafts.map((draft) => spanRow({ linkForm, ...draft }))
}

/** A call that is asked for in trace `ask`, approved 42.3 s later and run in trace `go`, used there. */
export const approvedCall = (id: string, options: {
  readonly tool?: string
  readonly conversation?: string
  readonly linkForm?: SpanDraft["linkForm"]
  readonly chatEvents?: SpanDraft["events"]
} = {}): ReadonlyArray<SpanRow> => {
  const { linkForm = "both", tool = "send_email" } = options
  const said = options.conversation === undefined ? {} : { [Attribute.genAiConversationId]: options.conversation }
  const values = (state: string) =>
    callValues(id, tool, {
      ...said,
      [Attribute.toolspanApprovalState]: state,
      [Attribute.toolspanApprovalId]: "ap1"
    })
  const drafts: Array<SpanDraft> = [
    ...turn("ask", -1100, 1120),
    {
      label: `ask/call ${id}`,
      parent: "ask/chat",
      name: `tool_call ${tool}`,
      at: -210,
      took: 210,
      attributes: { ...values("pending"), ...stage("decision"), [Attribute.toolspanCallParamsDeltas]: 12n }
    },
    {
      label: `ask/asked ${id}`,
      parent: "ask/turn",
      name: `tool_approval ${tool}`,
      at: 5,
      attributes: { ...values("pending"), ...stage("approval"), [Attribute.toolspanApprovalEvent]: "requested" },
      links: [["decided_by", `ask/call ${id}`]]
    },
    {
      label: "go/turn",
      name: "LanguageModel.streamText",
      at: 42_290,
      took: 1400
    },
    {
      label: `go/answered ${id}`,
      parent: "go/turn",
      name: `tool_approval ${tool}`,
      at: 42_305,
      attributes: {
        ...values("approved"),
        ...stage("approval"),
        [Attribute.toolspanApprovalEvent]: "resolved",
        [Attribute.toolspanApprovalWait]: 42.3
      },
      links: [["answers", `ask/asked ${id}`]]
    },
    {
      label: `go/run ${id}`,
      parent: "go/turn",
      name: `execute_tool ${tool}`,
      at: 42_310,
      took: 183.4,
      attributes: {
        ...values("approved"),
        ...stage("execution"),
        [Attribute.genAiOperationName]: "execute_tool",
        [Attribute.toolspanOutcome]: "success"
      },
      links: [["decided_by", `ask/call ${id}`], ["approved_by", `go/answered ${id}`]]
    },
    { label: `go/compose ${id}`, parent: `go/run ${id}`, name: "compose message", at: 42_312, took: 20 },
    { label: `go/smtp ${id}`, parent: `go/run ${id}`, name: "smtp deliver", at: 42_340, took: 140 },
    { label: `go/dns ${id}`, parent: `go/smtp ${id}`, name: "dns lookup mail.example.org", at: 42_341, took: 11 },
    {
      label: `go/result ${id}`,
      parent: "go/turn",
      name: `tool_result ${tool}`,
      at: 42_494,
      attributes: {
        ...values("approved"),
        ...stage("result"),
        [Attribute.toolspanOutcome]: "success",
        [Attribute.toolspanResultOrigin]: "handler"
      },
      links: [["result_of", `go/run ${id}`]]
    },
    {
      label: "go/chat",
      parent: "go/turn",
      name: "chat claude-x",
      at: 42_506,
      took: 1150,
      attributes: {
        ...said,
        [Attribute.genAiOperationName]: "chat",
        [Attribute.genAiProviderName]: "anthropic",
        [Attribute.genAiRequestModel]: "claude-x"
      },
      links: [["consumes", `go/result ${id}`]],
      events: options.chatEvents ?? []
    }
  ]
  return drafts.map((draft) => spanRow({ linkForm, ...draft }))
}
