/** What a block says in words and a run can be checked for. Words without a check here are told as such, not failed. */
import * as Attribute from "../../../src/semconv/attribute.ts"
import * as Event from "../../../src/semconv/event.ts"
import type { HandlerRun } from "../toolkit.ts"
import { registeredContent } from "./content.ts"
import { kindOf, nanos, type SpanRecord, turnTraces } from "../trail.ts"
import { onlyIn } from "./never.ts"

/** What a check may look at. */
export interface TextContext {
  readonly spans: ReadonlyArray<SpanRecord>
  readonly openCalls: number | undefined
  readonly handlerRuns: ReadonlyArray<Pick<HandlerRun, "id" | "startedAt" | "endedAt">>
  /** How often the app's values were looked into, with us and without, but for the attributes that we drop. */
  readonly asked: { readonly ours: number; readonly theirs: number }
  /** The reasons of the denials in the prompts. */
  readonly reasons: ReadonlyArray<string>
  readonly sibling: string
}

type Check = (context: TextContext, match: RegExpExecArray) => ReadonlyArray<string>

const stages = (spans: ReadonlyArray<SpanRecord>, kind: string) => spans.filter((span) => kindOf(span) === kind)

const linksIn = (spans: ReadonlyArray<SpanRecord>, from: string | undefined, type: string) =>
  spans.filter((span) => span.traceId === from).flatMap((span) => span.links)
    .filter((link) => link.attributes[Attribute.toolspanLinkType] === type)

const leadTo = (context: TextContext, types: string, from: string, to: string): ReadonlyArray<string> => {
  const traces = turnTraces(context.spans)
  return types.split(/ and |, /).map((type) => type.replace(/^(two|three|the|its) /, "")).flatMap((type) => {
    const links = linksIn(context.spans, traces[Number(from) - 1], type)
    if (links.length === 0) return [`turn ${from} has no ${type} link`]
    return links.filter((link) => link.traceId !== traces[Number(to) - 1]).map(() =>
      `a ${type} link of turn ${from} does not go to turn ${to}`
    )
  })
}

