/**
 * The metrics that the collector tells of itself (0.161, level `normal`), with the labels that are used here.
 * Its Prometheus reader adds neither units nor `_total`; `job` and `instance` come from the scrape. Two names have dots,
 * `otelcol_processor_filter_spans.filtered` and the label `otel.signal`: prometheus.yaml asks for underscores in their place.
 */
export const scrapeLabels: ReadonlyArray<string> = ["job", "instance"]

const receiver = ["receiver", "transport"]
const exporter = ["exporter"]
const queue = ["exporter", "data_type"]
const processor = ["processor"]
const items = ["processor", "otel_signal"]

/** What each metric is called, and its labels. */
export const selfMetrics = {
  acceptedSpans: { name: "otelcol_receiver_accepted_spans", labels: receiver },
  refusedSpans: { name: "otelcol_receiver_refused_spans", labels: receiver },
  failedSpans: { name: "otelcol_receiver_failed_spans", labels: receiver },
  sentSpans: { name: "otelcol_exporter_sent_spans", labels: exporter },
  sentMetricPoints: { name: "otelcol_exporter_sent_metric_points", labels: exporter },
  sendFailedSpans: { name: "otelcol_exporter_send_failed_spans", labels: exporter },
  sendFailedMetricPoints: { name: "otelcol_exporter_send_failed_metric_points", labels: exporter },
  enqueueFailedSpans: { name: "otelcol_exporter_enqueue_failed_spans", labels: exporter },
  enqueueFailedMetricPoints: { name: "otelcol_exporter_enqueue_failed_metric_points", labels: exporter },
  queueSize: { name: "otelcol_exporter_queue_size", labels: queue },
  queueCapacity: { name: "otelcol_exporter_queue_capacity", labels: queue },
  incomingItems: { name: "otelcol_processor_incoming_items", labels: items },
  outgoingItems: { name: "otelcol_processor_outgoing_items", labels: items },
  filteredSpans: { name: "otelcol_processor_filter_spans_filtered", labels: ["filter"] },
  limiterRefusedSpans: { name: "otelcol_processor_memory_limiter_refused_spans", labels: processor },
  residentMemory: { name: "otelcol_process_memory_rss", labels: [] },
  cpuSeconds: { name: "otelcol_process_cpu_seconds", labels: [] },
  uptime: { name: "otelcol_process_uptime", labels: [] },
  up: { name: "up", labels: [] }
} as const satisfies Readonly<Record<string, { readonly name: string; readonly labels: ReadonlyArray<string> }>>

/** The filter of collector.yaml that drops spans without ids. */
export const invalidFilter = "filter/invalid"

/** The job under which Prometheus scrapes the collectors. */
export const collectorJob = "toolspan-collector"
