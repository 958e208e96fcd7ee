/** One span sent as `register` sends spans, to learn whether they arrive. */
import { ROOT_CONTEXT } from "@opentelemetry/api"
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from "@opentelemetry/otlp-exporter-base/node-http"
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer"
import { resources, tracing } from "@opentelemetry/sdk-node"
import * as SpanName from "../semconv/span.ts"
import * as ExporterSetting from "./exporterSetting.ts"

/** Where a test span went and as what; `failure` says why it did not arrive. */
export interface TestSpan {
  readonly url: string
  readonly traceId: string
  readonly spanId: string
  readonly failure: string | undefined
}

/** How long the endpoint has to answer, retries included. */
const timeoutMillis = 4000

const made = (): tracing.ReadableSpan => {
  const ended: Array<tracing.ReadableSpan> = []
  const provider = new tracing.BasicTracerProvider({
    // Whatever the app samples: this one is to arrive.
    sampler: new tracing.AlwaysOnSampler(),
    resource: resources.defaultResource().merge(
      resources.detectResources({ detectors: [resources.envDetector] })
    ),
    spanProcessors: [{
      onStart: () => {},
      onEnd: (span) => void ended.push(span),
      forceFlush: () => Promise.resolve(),
      shutdown: () => Promise.resolve()
    }]
  })
  provider.getTracer("toolspan").startSpan(SpanName.doctor, {}, ROOT_CONTEXT).end()
  return ended[0]!
}

/** Sends it by the standard variables: endpoint, headers, protocol, compression, certificates. */
export const send = async (env: Readonly<Record<string, string | undefined>>): Promise<TestSpan> => {
  const json = ExporterSetting.protocol(env) === "http/json"
  const configuration = convertLegacyHttpOptions({ timeoutMillis }, "TRACES", "v1/traces", {
    "Content-Type": json ? "application/json" : "application/x-protobuf"
  })
  const delegate = createOtlpHttpExportDelegate<Array<tracing.ReadableSpan>, unknown>(
    configuration,
    json ? JsonTraceSerializer : ProtobufTraceSerializer,
    "otlp_http_span_exporter",
    { name: "span", countItems: (spans) => spans.length },
    undefined
  )
  const span = made()
  const failure = await new Promise<string | undefined>((resolve) =>
    delegate.export(
      [span],
      (result) =>
        resolve(result.code === 0 ? undefined : result.error?.message || result.error?.name || "no reason given")
    )
  )
  await delegate.shutdown()
  const { spanId, traceId } = span.spanContext()
  return { url: configuration.url, traceId, spanId, failure }
}
