/** A tracer that remembers, and complains: about a second end, and about whatever is written after the first. */
import * as Cause from "effect/Cause"
import type * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import type { EventRecord, LinkRecord, SpanRecord, Trail, Value } from "../cases/trail.ts"

/** A tracer, what went through it as the checks of the case runner take it, and its complaints. */
export interface RecordingTracer {
  readonly tracer: Tracer.Tracer
  /** Ended spans in the order of their starts. */
  readonly trail: () => Trail
  readonly complaints: ReadonlyArray<string>
  /** The names of spans that have no end. */
  readonly open: () => ReadonlyArray<string>
}

const timeOf = (nanos: bigint): readonly [number, number] => [
  Number(nanos / 1_000_000_000n),
  Number(nanos % 1_000_000_000n)
]

const isError = (exit: Exit.Exit<unknown, unknown>): boolean =>
  exit._tag === "Failure" && !Cause.hasInterruptsOnly(exit.cause)

class RecordedSpan implements Tracer.Span {
  readonly _tag = "Span"
  readonly name: string
  readonly spanId: string
  readonly traceId: string
  readonly parent: Option.Option<Tracer.AnySpan>
  readonly annotations: Tracer.Span["annotations"]
  readonly links: Array<Tracer.SpanLink>
  readonly sampled: boolean
  readonly kind: Tracer.SpanKind
  readonly attributes = new Map<string, unknown>()
  readonly events: Array<EventRecord> = []
  readonly startTime: bigint
  status: Tracer.SpanStatus
  readonly #complain: (text: string) => void

  constructor(
    options: Parameters<Tracer.Tracer["span"]>[0],
    ids: { readonly spanId: string; readonly traceId: string },
    complain: (text: string) => void
  ) {
    this.name = options.name
    this.spanId = ids.spanId
    this.traceId = ids.traceId
    this.parent = options.parent
    this.annotations = options.annotations
    this.links = [...options.links]
    this.sampled = options.sampled
    this.kind = options.kind
    this.startTime = options.startTime
    this.status = { _tag: "Started", startTime: options.startTime }
    this.#complain = complain
  }

  #whileOpen(what: string): void {
    if (this.status._tag === "Ended") this.#complain(`${this.name}: ${what} after its end`)
  }

  end(endTime: bigint, exit: Exit.Exit<unknown, unknown>): void {
    if (this.status._tag === "Ended") this.#complain(`${this.name}: ended again`)
    if (endTime < this.startTime) this.#complain(`${this.name}: ended before it began`)
    this.status = { _tag: "Ended", startTime: this.startTime, endTime, exit }
  }

  attribute(key: string, value: unknown): void {
    this.#whileOpen(`attribute ${key}`)
    this.attributes.set(key, value)
  }

  event(name: string, startTime: bigint, attributes: Record<string, unknown> = {}): void {
    this.#whileOpen(`event ${name}`)
    this.events.push({ name, time: timeOf(startTime), attributes: attributes as EventRecord["attributes"] })
  }

  addLinks(links: ReadonlyArray<Tracer.SpanLink>): void {
    this.#whileOpen("a link")
    this.links.push(...links)
  }

  record(): SpanRecord | undefined {
    if (this.status._tag !== "Ended") return undefined
    const { endTime, exit } = this.status
    // Everything that any exporter could make of a failure.
    const failure = exit._tag === "Failure"
      ? `${Cause.pretty(exit.cause)} ${inspect(exit.cause, { depth: 10, showHidden: true })}`
      : ""
    return {
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: Option.getOrUndefined(this.parent)?.spanId,
      name: this.name,
      start: timeOf(this.startTime),
      end: timeOf(endTime),
      attributes: Object.fromEntries(this.attributes) as Record<string, Value>,
      status: { error: isError(exit), message: failure === "" ? undefined : failure },
      events: this.events,
      links: this.links.map((link): LinkRecord => ({
        traceId: link.span.traceId,
        spanId: link.span.spanId,
        attributes: { ...link.attributes } as LinkRecord["attributes"]
      }))
    }
  }
}

/** A recording tracer; its ids count up from `after`, so that two equal runs have equal ids and two processes can differ. */
export const make = (after = 0): RecordingTracer => {
  const spans: Array<RecordedSpan> = []
  const complaints: Array<string> = []
  const tracer = Tracer.make({
    span: (options) => {
      const number = after + spans.length + 1
      const parent = options.root ? undefined : Option.getOrUndefined(options.parent)
      const span = new RecordedSpan(options, {
        spanId: number.toString(16).padStart(16, "0"),
        traceId: parent?.traceId ?? number.toString(16).padStart(32, "0")
      }, (text) => complaints.push(text))
      spans.push(span)
      return span
    }
  })
  return {
    tracer,
    complaints,
    open: () => spans.filter((span) => span.status._tag === "Started").map((span) => span.name),
    trail: () => {
      const records = spans.map((span) => span.record()).filter((record) => record !== undefined)
      const once = (ids: ReadonlyArray<string>) => new Map(ids.map((id) => [id, 1]))
      const ended = once(records.map((record) => record.spanId))
      return { spans: records, started: once(spans.map((span) => span.spanId)), ended, exported: ended, logs: [] }
    }
  }
}
