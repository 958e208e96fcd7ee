/** The OpenTelemetry SDK of a process that has none: traces over OTLP/HTTP, set up by the standard `OTEL_*` variables. */
import type { NodeSDK } from "@opentelemetry/sdk-node"
import { variables } from "../settings/environment.ts"
import * as Exit from "./exit.ts"
import * as ExporterSetting from "./exporterSetting.ts"
import * as Flushing from "./flushing.ts"
import { api, sdkNode } from "./openTelemetry.ts"
import * as SpanExport from "./spanExport.ts"

const { ProxyTracerProvider, trace } = api

/** Where the spans of this process go: into the SDK started here, into a provider that was there before, or nowhere. */
export type Provider = "started" | "foreign" | "none"

/** How long a leaving process waits for its spans at most. */
const LEAVE_MILLIS = 5000

/** Eight times the standard queue: an agent's burst (5,000 calls are 20,000 spans) must not outrun a collector that keeps up. */
const QUEUE_SIZE = 16_384

const positive = (text: string | undefined, otherwise: number): number => {
  const value = Number(text)
  return text !== undefined && text.trim() !== "" && Number.isFinite(value) && value > 0 ? value : otherwise
}

const spanExport = (env: Readonly<Record<string, string | undefined>>): SpanExport.SpanExport | undefined => {
  const protocol = ExporterSetting.protocol(env)
  // Any other exporter keeps the stock batch processor of the SDK, with what that loses at process.exit.
  if (ExporterSetting.exporter(env) !== "otlp" || (protocol !== "http/protobuf" && protocol !== "http/json")) {
    return undefined
  }
  const queueSize = positive(env.OTEL_BSP_MAX_QUEUE_SIZE, QUEUE_SIZE)
  return SpanExport.make({
    protocol,
    queueSize,
    batchSize: Math.min(positive(env.OTEL_BSP_MAX_EXPORT_BATCH_SIZE, 512), queueSize),
    delayMillis: positive(env.OTEL_BSP_SCHEDULE_DELAY, 5000),
    timeoutMillis: positive(env.OTEL_BSP_EXPORT_TIMEOUT, 30_000)
  })
}

const provider = (): unknown => {
  const registered = trace.getTracerProvider()
  return registered instanceof ProxyTracerProvider ? registered.getDelegate() : registered
}

const isRegistered = (): boolean => {
  const delegate = provider() as { constructor?: { name?: string } }
  return delegate.constructor?.name !== "NoopTracerProvider"
}

/** Metrics and logs are the app's own business: only what it asks for by name is exported. */
const withTracesOnly = <A>(env: Record<string, string | undefined>, use: () => A): A => {
  const added = ["OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"].filter((name) => env[name] === undefined)
  for (const name of added) env[name] = "none"
  try {
    return use()
  } finally {
    for (const name of added) delete env[name]
  }
}

/**
 * A provider that the app registers later takes the place of ours, because the app's spans have to go one way.
 * What OpenTelemetry's API does instead is to refuse it without a word.
 */
const yieldToLater = (sdk: NodeSDK): void => {
  const register = trace.setGlobalTracerProvider.bind(trace)
  trace.setGlobalTracerProvider = (later) => {
    trace.setGlobalTracerProvider = register
    const proxy = trace.getTracerProvider()
    if (!(proxy instanceof ProxyTracerProvider)) return register(later)
    proxy.setDelegate(later)
    void sdk.shutdown().catch(() => undefined)
    return true
  }
}

/** Sends everything that this process has ended so far; resolves also when that fails. */
const flush = async (): Promise<void> => {
  const delegate = provider() as { forceFlush?: () => Promise<void> }
  await delegate.forceFlush?.().catch(() => undefined)
}

/** Starts the SDK unless somebody has registered a provider already; what is lost at exit otherwise is flushed. */
export const start = (): Provider => {
  Flushing.provide(flush)
  if (isRegistered()) return "foreign"
  const env = variables() as Record<string, string | undefined>
  if (ExporterSetting.exporter(env) === "none") return "none"
  const exporting = spanExport(env)
  const sdk = withTracesOnly(env, () => {
    const made = new sdkNode.NodeSDK(exporting === undefined ? {} : { spanProcessors: [exporting] })
    made.start()
    return made
  })
  yieldToLater(sdk)
  if (exporting !== undefined) {
    Exit.onLeave(() => exporting.flushNow(LEAVE_MILLIS))
  } else {
    process.once("beforeExit", () => void sdk.shutdown().catch(() => undefined))
  }
  return "started"
}
