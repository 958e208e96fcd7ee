import { assert, beforeAll, describe, it } from "vitest"
import { spawn } from "node:child_process"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { ensureCollector } from "../../scripts/collector.ts"
import { ensure } from "../../scripts/programs.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { root } from "../collector/Files.ts"
import { protobuf } from "../otlp/body.ts"
import { attributes, row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as JaegerProcess from "./JaegerProcess.ts"
import * as Program from "./Program.ts"
import * as PrometheusProcess from "./PrometheusProcess.ts"

beforeAll(() => {
  ensureCollector()
  ensure("jaeger")
  ensure("prometheus")
})

/** `npm run demo -- --otlp URL`, with everything captured. */
const demo = (url: string): Promise<string> => {
  const env = Object.entries(process.env).filter(([name]) => !/^(OTEL_|TOOLSPAN_|ANTHROPIC_|VITEST)/.test(name))
  const child = spawn("npm", ["run", "demo", "--", "--otlp", url], {
    cwd: root,
    env: { ...Object.fromEntries(env), TOOLSPAN_CONTENT: "all" },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said += String(text))
  return new Promise((resolve, reject) =>
    child.once("close", (code) => code === 0 ? resolve(said) : reject(new Error(said)))
  )
}

interface JaegerSpan {
  readonly traceID: string
  readonly spanID: string
  readonly references: ReadonlyArray<{ readonly refType: string; readonly traceID: string; readonly spanID: string }>
  readonly operationName: string
  readonly tags: ReadonlyArray<{ readonly key: string; readonly value: unknown }>
}

/** The spans with this tool call id, found as Jaeger's page finds them. */
const find = async (jaeger: string, id: string): Promise<ReadonlyArray<JaegerSpan>> => {
  const tags = JSON.stringify({ [Attribute.genAiToolCallId]: id })
  const answer = await fetch(`${jaeger}/api/traces?${new URLSearchParams({ service: "assistant", tags })}`)
  const { data } = await answer.json() as {
    readonly data: ReadonlyArray<{ readonly spans: ReadonlyArray<JaegerSpan> }>
  }
  return data.flatMap(({ spans }) => spans)
    .filter(({ tags }) => tags.some(({ key, value }) => key === Attribute.genAiToolCallId && value === id))
}

/** A trace as Jaeger's page shows it. */
const traceOf = async (jaeger: string, traceId: string): Promise<ReadonlyArray<JaegerSpan>> => {
  const answer = await fetch(`${jaeger}/api/traces/${traceId}`)
  if (!answer.ok) return []
  const { data } = await answer.json() as {
    readonly data: ReadonlyArray<{ readonly spans: ReadonlyArray<JaegerSpan> }>
  }
  return data.flatMap(({ spans }) => spans)
}

const tagOf = ({ tags }: JaegerSpan, key: string): string => {
  const value = tags.find((tag) => tag.key === key)?.value
  return typeof value === "string" ? value : ""
}

/** Links to spans that are no parents. */
const linksOf = ({ references }: JaegerSpan) => references.filter(({ refType }) => refType === "FOLLOWS_FROM")

/** The tool call of the demo that waits for a human, and the names of its spans. */
const email = "toolu_email_m4tz"
const stages = ["approval", "approval", "decision", "execution", "result"]
const content = [
  Attribute.genAiToolCallArguments,
  Attribute.genAiToolCallResult,
  Attribute.errorMessage,
  Attribute.toolspanApprovalReason
]

/** What the columns of links on the dashboard follow: each leads to a span that is there, and back. */
const followLinks = async (jaeger: string, spans: ReadonlyArray<JaegerSpan>): Promise<void> => {
  const traces = new Map<string, ReadonlyArray<JaegerSpan>>()
  for (const { spanID, traceID } of spans.flatMap(linksOf)) {
    const trace = traces.get(traceID) ?? await traceOf(jaeger, traceID)
    traces.set(traceID, trace)
    assert.isTrue(trace.some((span) => span.spanID === spanID), `${traceID} ${spanID}`)
  }
  assert.isAbove(traces.size, 1)
  // As attributes, which tell the kind, they say the same.
  const twins = [
    Attribute.toolspanLinkDecidedBy,
    Attribute.toolspanLinkApprovedBy,
    Attribute.toolspanLinkAnswers,
    Attribute.toolspanLinkResultOf
  ]
  for (const span of spans) {
    assert.sameMembers(
      twins.map((key) => tagOf(span, key)).filter((twin) => twin !== ""),
      linksOf(span).map(({ spanID, traceID }) => `${traceID}-${spanID}`)
    )
  }
  const at = (stage: string) => spans.filter((span) => tagOf(span, Attribute.toolspanStage) === stage)
  const [decision] = at("decision")
  // The way back: its approval and its execution lead to the decision.
  const back = spans.filter((span) => linksOf(span).some(({ spanID }) => spanID === decision?.spanID))
  assert.sameMembers(back.map((span) => tagOf(span, Attribute.toolspanStage)), ["approval", "execution"])
  const [result] = at("result")
  assert.deepStrictEqual(
    result && linksOf(result).map(({ spanID }) => spanID),
    at("execution").map(({ spanID }) => spanID)
  )
}

/** The dots on the durations: each opens a trace that is there, with its span. */
const followExemplars = async (jaeger: string, prometheus: PrometheusProcess.PrometheusProcess): Promise<void> => {
  const found = await Program.until("exemplars", async () => {
    const { data }: { data: ReadonlyArray<{ exemplars: ReadonlyArray<{ labels: Record<string, string> }> }> } = JSON
      .parse(
        await prometheus.exemplars(
          "{__name__=~\"gen_ai_execute_tool_duration_seconds_bucket|toolspan_approval_wait.*_bucket\"}"
        )
      )
    const labels = data.flatMap(({ exemplars }) => exemplars.map(({ labels }) => labels))
    return labels.length > 1 ? labels : undefined
  })
  for (const labels of found) {
    assert.sameMembers(Object.keys(labels), ["trace_id", "span_id"])
    const trace = await traceOf(jaeger, labels["trace_id"] ?? "")
    assert.isTrue(trace.some(({ spanID }) => spanID === labels["span_id"]), JSON.stringify(labels))
  }
}

describe("npm run demo -- --otlp", () => {
  const runs = [
    { overlay: "none", arrives: false, what: "without what was said" },
    { overlay: "content", arrives: true, what: "with it where the overlay lets it through" }
  ]
  for (const { arrives, overlay, what } of runs) {
    it(`goes through the collector to Jaeger, where its calls are found by id, ${what}`, async () => {
      await using scratch = Program.scratch()
      await Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(JaegerProcess.make(ensure("jaeger")), ({ otlpGrpc, url }) =>
            Effect.promise(async () => {
              await using prometheus = await PrometheusProcess.start(scratch.folder)
              await using collector = await CollectorProcess.start({
                folder: scratch.folder,
                files: ["collector.yaml", path.join("overlays", `${overlay}.yaml`)],
                traces: otlpGrpc,
                metrics: prometheus.otlp
              })
              assert.include(await demo(collector.url), `Its spans were sent to ${collector.url}`)
              const stageOf = ({ tags }: JaegerSpan) =>
                String(
                  tags.find(({ key }) => key === Attribute.toolspanStage)?.value
                )
              const spans = await Program.until("the spans of the call", async () => {
                const found = await find(url, email)
                return found.length >= stages.length ? found : undefined
              }).catch(async (error: Error) => {
                const names = ["receiver_accepted_spans", "exporter_sent_spans", "exporter_send_failed_spans"]
                const told = await Promise.all(
                  names.map(async (name) => `${name} ${await collector.own(`otelcol_${name}`)}`)
                )
                throw new Error(`${error.message}; of the collector: ${told.join(", ")} ${collector.said()}`)
              })
              assert.deepStrictEqual(spans.map(stageOf).toSorted(), stages)
              const keys = new Set(spans.flatMap(({ tags }) => tags.map(({ key }) => key)))
              assert.strictEqual(keys.has(Attribute.genAiToolCallArguments), arrives)
              assert.strictEqual(keys.has(Attribute.genAiToolCallResult), arrives)
              await followLinks(url, spans)
              await followExemplars(url, prometheus)
            }))
        )
      )
    }, 180_000)
  }
})

