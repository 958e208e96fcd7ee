// An app that registers an OpenTelemetry provider by hand and tells which spans reached it.
import { trace } from "@opentelemetry/api"
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-node"
import * as Effect from "effect/Effect"
const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
await Effect.runPromise(Effect.void.pipe(Effect.withSpan("mine")))
process.stdout.write(exporter.getFinishedSpans().map((span) => span.name).join() + "\n")
