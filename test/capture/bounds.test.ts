import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import process from "node:process"
import * as Toolspan from "../../src/index.ts"
import type { Report } from "./boundsProgram.ts"

const program = path.join(import.meta.dirname, "boundsProgram.ts")

describe("memory", () => {
  it("is at its cap after ten times as many abandoned approvals as are remembered, and grows no more", () => {
    const child = spawnSync(process.execPath, ["--expose-gc", program, "10000", "500"], { encoding: "utf8" })
    assert.strictEqual(child.stderr, "")
    const report: Report = JSON.parse(child.stdout)
    const { heapMegabytes, stats } = report
    assert.strictEqual(report.calls, 10_000)
    assert.strictEqual(stats.openCalls, 500)
    assert.isAbove(stats.evicted, 5_000)
    assert.strictEqual(stats.internalErrors, 0)
    assert.deepStrictEqual(stats.refused, {})
    // 2 kB a remembered call would be twice what it is.
    assert.isBelow(heapMegabytes.at(-1)!, 2)
    assert.isBelow(heapMegabytes.at(-1)! - heapMegabytes[1]!, 1)
  }, 60_000)
})

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }

const Lookup = Tool.make("lookup", { parameters: Schema.Struct({ key: Schema.String }), success: Schema.Any })
const kit = Toolkit.make(Lookup)

const finish = (reason: string) => ({ type: "finish", reason, usage, response: undefined })

const callOf = (index: number) => ({
  type: "tool-call",
  id: `call_${index}`,
  name: "lookup",
  params: { key: `${index}` }
})

/** A model that asks for so many calls at first, and for none once it has an answer; of a told provider or of any. */
const modelOf = (calls: number, provider: (service: any) => any = Toolspan.provider) => {
  const parts = ({ prompt }: LanguageModel.ProviderOptions): Array<any> =>
    prompt.content.length > 1
      ? [finish("stop")]
      : [...Array.from({ length: calls }, (_, index) => callOf(index)), finish("tool-calls")]
  return Effect.map(
    LanguageModel.make(provider({
      generateText: (options: LanguageModel.ProviderOptions) => Effect.sync(() => parts(options)),
      streamText: (options: LanguageModel.ProviderOptions) =>
        Stream.fromIterableEffect(Effect.sync(() => parts(options)))
    })),
    Toolspan.languageModel
  )
}

const isolated = Toolspan.layer({ content: "off", enabled: true, isolated: true })

const answering = (result: unknown) => kit.toLayer({ lookup: () => Effect.succeed(result) })

