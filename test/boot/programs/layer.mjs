// An app that gives a tracer layer of its own and tells which spans reached it.
import * as NodeSdk from "@effect/opentelemetry/NodeSdk"
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base"
import * as Effect from "effect/Effect"
const exporter = new InMemorySpanExporter()
const layer = NodeSdk.layer(() => ({
  resource: { serviceName: "app" },
  spanProcessor: new SimpleSpanProcessor(exporter)
}))
await Effect.runPromise(
  Effect.void.pipe(
    Effect.withSpan("mine"),
    Effect.andThen(
      Effect.sync(() => process.stdout.write(exporter.getFinishedSpans().map((span) => span.name).join() + "\n"))
    ),
    Effect.provide(layer)
  )
)
