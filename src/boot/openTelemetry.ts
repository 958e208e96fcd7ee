/**
 * OpenTelemetry's packages, by `require`: an `import` of a CommonJS package has Node read all of its files a second time
 * to learn what they export, 14 ms for the SDK.
 */
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

/** `@opentelemetry/api`. */
export const api = require("@opentelemetry/api") as typeof import("@opentelemetry/api")

/** `@opentelemetry/sdk-node`. */
export const sdkNode = require("@opentelemetry/sdk-node") as typeof import("@opentelemetry/sdk-node")

/** `@opentelemetry/otlp-transformer`. */
export const otlpTransformer = require(
  "@opentelemetry/otlp-transformer"
) as typeof import("@opentelemetry/otlp-transformer")