describe("what does not fit is counted", () => {
  it.effect("links from a request to more than 128 results", () =>
    Effect.gen(function*() {
      const model = yield* modelOf(200)
      const { content } = yield* model.generateText({ prompt: "go", toolkit: kit })
      yield* model.generateText({
        prompt: Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(content)),
        toolkit: kit
      })
      const stats = yield* Toolspan.stats
      assert.strictEqual(stats.droppedLinks, 72)
      assert.strictEqual(stats.openCalls, 0)
    }).pipe(Effect.provide([answering("found"), isolated])))

  it.effect("more than 20 violations of one request", () =>
    Effect.gen(function*() {
      const model = yield* modelOf(0)
      const calls = Array.from({ length: 25 }, (_, index) =>
        Prompt.toolCallPart({
          id: `call_${index}`,
          name: "lookup",
          params: { key: "a" },
          providerExecuted: false
        }))
      const history = Prompt.fromMessages([
        Prompt.assistantMessage({ content: calls }),
        Prompt.userMessage({ content: [Prompt.textPart({ text: "go on" })] })
      ])
      yield* model.generateText({ prompt: history, toolkit: kit })
      assert.strictEqual((yield* Toolspan.stats).droppedViolations, 5)
    }).pipe(Effect.provide([answering("found"), isolated])))

  it.effect.each([Toolspan.provider, (service: unknown) => service])(
    "each of 150,000 violations of one request",
    (provider) =>
      Effect.gen(function*() {
        const model = yield* modelOf(0, provider)
        const calls = Array.from({ length: 150_000 }, (_, index) =>
          Prompt.toolCallPart({
            id: `call_${index}`,
            name: "lookup",
            params: { key: "a" },
            providerExecuted: false
          }))
        const history = Prompt.fromMessages([
          Prompt.assistantMessage({ content: calls }),
          Prompt.userMessage({ content: [Prompt.textPart({ text: "go on" })] })
        ])
        yield* model.generateText({ prompt: history, toolkit: kit })
        const stats = yield* Toolspan.stats
        assert.strictEqual(stats.droppedViolations, 150_000 - 20)
        assert.strictEqual(stats.internalErrors, 0)
      }).pipe(Effect.provide([answering("found"), isolated]))
  )

  it.effect("more than 32 preliminary results of one execution", () =>
    Effect.gen(function*() {
      const model = yield* modelOf(1)
      yield* model.generateText({ prompt: "go", toolkit: kit })
      assert.strictEqual((yield* Toolspan.stats).droppedPreliminaries, 8)
    }).pipe(Effect.provide([
      kit.toLayer({
        lookup: (_, context) =>
          Effect.as(
            Effect.forEach(Array.from({ length: 40 }, (_, index) => index), (index) => context.preliminary(index), {
              discard: true
            }),
            "found"
          )
      }),
      isolated
    ])))

  it.effect("more than 4,096 calls of one history that a turn has to keep apart", () =>
    Effect.gen(function*() {
      const model = yield* modelOf(0)
      const ids = Array.from({ length: 4_100 }, (_, index) => `call_${index}`)
      const history = Prompt.fromMessages([
        Prompt.assistantMessage({
          content: ids.map((id) =>
            Prompt.toolCallPart({ id, name: "lookup", params: { key: id }, providerExecuted: false })
          )
        }),
        Prompt.toolMessage({
          content: ids.map((id) =>
            Prompt.toolResultPart({ id, name: "lookup", isFailure: false, result: "found", providerExecuted: false })
          )
        })
      ])
      yield* model.generateText({ prompt: history, toolkit: kit })
      const stats = yield* Toolspan.stats
      assert.isAtLeast(stats.untrackedCalls, 4)
      assert.strictEqual(stats.droppedLinks, 4_100 - 128)
      assert.strictEqual(stats.internalErrors, 0)
    }).pipe(Effect.provide([answering("found"), isolated])))

  it.effect("more than 1,024 calls of one response on the wire, and a store is asked for the last 64 of a history", () =>
    Effect.gen(function*() {
      const content = Array.from({ length: 1_030 }, (_, index) => ({
        type: "tool_use",
        id: `${index}`,
        name: "lookup",
        input: {}
      }))
      const client = Toolspan.client({
        createMessage: (request: unknown) => Effect.succeed([{ id: "m", model: "m", content, usage: {} }, request]),
        createMessageStream: () => Effect.void
      })
      yield* client.createMessage({ payload: { model: "m", messages: [] } })
      assert.strictEqual((yield* Toolspan.stats).droppedWireCalls, 6)

      let asked = 0
      const store = {
        get: () => Effect.sync(() => void asked++),
        set: () => Effect.void,
        remove: () => Effect.void
      }
      const model = yield* modelOf(0)
      const history = Prompt.fromMessages([
        Prompt.assistantMessage({
          content: Array.from(
            { length: 70 },
            (_, index) =>
              Prompt.toolCallPart({ id: `${index}`, name: "lookup", params: { key: "a" }, providerExecuted: false })
          )
        })
      ])
      yield* Effect.provide(
        model.generateText({ prompt: history, toolkit: kit }),
        Toolspan.layer({ carrier: { store }, enabled: true })
      )
      assert.strictEqual(asked, 64)
      assert.strictEqual((yield* Toolspan.stats).untrackedCalls, 6)
    }).pipe(Effect.provide([answering("found"), isolated])))

  it.effect("more than 32 runs of one call", () =>
    Effect.gen(function*() {
      const toolkit = Toolspan.toolkit(yield* kit)
      const params = { key: "a" }
      for (let run = 0; run < 40; run++) yield* Stream.runDrain(yield* toolkit.handle("lookup", params, "call_a"))
      const stats = yield* Toolspan.stats
      assert.strictEqual(stats.executions, 40)
      // The start and the end of each.
      assert.deepStrictEqual(stats.refused, { too_many_executions: 16 })
    }).pipe(Effect.provide([answering("found"), isolated])))
})

describe("with content off", () => {
  it.effect("no property of a result is read that the host alone does not read", () =>
    Effect.gen(function*() {
      const reads: Array<string> = []
      const result = (name: string) =>
        new Proxy({ secret: "x" }, {
          get: (target, key) => {
            reads.push(`${name} ${String(key)}`)
            return Reflect.get(target, key)
          },
          ownKeys: (target) => {
            reads.push(`${name} keys`)
            return Reflect.ownKeys(target)
          }
        })
      const turns = (model: LanguageModel.LanguageModel, name: string) =>
        Effect.provide(
          Effect.flatMap(model.generateText({ prompt: "go", toolkit: kit }), ({ content }) =>
            model.generateText({
              prompt: Prompt.concat(Prompt.make("go"), Prompt.fromResponseParts(content)),
              toolkit: kit
            })),
          answering(result(name))
        ) as Effect.Effect<unknown>
      yield* turns(yield* modelOf(1), "told")
      const told = reads.filter((read) => /keys|secret/.test(read)).length
      yield* Effect.provide(turns(yield* modelOf(1), "untold"), Toolspan.layer({ enabled: false }))
      const untold = reads.filter((read) => /keys|secret/.test(read)).length - told
      assert.strictEqual(told, untold)
      assert.strictEqual((yield* Toolspan.stats).executions, 1)
    }).pipe(Effect.provide(isolated)))
})
