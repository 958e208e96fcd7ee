import { beforeAll } from "vitest"
import * as Effect from "effect/Effect"
import { ensure } from "../../scripts/programs.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { conformance } from "../store/conformance.ts"
import { remoteStories } from "../store/remoteStories.ts"
import * as RemoteStore from "../store/RemoteStore.ts"
import * as JaegerProcess from "./JaegerProcess.ts"

let binary = ""
beforeAll(() => {
  binary = ensure("jaeger")
})

/** Sends the spans, then waits until each can be read. */
const send = ({ otlp, url }: JaegerProcess.JaegerProcess) => (body: Uint8Array, rows: ReadonlyArray<SpanRow>) =>
  Effect.promise(async () => {
    const answer = await fetch(otlp, {
      method: "POST",
      body: body as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/x-protobuf" }
    })
    const said = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${said}`)
    for (const traceId of new Set(rows.map((row) => row.traceId))) {
      const wanted = rows.filter((row) => row.traceId === traceId).map(({ spanId }) => spanId)
      for (;;) {
        const found = await (await fetch(`${url}/api/v3/traces/${traceId}?raw_traces=true`)).text()
        if (wanted.every((spanId) => found.includes(`"spanId":"${spanId}"`))) break
      }
    }
  })

const store = Effect.flatMap(
  Effect.suspend(() => JaegerProcess.make(binary)),
  (jaeger) => RemoteStore.make(`jaeger=${jaeger.url}`, send(jaeger))
)

/** A time as Jaeger compares it. */
const signed = (time: bigint): bigint => BigInt.asIntN(64, time)

/** Jaeger keeps no schema URLs, makes up a service name, and lets no span end before it begins. */
const kept = ({ resource, scope, ...row }: SpanRow): SpanRow => ({
  ...row,
  end: signed(row.end) < signed(row.start) ? row.start : row.end,
  resource: {
    ...resource,
    attributes: resource.attributes.some(({ key }) => key === "service.name")
      ? resource.attributes
      : [...resource.attributes, { key: "service.name", value: "missing-service-name" }],
    schemaUrl: ""
  },
  scope: { ...scope, schemaUrl: "" }
})

conformance("Jaeger", RemoteStore.layer(store), {
  kept,
  idAtMost: 90_000,
  local: false,
  searchesLinks: false,
  partial: ["order", "faults", "incoming", "fields"]
})

remoteStories("Jaeger", (parameters) =>
  Effect.flatMap(
    Effect.suspend(() => JaegerProcess.make(binary)),
    (jaeger) => RemoteStore.make(`jaeger=${jaeger.url}?${parameters.join("&")}`, send(jaeger))
  ))
