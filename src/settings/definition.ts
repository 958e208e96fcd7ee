/** What each environment variable of toolspan is: its name, the values it takes, its default and what it is for. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

const Flag = Schema.Literals(["true", "false", "1", "0"])

const PositiveInteger = Schema.FiniteFromString.check(Schema.isInt(), Schema.isGreaterThan(0))

const MILLIS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const DurationText = Schema.String.check(Schema.isPattern(/^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)?\s*$/))

const toMillis = (text: string): number => {
  const [, amount, unit] = /^\s*([\d.]+)\s*([a-z]*)/.exec(text) ?? []
  return Number(amount) * (unit ? MILLIS[unit as keyof typeof MILLIS] : 1)
}

/** A length of time as text: a number with `ms`, `s`, `m`, `h` or `d`, or a bare number of milliseconds. */
const Millis = DurationText.pipe(
  Schema.decodeTo(Schema.Finite.check(Schema.isGreaterThan(0)), {
    decode: SchemaGetter.transform(toMillis),
    encode: SchemaGetter.transform((millis: number) => `${millis}ms`)
  })
)

const define = <S extends Schema.Codec<unknown, string>>(
  name: string,
  schema: S,
  values: string,
  defaultText: string,
  doc: string
) => ({ name, schema, values, defaultText, doc })

/** The environment variables, by the setting that each decides. */
export const definitions = {
  disabled: define(
    "TOOLSPAN_DISABLED",
    Flag,
    "true or false",
    "false",
    "Switches toolspan off: nothing is wrapped and nothing is written."
  ),
  sdkDisabled: define(
    "OTEL_SDK_DISABLED",
    Flag,
    "true or false",
    "false",
    "Switches OpenTelemetry off, and toolspan with it."
  ),
  content: define(
    "TOOLSPAN_CONTENT",
    Schema.Literals(["off", "arguments", "results", "all"]),
    "off, arguments, results or all",
    "off",
    "What of a tool call's content is written. Beats OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT."
  ),
  captureMessageContent: define(
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    Flag,
    "true or false",
    "false",
    "The switch of the GenAI conventions: true is TOOLSPAN_CONTENT=all."
  ),
  contentMaxBytes: define(
    "TOOLSPAN_CONTENT_MAX_BYTES",
    PositiveInteger,
    "a positive whole number",
    "2048",
    "How many bytes of one content value are written at most."
  ),
  carrier: define(
    "TOOLSPAN_CARRIER",
    Schema.Literals(["off", "in-band"]),
    "off or in-band",
    "off",
    "How span contexts reach another process: in-band puts them into the tool-call parts."
  ),
  guard: define(
    "TOOLSPAN_GUARD",
    Schema.Literals(["off", "strict", "repair"]),
    "off, strict or repair",
    "off",
    "What happens to a broken history before it is sent."
  ),
  metrics: define(
    "TOOLSPAN_METRICS",
    Flag,
    "true or false",
    "false",
    "Counts and measures in this process, by Effect's metrics. Not together with a collector that makes them from spans."
  ),
  maxOpenCalls: define(
    "TOOLSPAN_MAX_OPEN_CALLS",
    PositiveInteger,
    "a positive whole number",
    "10000",
    "How many calls that still wait for something are remembered."
  ),
  openCallTtl: define(
    "TOOLSPAN_OPEN_CALL_TTL",
    Millis,
    "a length of time such as 24h, 30m, 90s or a number of milliseconds",
    "24h",
    "How long a call that still waits for something is remembered."
  )
} as const
