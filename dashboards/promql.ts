/** Words of PromQL, and the names that our metrics and attributes have at Prometheus. */
import type * as Metric from "../src/semconv/metric.ts"

/** What Prometheus calls an attribute. */
export const labelName = (attribute: string): string => attribute.replaceAll(".", "_")

/** The label of the service: the collector makes it from `service.name`. */
export const serviceLabel = labelName("service.name")

/** Prometheus spells units out. */
const units: Readonly<Record<string, string>> = { s: "seconds" }

/** What Prometheus calls a metric: dots become underscores, then come the unit and the ending of its kind. */
export const metricName = (metric: Metric.MetricDefinition, part: "bucket" | "sum" | "count" = "bucket"): string => {
  const unit = metric.unit === undefined ? "" : `_${units[metric.unit] ?? metric.unit}`
  return `${metric.name.replaceAll(".", "_")}${unit}_${metric.kind === "counter" ? "total" : part}`
}

/** A PromQL string: only backslash, quote and line end need an escape. */
export const text = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll("\"", "\\\"").replaceAll("\n", "\\n")}"`

/** One condition on a label. */
export interface Matcher {
  readonly label: string
  readonly operator: "=" | "!=" | "=~" | "!~"
  readonly value: string
}

/** The attribute has this value. */
export const is = (attribute: string, value: string): Matcher => ({
  label: labelName(attribute),
  operator: "=",
  value: text(value)
})

/** The attribute is there. */
export const present = (attribute: string): Matcher => ({
  label: labelName(attribute),
  operator: "!=",
  value: text("")
})

/** The attribute has one of these values, none of which holds a character that a pattern reads otherwise. */
export const oneOf = (attribute: string, ...values: ReadonlyArray<string>): Matcher =>
  values.length === 1
    ? is(attribute, values[0] ?? "")
    : { label: labelName(attribute), operator: "=~", value: text(values.join("|")) }

/**
 * The attribute is one of those chosen in a dashboard's variable.
 * Grafana's Prometheus source escapes the values for a pattern inside double quotes: the plain form is the safe one.
 */
export const chosen = (attribute: string, variable: string): Matcher => ({
  label: labelName(attribute),
  operator: "=~",
  value: `"$${variable}"`
})

/** The series of a metric under conditions. */
export const series = (name: string, matchers: ReadonlyArray<Matcher> = []): string =>
  matchers.length === 0
    ? name
    : `${name}{${matchers.map(({ label, operator, value }) => `${label}${operator}${value}`).join(", ")}}`

/** How often a second, over the window that fits the panel's resolution. */
export const rate = (selector: string, window = "$__rate_interval"): string => `rate(${selector}[${window}])`

/** How many in a window; without one in the whole time range of the dashboard. */
export const increase = (selector: string, window = "$__range", offset?: string): string =>
  `increase(${selector}[${window}]${offset === undefined ? "" : ` offset ${offset}`})`

/**
 * What a window adds to buckets. A histogram starts at its first observation, not at 0, so that `increase` alone never
 * sees it: a series that is younger than the window counts from what it had at first.
 */
export const observed = (buckets: string, window = "$__rate_interval"): string => {
  const added = increase(buckets, window)
  return `${added} + (min_over_time(${buckets}[${window}]) unless ${buckets} offset ${window}) or ${added}`
}

const unitMinutes: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 }

const minutes = (duration: string): number => Number.parseInt(duration, 10) * (unitMinutes[duration.slice(-1)] ?? 0)

/**
 * How many events a counter tells in a window, the first one too. A counter that begins at 1 instead of 0 has no
 * `increase`: what it has at its first sample in the window counts as well, less what it had when it was last seen in the
 * day before. So one that was away and comes back as it was tells nothing; one that comes back lower began anew.
 */
export const counted = (counter: string, window = "$__range", offset?: string): string => {
  const at = offset === undefined ? "" : ` offset ${offset}`
  const before = `offset ${offset === undefined ? window : `${minutes(window) + minutes(offset)}m`}`
  const first = `min_over_time(${counter}[${window}]${at})`
  const appeared = `(${first} - last_over_time(${counter}[1d] ${before}) >= 0 or ${first}) unless ${counter} ${before}`
  return `(${increase(counter, window, offset)} or 0 * ${first}) + (${appeared} or 0 * ${first})`
}

/** The same a second, over the window that fits the panel's resolution: `rate` alone shows nothing of such a first event. */
export const countedRate = (counter: string, by: ReadonlyArray<string>): string =>
  `${sum(counted(counter, "$__rate_interval"), by)} / ($__rate_interval_ms / 1000)`

/** The sum over everything but these labels. */
export const sum = (expression: string, by: ReadonlyArray<string> = []): string =>
  by.length === 0 ? `sum(${expression})` : `sum by (${by.map(labelName).join(", ")}) (${expression})`

/** A quantile of a histogram, one series for each set of these labels. */
export const quantile = (part: number, buckets: string, by: ReadonlyArray<string> = []): string =>
  `histogram_quantile(${part}, ${sum(buckets, ["le", ...by])})`

/** The largest so many. */
export const largest = (count: number, expression: string): string => `topk(${count}, ${expression})`

/** `part`, or 0 wherever `whole` has a series and `part` has none yet. */
export const orZero = (part: string, whole: string): string => `(${part} or 0 * ${whole})`

/** Which share of `whole` is `part`; 0 where there is no part. */
export const share = (part: string, whole: string): string => `${orZero(part, whole)} / ${whole}`

/** The name of a line: the values of these labels. */
export const legend = (...attributes: ReadonlyArray<string>): string =>
  attributes.map((attribute) => `{{${labelName(attribute)}}}`).join(" ")
