/** What a run left behind in telemetry, as plain data. */

export type Value = string | number | boolean | ReadonlyArray<string | number | boolean | null | undefined>

export type Values = Readonly<Record<string, Value | undefined>>

export interface SpanRecord {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  /** Seconds and nanoseconds. */
  readonly start: readonly [number, number]
  readonly end: readonly [number, number]
  readonly attributes: Values
  readonly status: { readonly error: boolean; readonly message: string | undefined }
  readonly events: ReadonlyArray<EventRecord>
  readonly links: ReadonlyArray<LinkRecord>
}

export interface EventRecord {
  readonly name: string
  readonly time: readonly [number, number]
  readonly attributes: Values
}

export interface LinkRecord {
  readonly traceId: string
  readonly spanId: string
  readonly attributes: Values
}

export interface Trail {
  readonly spans: Array<SpanRecord>
  /** How often each span id was started, ended and exported. */
  readonly started: Map<string, number>
  readonly ended: Map<string, number>
  readonly exported: Map<string, number>
  readonly logs: Array<string>
}

/** Nanoseconds since 1970. */
export const nanos = (time: readonly [number, number]): bigint => BigInt(time[0]) * 1_000_000_000n + BigInt(time[1])

/** The traces of the `app` spans, in the order of the turns. */
export const turnTraces = (spans: ReadonlyArray<SpanRecord>): ReadonlyArray<string> =>
  spans.filter((span) => span.name === "app" && span.parentSpanId === undefined)
    .sort((a, b) => (nanos(a.start) < nanos(b.start) ? -1 : 1))
    .map((span) => span.traceId)

export const stageNames = ["tool_call", "tool_approval", "execute_tool", "tool_result"] as const

/** What kind of span it is, by its name: a stage, `chat`, `turn`, or `other`. */
export const kindOf = (span: SpanRecord): (typeof stageNames)[number] | "chat" | "turn" | "other" => {
  const first = span.name.split(" ")[0] ?? ""
  const stage = stageNames.find((name) => name === first)
  if (stage !== undefined) return stage
  if (first === "chat") return "chat"
  return first.startsWith("LanguageModel.") ? "turn" : "other"
}

export const spanName = (name: string, pattern: string): boolean =>
  !pattern.endsWith("*")
    ? name === pattern
    : name.startsWith(pattern.slice(0, -1)) || (pattern === "chat *" && name === "chat")