/** A span with every content attribute and one other, on itself and on an event. */
const telling = (events: boolean) => {
  const all = Object.fromEntries([...content, "gen_ai.input.messages", "app.kept"].map((key) => [key, `secret ${key}`]))
  return row(events ? 1 : 2, {
    attributes: all,
    events: events ? [{ time: 1n, name: "said", attributes: attributes(all), droppedAttributesCount: 0 }] : []
  })
}

describe("content", () => {
  for (const overlay of ["none", "content"]) {
    it(`is ${overlay === "none" ? "gone by default" : "there with the overlay"}, of spans and of events`, async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        files: ["collector.yaml", `overlays/${overlay}.yaml`],
        traces: sink.address
      })
      const body = Buffer.concat([protobuf(telling(true)), protobuf(telling(false))])
      assert.strictEqual(await CollectorProcess.send(collector.url, body), 200)
      const rows = await Program.until("both spans", () => sink.rows().length === 2 ? sink.rows() : undefined)
      const left = ({ attributes }: SpanRow) =>
        attributes.filter(({ key }) => overlay === "content" || key === "app.kept")
      const [one, other] = [left(telling(true)), left(telling(false))]
      const sent = rows.toSorted((left, right) => left.spanId.localeCompare(right.spanId))
      assert.deepStrictEqual(sent.map(({ attributes }) => attributes), [one, other])
      assert.deepStrictEqual(sent[0]?.events.map(({ attributes }) => attributes), [one])
    })
  }

  const failure = { "exception.type": "Declined", "exception.message": "secret", "exception.stacktrace": "secret" }
  const failed = (number: number, name: string, given: SpanRow["attributes"] = []) => ({
    ...row(number, {
      name,
      status: { code: 2, message: "secret" },
      events: [{ time: 1n, name: "exception", attributes: attributes(failure), droppedAttributesCount: 0 }]
    }),
    attributes: given
  })
  // What a tool's failure said is also where the host tells of the turn that failed with it.
  const told = [
    failed(1, "LanguageModel.generateText"),
    failed(2, "Chat.streamText"),
    failed(3, "chat m", attributes({ "gen_ai.operation.name": "chat" })),
    failed(4, "tool_result pay", attributes({ "toolspan.stage": "result" })),
    failed(5, "app"),
    { ...row(6, { name: "app" }), attributes: attributes({ tool: "pay", parameters: "secret" }) },
    { ...row(7, { name: "app" }), attributes: attributes({ parameters: "the app's own" }) },
    {
      ...row(8, { name: "app" }),
      resource: {
        ...row(8).resource,
        attributes: attributes({ "gen_ai.input.messages": "secret", "service.name": "a" })
      },
      scope: { ...row(8).scope, attributes: attributes({ "gen_ai.tool.call.result": "secret" }) }
    }
  ]
  const json = (value: unknown) => JSON.stringify(value, (_, each) => typeof each === "bigint" ? String(each) : each)

  for (const overlay of ["none", "content"]) {
    it(`of failures, of an unwrapped toolkit and of resources ${overlay === "none" ? "goes too" : "stays"}`, async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        files: ["collector.yaml", `overlays/${overlay}.yaml`],
        traces: sink.address
      })
      assert.strictEqual(await CollectorProcess.send(collector.url, Buffer.concat(told.map(protobuf))), 200)
      const rows = await Program.until("all spans", () => sink.rows().length === told.length ? sink.rows() : undefined)
      const secret = rows.filter((row) => json(row).includes("secret")).map(({ spanId }) => Number(`0x${spanId}`))
      // The app's own failing span is the app's.
      assert.sameMembers(secret, overlay === "none" ? [5] : [1, 2, 3, 4, 5, 6, 8])
      for (const { events, name, status } of rows.filter(({ events }) => events.length > 0)) {
        assert.strictEqual(status.code, 2, name)
        assert.include(json(events), "Declined", name)
      }
      assert.include(json(rows), "the app's own")
    })
  }
})
