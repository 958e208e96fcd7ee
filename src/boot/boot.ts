/** Starts what an app without tracing of its own lacks: the OpenTelemetry SDK, and a default tracer that writes to it. */
import { current } from "../settings/environment.ts"
import { isTested, ownVersion } from "./effectCopy.ts"
import type { OtelTracerModule } from "./tracerDefault.ts"
import { warn } from "./warning.ts"

const bridge = async (): Promise<OtelTracerModule | undefined> => {
  try {
    return await import("@effect/opentelemetry/OtelTracer") as unknown as OtelTracerModule
  } catch (error) {
    warn(
      "no spans are written for a program that provides no tracer, because @effect/opentelemetry could not be loaded " +
        `(${String(error).split("\n")[0]}). Install it in the version of your effect.`
    )
    return undefined
  }
}

/** Boots this process by its environment; does nothing when toolspan or OpenTelemetry is switched off there. */
export const boot = async (): Promise<void> => {
  if (current().input.enabled === false) return
  const otel = await bridge()
  if (otel === undefined) return
  const { start } = await import("./sdk.ts")
  if (start() === "none") return
  const version = ownVersion()
  // `auto` says why.
  if (version !== undefined && !isTested(version)) return
  const { install } = await import("./tracerDefault.ts")
  install(otel)
}
