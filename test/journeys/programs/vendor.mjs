// What a vendor's SDK does when it is preloaded: it registers a provider, a context manager and propagators.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http"
import { resourceFromAttributes } from "@opentelemetry/resources"
import { SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node"

new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "app" }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${process.env.SINK}/v1/traces` }))]
}).register()
