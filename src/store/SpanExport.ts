/**
 * Stored spans as others can read them: OTLP/JSON.
 */
import * as JsonEncoder from "../otlp/JsonEncoder.ts"
import type { StoredSpan } from "./TraceReader.ts"

/** Characters of a request: far from the 16 MiB that a receiver takes, and few requests for a large trace. */
const lengthAtMost = 1024 * 1024

/** The spans as `ExportTraceServiceRequest` messages, each a JSON text without a line break. */
export const requests = (spans: ReadonlyArray<StoredSpan>): Iterable<string> =>
  JsonEncoder.requests(spans.map(({ row }) => row), lengthAtMost)
