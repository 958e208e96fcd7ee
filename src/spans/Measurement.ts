/** Measurements of this process by Effect's metrics: whatever reads the app's metric registry finds them there. */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { MetricDefinition } from "../semconv/metric.ts"
import { overflowLabel, unitLabel } from "../semconv/metric.ts"

/** The labels of one measurement; one that is `undefined` is left out. */
export type Labels = Readonly<Record<string, string | undefined>>

/** Label sets of one metric at most, as in the collector; what comes after them is counted together. */
const maximumSeries = 2000

const overflow: Readonly<Record<string, string>> = { [overflowLabel]: "true" }

interface Series {
  readonly metric: Metric.Metric<number, unknown>
  readonly context: Context.Context<never>
}

type Registry = Metric.MetricRegistry

const registries = new WeakMap<Registry, Map<MetricDefinition, Map<string, Series>>>()

const seriesOf = (registry: Registry, definition: MetricDefinition): Map<string, Series> => {
  let definitions = registries.get(registry)
  if (definitions === undefined) registries.set(registry, definitions = new Map())
  let series = definitions.get(definition)
  if (series === undefined) definitions.set(definition, series = new Map())
  return series
}

const make = (registry: Registry, definition: MetricDefinition, labels: Readonly<Record<string, string>>): Series => {
  // Effect's exporters take a metric's unit from the attribute of this name, which stays a label.
  const attributes = definition.unit === undefined ? labels : { ...labels, [unitLabel]: definition.unit }
  const metric: Metric.Metric<number, unknown> = definition.kind === "counter"
    ? Metric.counter(definition.name, { attributes, incremental: true })
    // Effect's own boundaries end in Infinity: exporters of the older line leave the last one out, whatever it is.
    : Metric.histogram(definition.name, { attributes, boundaries: [...definition.buckets ?? [], Infinity] })
  // Only the registry: labels that the app puts on its own metrics would make other series than the collector's.
  return { metric, context: Context.make(Metric.MetricRegistry, registry) as Context.Context<never> }
}

/** Adds 1 to a counter, or a value to a histogram. */
export const record = (registry: Registry, definition: MetricDefinition, labels: Labels, value = 1): void => {
  const all = seriesOf(registry, definition)
  let key = ""
  for (const label of definition.labels) {
    const text = labels[label]
    key += text === undefined ? "\u0000" : `\u0001${text}`
  }
  let series = all.get(key)
  if (series === undefined) {
    const kept: Record<string, string> = {}
    for (const label of definition.labels) {
      const text = labels[label]
      if (text !== undefined) kept[label] = text
    }
    const full = all.size >= maximumSeries
    if (full) key = "\u0002"
    series = full ? all.get(key) ?? make(registry, definition, overflow) : make(registry, definition, kept)
    all.set(key, series)
  }
  series.metric.updateUnsafe(value, series.context)
}