const checks: ReadonlyArray<readonly [RegExp, Check]> = [
  [/toolspan\.call\.key is the same on the (\w+) spans/, ({ spans }) => {
    const keys = new Set(
      spans.map((span) => span.attributes[Attribute.toolspanCallKey]).filter((key) => key !== undefined)
    )
    return keys.size === 1 ? [] : [`toolspan.call.key: expected one, came ${[...keys].join(", ") || "none"}`]
  }],
  [
    /the second turn's request has no consumes link/,
    ({ spans }) => linksIn(spans, turnTraces(spans)[1], "consumes").map(() => "turn 2 has a consumes link")
  ],
  [/no two execute_tool spans overlap/, ({ spans }) => {
    const runs = stages(spans, "execute_tool").sort((a, b) => (nanos(a.start) < nanos(b.start) ? -1 : 1))
    return runs.slice(1).flatMap((run, i) =>
      nanos(run.start) < nanos(runs[i]!.end) ? ["two execute_tool spans overlap"] : []
    )
  }],
  [/each starts when its handler starts/, ({ handlerRuns, spans }) => {
    const runs = [...handlerRuns].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    // By the clock of the spans: no later than its own handler, and no earlier than its decision was whole and the
    // handler before it had ended.
    return runs.flatMap(({ id, startedAt }, i) => {
      const span = (kind: string) => stages(spans, kind).find((one) => one.attributes[Attribute.genAiToolCallId] === id)
      const [decided, executed] = [span("tool_call"), span("execute_tool")]
      if (decided === undefined || executed === undefined) return [`${id}: no tool_call or no execute_tool span`]
      const [start, free] = [nanos(executed.start), runs[i - 1]?.endedAt ?? 0n]
      return start <= startedAt && start >= free && start >= nanos(decided.end)
        ? []
        : ["an execute_tool span does not start when its handler does"]
    })
  }],
  [
    /each leaf that JSON cannot hold becomes a marker and its siblings stay/,
    ({ sibling, spans }) =>
      spans.flatMap((span) =>
        registeredContent(span).flatMap(([key, value]) => {
          const missing = value.split(sibling).length - 1
          const cut = span.attributes[Attribute.toolspanContentTruncated] === true
          return missing >= 13 || (cut && missing > 0)
            ? []
            : [`${key} on ${span.name}: only ${missing} siblings are there`]
        })
      )
  ],
  [
    /no attribute number outside int64/,
    ({ spans }) =>
      spans.flatMap((span) =>
        Object.entries(span.attributes).filter(([, value]) => typeof value === "number" && !(Math.abs(value) < 2 ** 63))
          .map(([key, value]) => `${key} on ${span.name} is ${String(value)}`)
      )
  ],
  [
    /no getter and no toJSON|not serialized a second time/,
    ({ asked }) =>
      asked.ours === asked.theirs
        ? []
        : [`the app's value was looked into ${asked.ours} times, without us ${asked.theirs}`]
  ],
  [
    /no captured value has more than ([\d,]+) UTF-8 bytes and none ends inside a character/,
    ({ spans }, [, bytes]) =>
      spans.flatMap((span) =>
        registeredContent(span).flatMap(([key, value]) => {
          const size = Buffer.byteLength(value)
          const whole = Buffer.from(value).toString() === value && !value.includes("\uFFFD")
          const most = Number(bytes!.replaceAll(",", ""))
          return [
            ...(size > most ? [`${key} on ${span.name} has ${size} bytes`] : []),
            ...(whole ? [] : [`${key} on ${span.name} ends inside a character`])
          ]
        })
      )
  ],
  [
    /no state of \w+ is kept/,
    ({ openCalls }) =>
      openCalls === undefined || openCalls === 0 ? [] : [`open calls: expected none, came ${openCalls}`]
  ],
  [
    /exactly (\d+) toolspan\.preliminary events, each with another toolspan\.preliminary\.index; it ends after the last/,
    ({ spans }, [, count]) =>
      stages(spans, "execute_tool").flatMap((span) => {
        const events = span.events.filter((event) => event.name === Event.preliminary)
        const indexes = new Set(events.map((event) => event.attributes[Attribute.toolspanPreliminaryIndex]))
        const late = events.some((event) => nanos(event.time) > nanos(span.end))
        return events.length === Number(count) && indexes.size === Number(count) && !late
          ? []
          : [`${events.length} preliminary events with ${indexes.size} indexes${late ? ", some after the end" : ""}`]
      })
  ],
  [
    /(?:the )?([\w ]+) links of turn (\d+) go to turn (\d+)'s/,
    (context, [, types, from, to]) => leadTo(context, types!, from!, to!)
  ],
  [
    /turn (\d+)'s ([\w ]+?) links? goe?s? to turn (\d+)'s/,
    (context, [, from, types, to]) => leadTo(context, types!, from!, to!)
  ],
  [
    /turn (\d+)'s [^,]+, its ([\w ]+?) links to its own/,
    (context, [, turn, types]) => leadTo(context, types!, turn!, turn!)
  ],
  [
    /no span of toolspan and not the turn's span has the reason in any other/,
    ({ reasons, spans }) =>
      reasons.flatMap((reason) =>
        onlyIn(reason, [Attribute.toolspanApprovalReason, Attribute.genAiToolCallResult], spans)
      )
  ],
  // Checked for every link, or in every run.
  [
    /approved_by goes to the approval|no execute_tool span is an ancestor|the app calls handle\(|without conversation ids/,
    () => []
  ]
]

/** What does not hold of the text, and whether any of it could be checked. */
export const checkText = (text: string, context: TextContext) => {
  const matched = checks.map(([pattern, check]) => [pattern.exec(text), check] as const).filter(([match]) =>
    match !== null
  )
  return {
    checked: matched.length > 0,
    failures: matched.flatMap(([match, check]) => check(context, match!)).map((failure) => `in words: ${failure}`)
  }
}
