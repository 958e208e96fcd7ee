/** The data points of OTLP metric requests in JSON, as lines that can be compared. */

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Point {
  readonly attributes: ReadonlyArray<Attribute>
  readonly asInt?: string | number
  readonly asDouble?: number
  readonly count?: string | number
  readonly sum?: number
  readonly explicitBounds?: ReadonlyArray<number>
  readonly bucketCounts?: ReadonlyArray<string | number>
}

interface Metric {
  readonly name: string
  readonly unit?: string
  readonly sum?: { readonly dataPoints: ReadonlyArray<Point>; readonly isMonotonic?: boolean }
  readonly histogram?: { readonly dataPoints: ReadonlyArray<Point> }
}

interface Request {
  readonly resourceMetrics?: ReadonlyArray<
    { readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<Metric> }> }
  >
}

/** One data point: a counter's value, or how many values a histogram has. */
export interface MetricPoint {
  readonly name: string
  readonly kind: "counter" | "histogram"
  readonly unit: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly bounds: ReadonlyArray<number>
  readonly sum: number
}

const labelsOf = (attributes: ReadonlyArray<Attribute>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(Object.values(value)[0])] as const).toSorted(([one], [other]) =>
      one < other ? -1 : 1
    )
  )

/** The points of the last of these bodies that has any: sums are cumulative. */
export const metricPoints = (bodies: string): ReadonlyArray<MetricPoint> => {
  const requests = bodies.split("\n").map((body): Request => JSON.parse(body)).filter((one) => one.resourceMetrics)
  return (requests.at(-1)?.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ histogram, name, sum, unit = "" }) =>
        (sum ?? histogram)?.dataPoints.map((point): MetricPoint => ({
          name,
          kind: sum === undefined ? "histogram" : "counter",
          unit,
          labels: labelsOf(point.attributes),
          value: Number(point.asInt ?? point.asDouble ?? point.count),
          bounds: point.explicitBounds ?? [],
          sum: point.sum ?? 0
        })) ?? []
      )
    )
  )
}
