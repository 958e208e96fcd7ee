import { assert, describe, it } from "@effect/vitest"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Toolspan from "../../src/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const kit = Toolkit.make(
  Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.String })
)
const handlers = kit.toLayer({ lookup: ({ key }) => Effect.succeed(`found ${key}`) })

const finish = {
  type: "finish",
  reason: "tool-calls",
  usage: { inputTokens: {}, outputTokens: {} },
  response: undefined
}
const asking = (): Array<any> => [{ type: "tool-call", id: "c1", name: "lookup", params: { key: "canary" } }, finish]

const modelOf = (parts: () => unknown, wrapped = true) => {
  const hooks = {
    generateText: () => parts() as never,
    streamText: () => Stream.fromIterableEffect(Effect.sync(asking))
  }
  return wrapped
    ? Effect.map(LanguageModel.make(Toolspan.provider(hooks)), Toolspan.languageModel)
    : LanguageModel.make(hooks)
}

/** Runs one turn with a toolkit and gives how it ended and what was told. */
const run = (
  toolkit: (resolved: any) => unknown,
  options: { parts?: () => unknown; tracer?: (made: Tracer.Tracer) => Tracer.Tracer } = {}
) => {
  const recording = RecordingTracer.make()
  const parts = options.parts ?? (() => Effect.sync(asking))
  const program = (wrapped: boolean) =>
    Effect.gen(function*() {
      const model = yield* modelOf(parts, wrapped)
      const resolved = yield* kit
      return yield* Effect.exit(
        Effect.timeout(model.generateText({ prompt: "go", toolkit: toolkit(resolved) as typeof resolved }), "5 seconds")
      )
    }).pipe(Effect.withSpan("app"))
  const layer = Layer.mergeAll(
    handlers,
    Layer.succeed(Tracer.Tracer, (options.tracer ?? ((made) => made))(recording.tracer))
  )
  return Effect.gen(function*() {
    const told = yield* Effect.provide(program(true), Layer.merge(layer, Toolspan.layer({ isolated: true })))
    const spans: ReadonlyArray<SpanRecord> = recording.trail().spans
    const open = recording.open()
    const bare = yield* Effect.provide(program(false), handlers)
    return { told, bare, spans, open }
  })
}

const named = (spans: ReadonlyArray<SpanRecord>, name: string): ReadonlyArray<SpanRecord> =>
  spans.filter((span) => span.name.startsWith(name))

class Guarded {
  readonly #inner: any
  constructor(inner: any) {
    this.#inner = inner
  }
  get tools() {
    return this.#inner.tools
  }
  handle(name: string, params: unknown, id?: string) {
    return this.#inner.handle(name, params, id)
  }
}

describe("toolkits that an app makes itself", () => {
  it.live("may be instances of a class with private state", () =>
    Effect.gen(function*() {
      const { bare, spans, told } = yield* run((resolved) => new Guarded(resolved))
      assert.isTrue(Exit.isSuccess(bare))
      assert.isTrue(Exit.isSuccess(told))
      assert.strictEqual(named(spans, "execute_tool lookup").length, 1)
    }))

  it.live("may be frozen", () =>
    Effect.gen(function*() {
      const { spans, told } = yield* run((resolved) => Object.freeze({ ...resolved }))
      assert.isTrue(Exit.isSuccess(told))
      assert.strictEqual(named(spans, "execute_tool lookup").length, 1)
    }))

  it.live("fail as without toolspan when handle gives no effect", () =>
    Effect.gen(function*() {
      const { bare, open, told } = yield* run((resolved) => ({ tools: resolved.tools, handle: () => undefined }))
      assert.isTrue(Exit.hasDies(bare))
      assert.isTrue(Exit.hasDies(told))
      assert.deepStrictEqual(open, [])
    }))
})

it.live("a provider that gives no effect leaves no span open", () =>
  Effect.gen(function*() {
    const { bare, open, told } = yield* run((resolved) => resolved, { parts: () => undefined })
    assert.isTrue(Exit.hasDies(bare))
    assert.isTrue(Exit.hasDies(told))
    assert.deepStrictEqual(open, [])
  }))

describe("what is frozen", () => {
  it("is wrapped by hand as anything else", () => {
    const service = Object.freeze({
      generateText: () => Effect.void,
      generateObject: () => Effect.void,
      streamText: () => Stream.empty
    })
    assert.notStrictEqual(Toolspan.languageModel(service), service)
    const client = Object.freeze({ createMessage: () => Effect.void, createMessageStream: () => Effect.void })
    assert.notStrictEqual(Toolspan.client(client), client)
    const hooks = Object.freeze({ generateText: () => Effect.void, streamText: () => Stream.empty })
    assert.notStrictEqual(Toolspan.provider(hooks), hooks)
    const toolkit = Toolspan.toolkit(Object.freeze(Toolkit.make(Tool.make("ping"))))
    assert.deepStrictEqual(Object.keys(toolkit.tools), ["ping"])
    assert.isTrue(Effect.isEffect(toolkit))
  })

  it.live("as a span costs nothing but its own methods: each is ended, and no argument stands on it", () =>
    Effect.gen(function*() {
      const frozen = (made: Tracer.Tracer): Tracer.Tracer =>
        Tracer.make({
          span: (options) => {
            const span = made.span(options)
            return Object.freeze({
              _tag: "Span" as const,
              name: span.name,
              spanId: span.spanId,
              traceId: span.traceId,
              parent: Option.none(),
              annotations: span.annotations,
              get status() {
                return span.status
              },
              attributes: span.attributes,
              links: span.links,
              sampled: span.sampled,
              kind: span.kind,
              end: (time: bigint, exit: Exit.Exit<unknown, unknown>) => span.end(time, exit),
              attribute: (key: string, value: unknown) => span.attribute(key, value),
              event: (name: string, time: bigint, attributes?: Record<string, unknown>) =>
                span.event(name, time, attributes),
              addLinks: (links: ReadonlyArray<Tracer.SpanLink>) => span.addLinks(links)
            })
          }
        })
      const { open, spans, told } = yield* run((resolved) => resolved, { tracer: frozen })
      assert.isTrue(Exit.isSuccess(told))
      assert.deepStrictEqual(open, [])
      assert.strictEqual(named(spans, "execute_tool lookup")[0]?.attributes[Attribute.toolspanOutcome], "success")
      assert.strictEqual(named(spans, "tool_result lookup").length, 1)
      assert.notInclude(JSON.stringify(spans), "canary")
    }))
})

it.live("two calls that nothing tells apart have no link, the second as little as the first", () =>
  Effect.gen(function*() {
    const params = { key: "a" }
    const call = { type: "tool-call", id: "r", name: "lookup", params }
    const { spans } = yield* run((resolved) => resolved, { parts: () => Effect.succeed([call, call, finish]) })
    const executions = named(spans, "execute_tool lookup")
    assert.strictEqual(executions.length, 2)
    for (const execution of executions) {
      assert.strictEqual(execution.attributes[Attribute.toolspanLinkAmbiguous], true)
      assert.isUndefined(execution.attributes[Attribute.toolspanLinkDecidedBy])
    }
  }))
