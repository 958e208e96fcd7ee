/** A small app with a scripted model, run with and without toolspan: what it did, and what was told of it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as AiError from "effect/ai/AiError"
import * as IdGenerator from "effect/ai/IdGenerator"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Toolspan from "../../src/index.ts"
import { canonical } from "../cases/observation.ts"
import type { Trail } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import type { TurnRecord } from "./TurnRecord.ts"
import { messagesOf, noting, partOf } from "./TurnRecord.ts"

/** Stands in every value of the app that must not be told. */
export const canary = "canary-7f3a"

export type Mode = "generateText" | "streamText" | "generateObject"

export const modes: ReadonlyArray<Mode> = ["generateText", "streamText", "generateObject"]

/** What is wrapped. */
export type Reach = "none" | "all" | "service" | "toolkit" | "provider" | "twice"

/** What a provider answers to one request: parts, each a chunk of a stream, or what else becomes of it. */
export type Answer =
  | ReadonlyArray<any>
  | { readonly fails: AiError.AiError; readonly after?: ReadonlyArray<any> }
  | { readonly dies: unknown; readonly after?: ReadonlyArray<any> }
  | { readonly hangs: true; readonly after?: ReadonlyArray<any> }
  /** All parts in one chunk. */
  | { readonly chunk: ReadonlyArray<any> }

export type Handlers = Readonly<
  Record<string, (params: any, context: Toolkit.HandlerContext<any>) => Effect.Effect<any, any, any>>
>

export const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }

export const finish = (reason = "tool-calls") => ({ type: "finish", reason, usage })

export const call = (id: string, name = "lookup", params: unknown = { key: canary }, more: object = {}) => ({
  type: "tool-call",
  id,
  name,
  params,
  ...more
})

export const done: Answer = [{ type: "text", text: "ok" }, finish("stop")]

const streamed = (part: any): ReadonlyArray<any> => {
  if (part.type !== "text") return [part]
  const { text } = part
  return [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: text }, { type: "text-end", id: "t" }]
}

/** What a handler may find wrong, with a message that tells too much. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { detail: Schema.String }) {}

const success = Schema.String
const failure = Schema.Any

/** A tool that the provider runs. */
const search = Tool.providerDefined({
  id: "vendor.search",
  customName: "search",
  providerName: "web_search",
  parameters: Schema.Struct({ key: Schema.String }),
  success: Schema.Any,
  failure: Schema.Any
})()

/** The tools of the app: `lookup`, `add_note` and `wipe`, which needs approval; `search` is the provider's. */
export const toolkitOf = (failureMode: "error" | "return") =>
  Toolkit.make(
    Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success, failure, failureMode }),
    Tool.make("add_note", {
      description: "Adds a note",
      parameters: Schema.Struct({ text: Schema.String }),
      success,
      failure,
      failureMode
    }),
    Tool.make("wipe", {
      parameters: Schema.Struct({ path: Schema.String }),
      success,
      failure,
      failureMode,
      needsApproval: true
    }),
    search,
    Tool.make("count", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.Number, failureMode })
  )

const defaultHandlers: Handlers = {
  lookup: ({ key }) => Effect.succeed(`found ${key}`),
  add_note: ({ text }) => Effect.succeed(`noted ${text}`),
  wipe: ({ path }) => Effect.succeed(`wiped ${path}`),
  count: () => Effect.succeed(1)
}

/** What an app of a scene works with. */
export interface World {
  readonly mode: Mode
  readonly reach: Reach
  /** What happened to the app, in order. */
  readonly log: Array<string>
  readonly note: (text: string) => void
  /** Each request that the provider got: does its answer tell the usage? */
  readonly asked: Array<boolean>
  /** What each turn was given, asked and ran. */
  readonly turns: Array<TurnRecord>
  readonly model: (...answers: ReadonlyArray<Answer>) => Effect.Effect<LanguageModel.LanguageModel>
  readonly toolkit: (handlers?: Handlers, options?: ToolkitOptions) => Effect.Effect<any>
  /** One turn under a span `app`; gives its parts. */
  readonly turn: (model: LanguageModel.LanguageModel, options: TurnOptions) => Effect.Effect<ReadonlyArray<any>, any>
}

export interface ToolkitOptions {
  readonly failureMode?: "error" | "return"
}

export interface TurnOptions {
  readonly prompt?: any
  readonly toolkit?: any
  readonly chat?: any
  /** The consumer of a stream leaves after so many parts. */
  readonly take?: number
  readonly [option: string]: any
}

/** An app. */
export type Play = (world: World) => Effect.Effect<unknown, unknown, any>

