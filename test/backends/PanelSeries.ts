/** A known set of series under every query of the dashboards: two services, of which one is quiet, and one collector. */

const shop = "service_name=\"shop\", job=\"acme/shop\""
const pay = `${shop}, gen_ai_tool_name="pay"`
const labels = (...parts: ReadonlyArray<string>): string => `{${parts.join(", ")}}`

const stage = (...parts: ReadonlyArray<string>): string => `toolspan_stage_calls_total${labels(pay, ...parts)}`
const buckets = (name: string, own: string, bounds: ReadonlyArray<string>): ReadonlyArray<readonly [string, string]> =>
  [...bounds, "+Inf"].map((bound, index) =>
    [`${name}_bucket${labels(own, `le="${bound}"`)}`, `0+${index + 1}x400`] as const
  )
const collector = (name: string, ...parts: ReadonlyArray<string>): string =>
  `${name}${labels("job=\"toolspan-collector\"", "instance=\"a:8888\"", ...parts)}`
const exporter = "exporter=\"otlp_grpc/traces\""
const receiver = "receiver=\"otlp\", transport=\"grpc\""
const rising = "0+1x400"

/** Each series with its values, one every 15 seconds. */
export const series: ReadonlyArray<readonly [series: string, values: string]> = [
  [
    `gen_ai_execute_tool_calls_total${labels(pay, "gen_ai_tool_type=\"function\"", "gen_ai_agent_name=\"clerk\"")}`,
    rising
  ],
  [`gen_ai_execute_tool_calls_total${labels(pay, "gen_ai_tool_type=\"function\"", "error_type=\"Declined\"")}`, rising],
  ...buckets("gen_ai_execute_tool_duration_seconds", `${pay}, gen_ai_tool_type="function"`, ["0.01", "0.02", "0.04"]),
  [`gen_ai_client_inference_calls_total${labels(shop, "gen_ai_request_model=\"m\"")}`, rising],
  [
    `gen_ai_client_inference_calls_total${labels(shop, "gen_ai_request_model=\"m\"", "error_type=\"RateLimited\"")}`,
    rising
  ],
  ...buckets("gen_ai_client_inference_duration_seconds", `${shop}, gen_ai_request_model="m"`, ["0.01", "1.28"]),
  [stage("toolspan_stage=\"decision\"", "toolspan_approval_state=\"pending\""), rising],
  [stage("toolspan_stage=\"execution\"", "toolspan_outcome=\"success\""), rising],
  [stage("toolspan_stage=\"result\"", "toolspan_outcome=\"success\"", "toolspan_result_origin=\"handler\""), rising],
  [stage("toolspan_stage=\"approval\"", "toolspan_approval_event=\"requested\""), "0+3x400"],
  [
    stage(
      "toolspan_stage=\"approval\"",
      "toolspan_approval_event=\"resolved\"",
      "toolspan_approval_state=\"approved\""
    ),
    rising
  ],
  [
    stage(
      "toolspan_stage=\"approval\"",
      "toolspan_approval_event=\"abandoned\"",
      "toolspan_approval_state=\"abandoned\""
    ),
    rising
  ],
  ...buckets("toolspan_approval_wait_duration_seconds", `${pay}, toolspan_approval_state="approved"`, ["1", "5", "60"]),
  [`toolspan_violation_events_total${labels(shop, "toolspan_violation_kind=\"duplicate_execution\"")}`, rising],
  [`toolspan_violation_events_total${labels(shop, "toolspan_violation_kind=\"approval_mismatch\"")}`, rising],
  [collector("otelcol_receiver_accepted_spans", receiver), rising],
  [collector("otelcol_receiver_refused_spans", receiver), rising],
  [collector("otelcol_receiver_failed_spans", receiver), rising],
  [collector("otelcol_processor_filter_spans_filtered", "filter=\"filter/invalid\""), rising],
  [collector("otelcol_processor_memory_limiter_refused_spans", "processor=\"memory_limiter\""), rising],
  [collector("otelcol_processor_incoming_items", "processor=\"memory_limiter\"", "otel_signal=\"traces\""), rising],
  [collector("otelcol_processor_outgoing_items", "processor=\"memory_limiter\"", "otel_signal=\"traces\""), rising],
  [collector("otelcol_exporter_sent_spans", exporter), rising],
  [collector("otelcol_exporter_sent_metric_points", "exporter=\"otlp_http/metrics\""), rising],
  [collector("otelcol_exporter_enqueue_failed_spans", exporter), rising],
  [collector("otelcol_exporter_send_failed_spans", exporter), rising],
  [collector("otelcol_exporter_send_failed_metric_points", "exporter=\"otlp_http/metrics\""), rising],
  [collector("otelcol_exporter_queue_size", exporter, "data_type=\"traces\""), "500x400"],
  [collector("otelcol_exporter_queue_capacity", exporter, "data_type=\"traces\""), "1000x400"],
  [collector("otelcol_process_memory_rss"), "100x400"],
  [collector("otelcol_process_cpu_seconds"), rising],
  [collector("otelcol_process_uptime"), "0+15x400"]
]
