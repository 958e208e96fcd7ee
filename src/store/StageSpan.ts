/**
 * What a stage span says of the call that it belongs to, as far as calls are grouped, searched and counted by it.
 */
import type { Attributes, SpanRow } from "../otlp/SpanRow.ts"
import { attributeOf, textOf } from "../otlp/SpanRow.ts"
import * as Attribute from "../semconv/attribute.ts"
import type { Stage } from "../semconv/registry.ts"
import * as SpanName from "../semconv/span.ts"
import * as LinkTarget from "./LinkTarget.ts"

/** A stage span; `""` and `undefined` are what it does not say. */
export interface StageSpan {
  /** `<trace id>-<span id>`. */
  readonly address: string
  readonly traceId: string
  readonly start: bigint
  readonly end: bigint
  readonly stage: Stage
  readonly id: string | undefined
  /** `toolspan.call.key`, else the id. */
  readonly key: string | undefined
  readonly conversation: string | undefined
  /** Whether the writer saw that the span could belong to two calls. */
  readonly ambiguous: boolean
  /** The spans of the same call that it links to. */
  readonly targets: ReadonlyArray<string>
  readonly tool: string | undefined
  readonly requested: string | undefined
  readonly state: string | undefined
  readonly outcome: string | undefined
  /** `toolspan.approval.event`. */
  readonly event: string | undefined
  /** `toolspan.approval.wait` in milliseconds. */
  readonly wait: number | undefined
  readonly service: string | undefined
}

const stages: ReadonlySet<string> = new Set<Stage>(["decision", "approval", "execution", "result"])

/** The link types that join the spans of one call. */
const joining: ReadonlySet<string> = new Set(["decided_by", "approved_by", "answers", "result_of"])

const serviceName = "service.name"

/** One text that identifies a span. */
export const addressOf = ({ spanId, traceId }: { readonly traceId: string; readonly spanId: string }): string =>
  `${traceId}-${spanId}`

/** The stage of a span; an `execute_tool` span of another instrumentation is an execution. */
export const stageOf = ({ attributes }: { readonly attributes: Attributes }): Stage | undefined => {
  const stage = textOf(attributes, Attribute.toolspanStage)
  if (stage !== undefined) return stages.has(stage) ? stage as Stage : undefined
  return textOf(attributes, Attribute.genAiOperationName) === SpanName.executeTool ? "execution" : undefined
}

const waitOf = (attributes: Attributes): number | undefined => {
  const value = attributeOf(attributes, Attribute.toolspanApprovalWait)
  const seconds = typeof value === "bigint" ? Number(value) : value
  return typeof seconds === "number" && Number.isFinite(seconds * 1000) ? seconds * 1000 : undefined
}

/** What the span says; `undefined` when it is no stage span. `links` are those of `LinkTarget.ofRow`. */
export const ofRow = (
  row: SpanRow,
  links: ReadonlyArray<LinkTarget.LinkTarget> = LinkTarget.ofRow(row)
): StageSpan | undefined => {
  const stage = stageOf(row)
  if (stage === undefined) return undefined
  const { attributes } = row
  const id = textOf(attributes, Attribute.genAiToolCallId)
  return {
    address: addressOf(row),
    traceId: row.traceId,
    start: row.start,
    end: row.end,
    stage,
    id,
    key: textOf(attributes, Attribute.toolspanCallKey) ?? id,
    conversation: textOf(attributes, Attribute.genAiConversationId),
    ambiguous: attributeOf(attributes, Attribute.toolspanLinkAmbiguous) === true,
    targets: links.filter(({ type }) => joining.has(type)).map(addressOf),
    tool: textOf(attributes, Attribute.genAiToolName),
    requested: textOf(attributes, Attribute.toolspanToolRequestedName),
    state: textOf(attributes, Attribute.toolspanApprovalState),
    outcome: textOf(attributes, Attribute.toolspanOutcome),
    event: textOf(attributes, Attribute.toolspanApprovalEvent),
    wait: waitOf(attributes),
    service: textOf(row.resource.attributes, serviceName)
  }
}