const hooksOf = (reach: Reach) => {
  const same = <A>(value: A): A => value
  const twice = (wrap: <A>(value: A) => A) => <A>(value: A): A => wrap(wrap(value))
  switch (reach) {
    case "none":
      return { provider: same, languageModel: same, toolkit: same }
    case "all":
      return Toolspan
    case "service":
      return { provider: same, languageModel: Toolspan.languageModel, toolkit: same }
    case "toolkit":
      return { provider: same, languageModel: same, toolkit: Toolspan.toolkit }
    case "provider":
      return { provider: Toolspan.provider, languageModel: Toolspan.languageModel, toolkit: same }
    case "twice":
      return {
        provider: twice(Toolspan.provider),
        languageModel: twice(Toolspan.languageModel),
        toolkit: twice(Toolspan.toolkit)
      }
  }
}

const partsOf = (answer: Answer): ReadonlyArray<any> =>
  "chunk" in answer ? answer.chunk : "length" in answer ? answer : answer.after ?? []

/** The host writes into parts: each request gets its own. */
const copied = (answer: Answer): Answer =>
  "chunk" in answer
    ? structuredClone(answer)
    : "length" in answer
    ? structuredClone(answer)
    : { ...answer, after: structuredClone(answer.after ?? []) }

const ending = (answer: Answer): Effect.Effect<void, AiError.AiError> =>
  "fails" in answer
    ? Effect.fail(answer.fails)
    : "dies" in answer
    ? Effect.die(answer.dies)
    : "hangs" in answer
    ? Effect.never
    : Effect.void

const exitText = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? `success ${canonical(exit.value)}`
    : exit.cause.reasons.map((reason) =>
      Cause.isFailReason(reason)
        ? `fail ${canonical(reason.error)}`
        : Cause.isDieReason(reason)
        ? `die ${canonical(reason.defect)}`
        : "interrupt"
    ).join("; ")

const worldOf = (mode: Mode, reach: Reach): World => {
  const hooks = hooksOf(reach)
  const log: Array<string> = []
  const asked: Array<boolean> = []
  const turns: Array<TurnRecord> = []
  const turnOf = (traceId: string | undefined) => turns.find((turn) => turn.traceId === traceId)
  const note = (text: string): void => void log.push(text)
  let approvals = 0
  const ids = { generateId: () => Effect.sync(() => `ap${++approvals}`) }
  return {
    mode,
    reach,
    log,
    note,
    asked,
    turns,
    model: (...answers) => {
      let requests = 0
      const answerTo = (options: LanguageModel.ProviderOptions): Answer => {
        const answer = copied(answers[Math.min(requests++, answers.length - 1)] ?? done)
        // As provider packages do: what belongs to the request, on the span of the turn.
        options.span.attribute("gen_ai.operation.name", "chat")
        options.span.attribute("gen_ai.system", "vendor")
        options.span.attribute("gen_ai.request.model", "m1")
        note(`asked ${canonical([options.prompt.content, options.incrementalPrompt?.content, options.tools.length])}`)
        if (partsOf(answer).some((part) => part.type === "finish")) {
          options.span.attribute("gen_ai.usage.input_tokens", 5)
          options.span.attribute("gen_ai.usage.output_tokens", 7)
        }
        turnOf(options.span.traceId)?.requests.push({ prompt: messagesOf(options.prompt.content), parts: [] })
        asked.push(partsOf(answer).some((part) => part.type === "finish" && part.usage !== undefined))
        return answer
      }
      const seen = (options: LanguageModel.ProviderOptions) => (part: any): any => {
        turnOf(options.span.traceId)?.requests.at(-1)?.parts.push(partOf(part))
        return part
      }
      return Effect.map(
        LanguageModel.make(hooks.provider({
          generateText: (options: LanguageModel.ProviderOptions) =>
            Effect.suspend(() => {
              const answer = answerTo(options)
              const parts = partsOf(answer)
              const object = options.responseFormat.type === "json" ? [{ type: "text", text: "{\"ok\":true}" }] : []
              const text = options.responseFormat.type === "json"
                ? parts.filter((part) => part.type !== "text")
                : parts
              return Effect.map(
                ending(answer),
                () => [...object, ...text.filter((part) => !part.type.startsWith("tool-params"))].map(seen(options))
              )
            }),
          streamText: (options: LanguageModel.ProviderOptions) =>
            Stream.suspend(() => {
              const answer = answerTo(options)
              const parts = partsOf(answer)
              const chunks = "chunk" in answer
                ? Stream.fromArray(parts.flatMap(streamed))
                : Stream.fromIterable(parts.flatMap(streamed)).pipe(
                  Stream.rechunk(1),
                  Stream.mapEffect((part) => Effect.as(Effect.yieldNow, part))
                )
              return Stream.concat(Stream.map(chunks, seen(options)), Stream.drain(Stream.fromEffect(ending(answer))))
            })
        }) as any),
        hooks.languageModel
      ).pipe(Effect.provideService(IdGenerator.IdGenerator, ids)) as Effect.Effect<LanguageModel.LanguageModel>
    },
    toolkit: (handlers = {}, options = {}) => {
      const toolkit: any = toolkitOf(options.failureMode ?? "return")
      const all: Record<string, unknown> = {}
      for (const name of Object.keys(toolkit.tools)) {
        const handler = handlers[name] ?? defaultHandlers[name]
        if (handler === undefined) continue
        all[name] = (params: unknown, context: any) => {
          let started = false
          const run = Effect.suspend(() => {
            started = true
            note(`start ${name} ${canonical(params)} ${context.toolCallId}`)
            return handler(params, context)
          })
          const ended = (exit: Exit.Exit<unknown, unknown>) =>
            Effect.sync(() => {
              if (started) note(`end ${name} ${context.toolCallId} ${exitText(exit)}`)
            })
          return Effect.onExit(run, ended).pipe(Effect.withSpan("handler of the app"))
        }
      }
      return Effect.map(
        Effect.provide(
          Effect.gen(function*() {
            return yield* toolkit
          }) as Effect.Effect<any>,
          toolkit.toLayer(all)
        ),
        (resolved: any) =>
          hooks.toolkit({
            ...resolved,
            handle: (name: string, params: unknown, id: string, more: unknown) =>
              Effect.flatMap(Effect.serviceOption(Tracer.ParentSpan), (span) => {
                const turn = turnOf(Option.getOrUndefined(span)?.traceId)
                turn?.runs.push({ id, name, params, afterRequest: turn.requests.length > 0 })
                return resolved.handle(name, params, id, more)
              })
          })
      ) as Effect.Effect<any>
    },
    turn: (model, { chat, prompt = "go", take, ...options }) =>
      Effect.suspend(() => {
        const target = chat ?? LanguageModel
        const parts: Array<any> = []
        const seen = (part: any): Effect.Effect<void> =>
          Effect.sync(() => {
            parts.push(part)
            note(`part ${canonical(part)}`)
          })
        const all = { ...options, prompt }
        const run = mode === "streamText"
          ? (target.streamText(all) as Stream.Stream<any, any>).pipe(
            (stream) => take === undefined ? stream : Stream.take(stream, take),
            Stream.runForEach(seen)
          )
          : Effect.flatMap(
            (mode === "generateText"
              ? target.generateText(all)
              : target.generateObject({ ...all, schema: Schema.Struct({ ok: Schema.Boolean }) })) as Effect.Effect<any>,
            (response) => Effect.forEach(response.content, seen, { discard: true })
          )
        const recorded = Effect.map(Effect.orDie(Effect.currentParentSpan), (span) => {
          const turn: TurnRecord = { traceId: span.traceId, app: model, prompt: [], requests: [], runs: [] }
          turns.push(turn)
          return noting(model, turn)
        })
        return Effect.as(Effect.provideServiceEffect(run, LanguageModel.LanguageModel, recorded), parts)
      }).pipe(Effect.withSpan("app", { root: true })) as Effect.Effect<ReadonlyArray<any>, any>
  }
}

