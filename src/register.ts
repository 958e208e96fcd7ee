/**
 * `node --import toolspan/register app.js`: everything that `toolspan/auto` does, and the OpenTelemetry SDK with its
 * OTLP/HTTP trace exporter, set up by the standard `OTEL_*` variables; spans are flushed however the process ends.
 */
import { isLauncher, shareItsEffect } from "./boot/application.ts"
import { warn } from "./boot/warning.ts"
import { current } from "./settings/environment.ts"

if (!isLauncher()) {
  try {
    // Before there are hooks, through which each of the SDK's modules would pass: 14 ms.
    if (current().input.enabled !== false) await import("./boot/sdk.ts")
    // Before the first import of effect, which the lines below bring in: hence the dynamic imports.
    shareItsEffect()
    const { boot } = await import("./boot/boot.ts")
    await boot()
    await import("./auto.ts")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    warn(`this process is not instrumented: ${reason}. toolspan needs effect beside the app.`)
  }
}
