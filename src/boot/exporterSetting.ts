/** What the standard variables say of the exporter of traces. */

type Variables = Readonly<Record<string, string | undefined>>

/** The exporter's name; `otlp` unless another is named. */
export const exporter = (env: Variables): string => env["OTEL_TRACES_EXPORTER"]?.trim() || "otlp"

/** The protocol of OTLP; `http/protobuf` unless another is named. */
export const protocol = (env: Variables): string =>
  (env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] ?? env["OTEL_EXPORTER_OTLP_PROTOCOL"])?.trim() || "http/protobuf"
