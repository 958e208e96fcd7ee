import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import * as Compat from "@effect/ai-openai-compat"
import { Effect, type Exit, Layer, Redacted, Schema, Tracer } from "effect"
import { type LanguageModel, Tool, Toolkit } from "effect/unstable/ai"
import { FetchHttpClient } from "effect/unstable/http"
import * as Toolspan from "toolspan"
import { type Replay, replay, type ReplayOptions } from "../../../examples/replay/server.ts"

// The clients and the models of the real provider packages, instrumented without a loader: no provider hook is reached.

const Lookup = Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
const Note = Tool.make("note", { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String })
export const toolkit = Toolkit.make(Lookup, Note)
const handlers = toolkit.toLayer({
  lookup: ({ key }) => Effect.succeed(`lookup:${key}`),
  note: ({ text }) => Effect.succeed(`note:${text}`)
})

const apiKey = Redacted.make("none")

export const anthropicClient = (url: string) =>
  Toolspan.instrument(AnthropicClient.layer({ apiKey, apiUrl: url })).pipe(Layer.provide(FetchHttpClient.layer))

export const openaiClient = (url: string) =>
  Toolspan.instrument(OpenAiClient.layer({ apiKey, apiUrl: `${url}/v1` })).pipe(Layer.provide(FetchHttpClient.layer))

export const compatClient = (url: string) =>
  Toolspan.instrument(Compat.OpenAiClient.layer({ apiKey, apiUrl: `${url}/v1` })).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

type Model = (url: string) => Layer.Layer<LanguageModel.LanguageModel>

/** The model of each provider package over its instrumented client. */
export const models: Readonly<Record<"anthropic" | "openai" | "openai-compat", Model>> = {
  anthropic: (url) =>
    Toolspan.instrument(AnthropicLanguageModel.layer({ model: "claude-x" })).pipe(Layer.provide(anthropicClient(url))),
  openai: (url) =>
    Toolspan.instrument(OpenAiLanguageModel.layer({ model: "gpt-x" })).pipe(Layer.provide(openaiClient(url))),
  "openai-compat": (url) =>
    Toolspan.instrument(Compat.OpenAiLanguageModel.layer({ model: "compat-1" })).pipe(Layer.provide(compatClient(url)))
}

type NativeSpan = Tracer.Span & {
  readonly events: ReadonlyArray<readonly [name: string, time: bigint, attributes: Record<string, unknown>]>
}

/** The spans of a run, and how it ended. */
export interface Traced<A, E> {
  readonly exit: Exit.Exit<A, E>
  readonly spans: ReadonlyArray<NativeSpan>
  readonly requests: Replay["requests"]
  readonly stats: Toolspan.Stats
}

/** Runs a program against a replay server, under one `app` span, and keeps every span. */
export const traced = async <A, E>(
  options: ReplayOptions,
  program: (url: string) => Effect.Effect<A, E, Tool.HandlersFor<Toolkit.Tools<typeof toolkit>>>
): Promise<Traced<A, E>> => {
  const spans: Array<NativeSpan> = []
  const tracer = Tracer.make({
    span: (given) => {
      const span = new Tracer.NativeSpan(given) as NativeSpan
      spans.push(span)
      return span
    }
  })
  await using server = await replay(options)
  const [exit, stats] = await Effect.runPromise(
    Effect.all([
      program(server.url).pipe(
        Effect.withSpan("app"),
        Effect.withTracer(tracer),
        Effect.provide(handlers),
        Effect.exit
      ),
      Toolspan.stats
    ]).pipe(Effect.provide(Toolspan.layer({ isolated: true })))
  )
  return { exit, spans, requests: server.requests, stats }
}

const shown = (key: string): boolean =>
  (key.startsWith("gen_ai.") || key.startsWith("toolspan.") || key === "error.type") &&
  !/^toolspan\.(stage|link\.)/.test(key) && !/^gen_ai\.(tool\.name|operation\.name|tool\.type)$/.test(key)

const valueOf = (key: string, value: unknown): string =>
  key === "gen_ai.response.time_to_first_chunk"
    ? typeof value === "number" && value >= 0 ? "<seconds>" : "<broken>"
    : JSON.stringify(value)

// Handlers race: by stage and call, not by time.
const rank = (span: NativeSpan): string =>
  `${span.name.split(" ")[0]} ${String(span.attributes.get("toolspan.call.key"))}`

/** The spans as a tree of text without ids and times; links are named by the span that they lead to. */
export const tree = (spans: ReadonlyArray<NativeSpan>): string => {
  const names = new Map(spans.map((span) => [span.spanId, span.name]))
  const ours = spans.filter((span) => !span.name.startsWith("http."))
  const lines: Array<string> = []
  const write = (span: NativeSpan, depth: number): void => {
    const indent = "  ".repeat(depth)
    const status = span.status._tag === "Started"
      ? " NOT ENDED"
      : span.status.exit._tag === "Failure"
      ? " FAILED"
      : ""
    lines.push(`${indent}${span.name}${status}`)
    const isOurs = /^(chat|tool_|execute_tool)/.test(span.name)
    for (const [key, value] of isOurs ? span.attributes : []) {
      if (shown(key)) lines.push(`${indent}  · ${key} ${valueOf(key, value)}`)
    }
    for (const [name, , attributes] of span.events) {
      if (name !== "exception") lines.push(`${indent}  ! ${String(attributes["toolspan.violation.kind"])}`)
    }
    for (const link of span.links) {
      const to = names.get(link.span.spanId) ?? "elsewhere"
      lines.push(`${indent}  → ${String(link.attributes["toolspan.link.type"])} ${to}`)
    }
    const children = ours.filter((child) => child.parent._tag === "Some" && child.parent.value.spanId === span.spanId)
    for (const child of children.sort((one, two) => rank(one).localeCompare(rank(two)))) write(child, depth + 1)
  }
  for (const span of ours) if (span.parent._tag === "None") write(span, 0)
  return `\n${lines.join("\n")}\n`
}

/** The `chat` spans, with their attributes as a record. */
export const chats = (spans: ReadonlyArray<NativeSpan>) =>
  spans.filter((span) => span.name.startsWith("chat")).map((span) => Object.fromEntries(span.attributes))

/** Every span was ended, and nothing of toolspan's own went wrong. */
export const isSound = ({ spans, stats }: Traced<unknown, unknown>): boolean =>
  spans.every((span) => span.status._tag === "Ended") && stats.internalErrors === 0
