/** Whether a span arrives: one is sent as the app's would be, and looked up where the backend is `toolspan dev`. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { exporter, protocol } from "../boot/exporterSetting.ts"
import * as TestSpan from "../boot/testSpan.ts"
import * as PortOwner from "../receive/PortOwner.ts"
import * as SqliteStore from "../store/SqliteStore.ts"
import type { Finding } from "./Finding.ts"
import { fail, ok, warn } from "./Finding.ts"

type Variables = Readonly<Record<string, string | undefined>>

const about = "endpoint"

/** Whether the endpoint is a `toolspan dev` of this machine. */
const isOurs = (url: string): Effect.Effect<boolean> => {
  const { hostname, port, protocol: scheme } = new URL(url)
  const local = hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]"
  return local && scheme === "http:" ? PortOwner.isToolspan(Number(port || 80)) : Effect.succeed(false)
}

/** Looks the span up in the file until it is there: two seconds at most. */
const isStored = (file: string, sent: TestSpan.TestSpan): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    const reader = yield* SqliteStore.makeReader({ path: file })
    return yield* reader.span({ traceId: sent.traceId, spanId: sent.spanId }).pipe(
      Effect.filterOrFail((span) => span !== undefined, () => "not there yet"),
      Effect.retry({ schedule: Schedule.spaced("100 millis"), times: 20 })
    )
  }).pipe(Effect.scoped, Effect.option, Effect.map(Option.isSome))

/** Findings about the endpoint; `file` is where a `toolspan dev` of this machine keeps its spans. */
export const exporterFindings = Effect.fnUntraced(function*(env: Variables, file: string) {
  const none: ReadonlyArray<Finding> = []
  if (exporter(env) !== "otlp") return none
  if (protocol(env) === "grpc") {
    return [warn(
      about,
      "OTLP over gRPC: no test span was sent",
      "With http/protobuf toolspan/register also sends what a program ends with, by process.exit or a signal."
    )]
  }
  const sent = yield* Effect.result(Effect.tryPromise({
    try: () => TestSpan.send(env),
    catch: (cause) => cause instanceof Error ? cause.message : String(cause)
  }))
  if (sent._tag === "Failure") {
    return [fail(about, `no test span can be sent: ${sent.failure}`, "Correct the OTEL_EXPORTER_OTLP_* variables.")]
  }
  const { failure, traceId, url } = sent.success
  if (failure !== undefined) {
    return [fail(
      about,
      `${url} did not take a test span: ${failure}`,
      "Start a collector or toolspan dev there, or name another with OTEL_EXPORTER_OTLP_ENDPOINT."
    )]
  }
  if (!(yield* isOurs(url))) return [ok(about, `${url} took a test span, trace ${traceId}`)]
  return [
    (yield* isStored(file, sent.success))
      ? ok(about, `${url} is toolspan dev: a test span was sent and found again, trace ${traceId}`)
      : fail(
        about,
        `${url} is toolspan dev and took a test span, but it is not in ${file}`,
        "That toolspan dev keeps its spans elsewhere: say where, with --data or TOOLSPAN_DATA."
      )
  ]
})
