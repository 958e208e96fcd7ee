import { assert, describe, it } from "@effect/vitest"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import * as Effect from "effect/Effect"
import * as KeyValueStore from "effect/persistence/KeyValueStore"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Tracer from "effect/Tracer"
import * as Toolspan from "../../src/index.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import type { SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"

const Wipe = Tool.make("wipe", {
  parameters: Schema.Struct({ path: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
const kit = Toolkit.make(Wipe)
const handlers = kit.toLayer({ wipe: ({ path }) => Effect.succeed(`wiped ${path}`) })

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const asking: Array<any> = [
  { type: "tool-call", id: "w1", name: "wipe", params: { path: "/a" } },
  { type: "finish", reason: "tool-calls", usage, response: undefined }
]
const done: Array<any> = [{ type: "text", text: "ok" }, { type: "finish", reason: "stop", usage, response: undefined }]

/** One process: toolspan with a memory of its own, and what the provider was sent. */
const processWith = (settings: NonNullable<Parameters<typeof Toolspan.layer>[0]>) => {
  const recording = RecordingTracer.make()
  const sent: Array<unknown> = []
  const hear = (options: LanguageModel.ProviderOptions, parts: Array<any>): Array<any> => {
    sent.push(structuredClone(options.prompt.content))
    return structuredClone(parts)
  }
  const model = (parts: Array<any>) =>
    Effect.map(
      LanguageModel.make(Toolspan.provider({
        generateText: (options: LanguageModel.ProviderOptions) => Effect.sync(() => hear(options, parts)),
        streamText: (options: LanguageModel.ProviderOptions) =>
          Stream.suspend(() =>
            Stream.fromIterable(
              hear(options, parts).flatMap((part) =>
                part.type === "text"
                  ? [{ type: "text-start", id: "t" }, { type: "text-delta", id: "t", delta: part.text }, {
                    type: "text-end",
                    id: "t"
                  }]
                  : [part]
              )
            )
          )
      })),
      Toolspan.languageModel
    )
  const layer = Layer.mergeAll(
    handlers,
    Toolspan.layer({ ...settings, isolated: true }),
    Layer.succeed(Tracer.Tracer, recording.tracer)
  )
  const turn = (mode: "generateText" | "streamText", prompt: Prompt.RawInput, parts: Array<any>) =>
    Effect.gen(function*() {
      const service = yield* model(parts)
      if (mode === "generateText") return (yield* service.generateText({ prompt, toolkit: kit })).content
      return Array.from(yield* Stream.runCollect(service.streamText({ prompt, toolkit: kit })))
    }).pipe(Effect.withSpan("app", { root: true }))
  return {
    recording,
    sent,
    turn: (mode: "generateText" | "streamText", prompt: Prompt.RawInput, parts: Array<any>) =>
      Effect.provide(Effect.all({ parts: turn(mode, prompt, parts), stats: Toolspan.stats }), layer)
  }
}

const encode = Schema.encodeUnknownSync(Schema.fromJsonString(Prompt.Prompt))
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(Prompt.Prompt))

const history = (parts: ReadonlyArray<any>): Prompt.Prompt =>
  Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(parts))

const answer = (prompt: Prompt.Prompt, approved = true): Prompt.Prompt =>
  Prompt.concat(
    prompt,
    Prompt.make([{
      role: "tool",
      content: [{
        type: "tool-approval-response",
        approvalId: (prompt.content.flatMap((message) => message.content as Array<any>).find((part) =>
          part.type === "tool-approval-request"
        )).approvalId,
        approved
      }]
    }])
  )

type Process = ReturnType<typeof processWith>

const span = (from: Process, name: string): SpanRecord => {
  const found = from.recording.trail().spans.find((one) => one.name === name)
  assert.isDefined(found, name)
  return found!
}

const twinOf = (one: SpanRecord): string => `${one.traceId}-${one.spanId}`

const store = Effect.map(
  Effect.provide(KeyValueStore.KeyValueStore, KeyValueStore.layerMemory),
  (kv) => ({ get: kv.get, set: kv.set, remove: kv.remove })
)

const modes = ["generateText", "streamText"] as const

describe.each(modes)("carriers, %s", (mode) => {
  it.effect("in-band: another process links to the decision and the request, and knows the wait", () =>
    Effect.gen(function*() {
      const a = processWith({ carrier: "in-band" })
      const first = yield* a.turn(mode, "go", asking)
      const file = encode(history(first.parts))
      assert.include(file, "\"toolspan\"")
      yield* TestClock.adjust("1 hour")
      const b = processWith({ carrier: "in-band" })
      yield* b.turn(mode, answer(decode(file)), done)
      const answered = span(b, "tool_approval wipe")
      assert.strictEqual(answered.attributes[Attribute.toolspanLinkAnswers], twinOf(span(a, "tool_approval wipe")))
      assert.strictEqual(answered.attributes[Attribute.toolspanApprovalWait], 3600)
      const execution = span(b, "execute_tool wipe")
      assert.strictEqual(execution.attributes[Attribute.toolspanLinkDecidedBy], twinOf(span(a, "tool_call wipe")))
      assert.strictEqual(execution.attributes[Attribute.toolspanLinkApprovedBy], twinOf(answered))
      assert.notInclude(JSON.stringify(b.sent), "toolspan")
      assert.notInclude(JSON.stringify(a.sent), "toolspan")
    }))

  it.effect("a store: the same, and the history stays as the host makes it", () =>
    Effect.gen(function*() {
      const kv = yield* store
      const a = processWith({ carrier: { store: kv } })
      const first = yield* a.turn(mode, "go", asking)
      const file = encode(history(first.parts))
      assert.notInclude(file, "toolspan")
      yield* TestClock.adjust("1 hour")
      const b = processWith({ carrier: { store: kv } })
      yield* b.turn(mode, answer(decode(file), false), done)
      const answered = span(b, "tool_approval wipe")
      assert.strictEqual(answered.attributes[Attribute.toolspanLinkAnswers], twinOf(span(a, "tool_approval wipe")))
      assert.strictEqual(answered.attributes[Attribute.toolspanApprovalWait], 3600)
      const again = processWith({ carrier: { store: kv } })
      yield* again.turn(mode, answer(decode(file)), done)
      const later = span(again, "tool_approval wipe")
      assert.isUndefined(later.attributes[Attribute.toolspanLinkAnswers], "what was answered is gone from the store")
    }))

  it.effect("a store without a conversation never guesses between two equal calls", () =>
    Effect.gen(function*() {
      const kv = yield* store
      const a = processWith({ carrier: { store: kv } })
      const first = yield* a.turn(mode, "go", asking)
      yield* a.turn(mode, "go", asking)
      const b = processWith({ carrier: { store: kv } })
      const { stats } = yield* b.turn(mode, answer(decode(encode(history(first.parts)))), done)
      const answered = span(b, "tool_approval wipe")
      assert.isUndefined(answered.attributes[Attribute.toolspanLinkAnswers])
      assert.strictEqual(stats.carriersIgnored, 1)
    }))

  it.effect("off: prompts and results are the host's, byte for byte", () =>
    Effect.gen(function*() {
      const first = yield* processWith({}).turn(mode, "go", asking)
      assert.notInclude(encode(history(first.parts)), "toolspan")
    }))

  for (
    const [what, carrier] of Object.entries({
      "no object": 7,
      "another version": { v: 2, decided: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
      "no trace": { v: 1, decided: "00-00000000000000000000000000000000-b7ad6b7169203331-01" },
      "a text": { v: 1, decided: "canary" },
      "stale": {
        v: 1,
        decided: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        asked: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01",
        askedAt: 0
      },
      "of tomorrow": {
        v: 1,
        decided: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        asked: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203332-01",
        askedAt: 48 * 3600 * 1000 + 1
      }
    })
  ) {
    it.effect(`a carrier that is ${what} is ignored and counted`, () =>
      Effect.gen(function*() {
        const a = processWith({ carrier: "in-band" })
        const first = yield* a.turn(mode, "go", asking)
        const file = encode(history(first.parts)).replace(
          /"toolspan":\{[^}]*\}/,
          `"toolspan":${JSON.stringify(carrier)}`
        )
        yield* TestClock.adjust("48 hours")
        const b = processWith({ carrier: "in-band" })
        const { parts, stats } = yield* b.turn(mode, answer(decode(file)), done)
        assert.strictEqual(stats.carriersIgnored, 1)
        assert.strictEqual(stats.internalErrors, 0)
        assert.isTrue(parts.some((part: any) => part.type === "tool-result"), "the call ran")
        const answered = span(b, "tool_approval wipe")
        assert.isUndefined(answered.attributes[Attribute.toolspanLinkAnswers])
        assert.isUndefined(answered.attributes[Attribute.toolspanApprovalWait])
        assert.notInclude(JSON.stringify(b.sent), "toolspan")
      }))
  }

  it.effect("a store that fails or hangs costs the links and nothing else", () =>
    Effect.gen(function*() {
      const broken = {
        get: () => Effect.fail("down"),
        set: () => Effect.fail("down"),
        remove: () => Effect.die("down")
      }
      const a = processWith({ carrier: { store: broken } })
      const { parts, stats } = yield* a.turn(mode, "go", asking)
      assert.isTrue(parts.some((part: any) => part.type === "tool-approval-request"))
      assert.strictEqual(stats.internalErrors, 0)
      assert.strictEqual(stats.carriersIgnored, 1)
    }))
})
