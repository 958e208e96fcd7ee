/** The span of a turn that no host makes: a recorder's. */
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import type { Place } from "../lifecycle/SpanWriter.ts"
import * as Attribute from "../semconv/attribute.ts"
import * as SpanName from "../semconv/span.ts"
import * as Ending from "./ending.ts"
import * as StageSpan from "./stageSpan.ts"

/** How a turn arrives: in one piece, or streamed. */
export type Mode = "generate" | "stream"

const names: Readonly<Record<Mode, string>> = { generate: SpanName.turns[0], stream: SpanName.turns[1] }

/** Opens a turn's span under Effect's own name for one: every reader knows a turn by it. */
export const openTurn = (place: Place, mode: Mode, startTime: bigint): Tracer.Span => {
  const span = StageSpan.open(place, names[mode], "internal", startTime)
  if (span.sampled) StageSpan.surroundings(place, span)
  return span
}

/** Ends a turn's span; `errorType` is the kind of its failure. */
export const endTurn = (
  span: Tracer.Span,
  facts: { readonly errorType: string | undefined; readonly interrupted: boolean },
  time: bigint
): void => {
  if (facts.errorType !== undefined) span.attribute(Attribute.errorType, facts.errorType)
  span.end(
    time,
    facts.interrupted ? Ending.interrupted : facts.errorType === undefined ? Exit.void : Ending.failed(facts.errorType)
  )
}
