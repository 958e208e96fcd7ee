/**
 * Answers in the forms that Tempo's documentation shows, each with the page and the section that it is from; the values are
 * our own. Read on the page's version of Tempo 3.0.
 */
import { PbfWriter } from "pbf"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as RemoteStore from "./RemoteStore.ts"

const page = "https://grafana.com/docs/tempo/latest/api_docs/"

/** A search with TraceQL, for traces of these ids. */
export const traceQlSearch = {
  from: `${page}#example-of-traceql-search`,
  answer: (traceIds: ReadonlyArray<string>) => ({
    traces: traceIds.map((traceID) => ({
      traceID,
      rootServiceName: "assistant",
      rootTraceName: "POST /chat",
      startTimeUnixNano: "1772356323120000000",
      durationMs: 1200,
      spanSets: [{
        spans: [{
          spanID: "563d623c76514f8e",
          startTimeUnixNano: "1772356323120000000",
          durationNanos: "180000000",
          attributes: [{ key: "status", value: { stringValue: "error" } }]
        }],
        matched: 1
      }]
    })),
    metrics: { totalBlocks: 13 }
  })
}

/** A search that found these traces, with the counters that newer versions give: its ids may have 16 digits. */
export const searchWithCounters = {
  from: `${page}#example-of-tags-based-search`,
  answer: (traceIds: ReadonlyArray<string>) => ({
    traces: traceIds.map((traceID) => ({
      traceID,
      rootServiceName: "assistant",
      rootTraceName: "/chat",
      startTimeUnixNano: "1772356323120000000",
      durationMs: 611
    })),
    metrics: {
      inspectedTraces: 3100,
      inspectedBytes: "3811736",
      totalBlocks: 3,
      backendReads: "47",
      backendBytes: "2415680",
      additionalMetrics: { cacheHits: "124" }
    }
  })
}

/**
 * A whole trace, asked for with `Accept: application/protobuf`: the trace is field 1 of `TraceByIDResponse`, and its
 * resource spans are field 1 of that.
 */
export const traceById = {
  from: `${page}#query-v2`,
  answer: (rows: ReadonlyArray<SpanRow>): Uint8Array => {
    const pbf = new PbfWriter()
    pbf.writeBytesField(1, RemoteStore.request(rows))
    return pbf.finish()
  }
}

/** Every field that the documentation shows in a search's answer, as paths such as `traces.traceID`. */
export const searchFields = (answer: unknown, place = ""): ReadonlyArray<string> => {
  if (Array.isArray(answer)) return answer.flatMap((entry) => searchFields(entry, place))
  if (typeof answer !== "object" || answer === null) return [place]
  return Object.entries(answer).flatMap(([key, value]) => searchFields(value, place === "" ? key : `${place}.${key}`))
}