/** What an app did: equal for two runs that the app cannot tell apart. */
export interface Played {
  readonly host: ReadonlyArray<string>
  readonly trail: Trail
  readonly complaints: ReadonlyArray<string>
  readonly open: ReadonlyArray<string>
  readonly asked: ReadonlyArray<boolean>
  readonly turns: ReadonlyArray<TurnRecord>
  readonly stats: Toolspan.Stats
  readonly failed: boolean
}

export type Settings = NonNullable<Parameters<typeof Toolspan.layer>[0]>

/** Runs an app on a clock that stands still. */
export const run = async (play: Play, mode: Mode, reach: Reach, settings: Settings = {}): Promise<Played> => {
  const recording = RecordingTracer.make()
  const world = worldOf(mode, reach)
  const { exit, stats } = await Effect.runPromise(
    Effect.gen(function*() {
      const exit = yield* Effect.exit(play(world))
      // Fibers that were told to end may need a moment.
      for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
      return { exit, stats: yield* Toolspan.stats }
    }).pipe(
      Effect.provide(Layer.mergeAll(
        Toolspan.layer({ content: "off", ...settings, isolated: true }),
        Layer.succeed(Tracer.Tracer, recording.tracer),
        TestClock.layer()
      ))
    ) as Effect.Effect<{ readonly exit: Exit.Exit<unknown, unknown>; readonly stats: Toolspan.Stats }>
  )
  return {
    host: [...world.log, exitText(exit)],
    trail: recording.trail(),
    complaints: recording.complaints,
    open: recording.open(),
    asked: world.asked,
    turns: world.turns,
    stats,
    failed: Exit.isFailure(exit)
  }
}

/** The history after a turn: what the app asked, and what came of it. */
export const after = (prompt: Prompt.RawInput, parts: ReadonlyArray<any>): Prompt.Prompt =>
  Prompt.concat(Prompt.make(prompt), Prompt.fromResponseParts(parts))
