import { assert, beforeAll, describe, it } from "vitest"
import { closedPort } from "../boot/programs/program.ts"
import { type Ended, register, run, sendTo, start } from "./child.ts"
import { programs, remove } from "./installation.ts"
import { otlpSink, type SentSpan, type SinkAnswer } from "./otlpSink.ts"

const calls = 5000
const limit = 120_000

let folder: string

beforeAll(async () => {
  folder = await programs("4.1.0")
  return () => remove(folder)
}, 180_000)

/** Each call has each of its stages once, and no span came twice. */
const assertAll = (spans: ReadonlyArray<SentSpan>): void => {
  assert.strictEqual(new Set(spans.map((span) => span.spanId)).size, spans.length, "no span came twice")
  const wanted = Array.from({ length: calls }, (_, index) => `call_${index + 1}`).toSorted()
  for (const stage of ["decision", "execution", "result"]) {
    const ids = spans.filter((span) => span.attributes["toolspan.stage"] === stage)
      .map((span) => String(span.attributes["gen_ai.tool.call.id"])).toSorted()
    assert.deepStrictEqual(ids, wanted, stage)
  }
  assert.strictEqual(spans.filter((span) => span.name.startsWith("LanguageModel.")).length, Math.ceil(calls / 50))
}

const attempt = async (ending: string, signal?: NodeJS.Signals, traced = true) => {
  await using sink = await otlpSink()
  const program = start(
    folder,
    [...(traced ? register : []), "calls.mjs", String(traced ? calls : 50), ending],
    sendTo(sink.url, "http/protobuf")
  )
  if (signal !== undefined) {
    await program.wrote("done")
    program.process.kill(signal)
  }
  const ended = await program.ended
  return { ended, spans: sink.spans() }
}

/** Which of Node's own functions stand in the stack of an error depends on how long the program ran. */
const plain = (ended: Ended): Ended => ({
  ...ended,
  errors: ended.errors.replaceAll(/ +at .*\(node:internal.*\n/g, "")
})

describe.concurrent("all 5,000 tool calls of a program arrive once, and it ends as it would alone", () => {
  it.each(
    [
      { leaves: "falls off the end", ending: "end", signal: undefined, code: 0 },
      { leaves: "calls process.exit", ending: "exit", signal: undefined, code: 7 },
      { leaves: "throws", ending: "throw", signal: undefined, code: 1 },
      { leaves: "leaves a rejected promise", ending: "reject", signal: undefined, code: 1 },
      { leaves: "awaits what never comes", ending: "unsettled", signal: undefined, code: 13 },
      { leaves: "is sent SIGTERM", ending: "wait", signal: "SIGTERM", code: null },
      { leaves: "is sent SIGINT", ending: "wait", signal: "SIGINT", code: null },
      { leaves: "calls process.exit in its own SIGTERM handler", ending: "own-exit", signal: "SIGTERM", code: 9 },
      { leaves: "closes in its own time at SIGTERM", ending: "own-async", signal: "SIGTERM", code: 4 }
    ] as const
  )("when it $leaves", async ({ code, ending, signal }) => {
    const [traced, bare] = await Promise.all([attempt(ending, signal), attempt(ending, signal, false)])
    assert.strictEqual(bare.ended.code, code)
    assert.deepStrictEqual(plain(traced.ended), plain(bare.ended))
    assertAll(traced.spans)
    assert.lengthOf(bare.spans, 0)
  }, limit)

  it("when it ignores SIGTERM and leaves later", async () => {
    await using sink = await otlpSink()
    const program = start(folder, [...register, "calls.mjs", String(calls), "own-ignore"], sendTo(sink.url))
    await program.wrote("done")
    program.process.kill("SIGTERM")
    await program.wrote("ignored")
    program.process.kill("SIGUSR2")
    assert.deepStrictEqual(await program.ended, { code: 6, signal: null, out: "done\nignored\n", errors: "" })
    assertAll(sink.spans())
  }, limit)
})

describe.concurrent("a sink that has its troubles", () => {
  const first = (count: number, answer: SinkAnswer) => (request: number): SinkAnswer => request <= count ? answer : {}

  it.each([
    { troubles: "is slow", answer: (): SinkAnswer => ({ delayMillis: 100 }) },
    {
      troubles: "answers 503 with Retry-After first",
      answer: first(2, { status: 503, headers: { "retry-after": "1" } })
    },
    {
      troubles: "answers 429 with Retry-After first",
      answer: first(2, { status: 429, headers: { "retry-after": "1" } })
    },
    { troubles: "answers 503 first", answer: first(2, { status: 503 }) },
    { troubles: "resets the first connections", answer: first(2, { reset: true }) }
  ])("that $troubles gets every call once, also at process.exit", async ({ answer }) => {
    await using sink = await otlpSink(answer)
    const ended = await run(
      folder,
      [...register, "calls.mjs", String(calls), "exit"],
      sendTo(sink.url, "http/protobuf")
    )
    assert.deepStrictEqual(ended, { code: 7, signal: null, out: "done\n", errors: "" })
    assertAll(sink.spans())
  }, limit)

  it("that does not keep up with a small queue loses spans, each of which is counted", async () => {
    await using sink = await otlpSink(() => ({ delayMillis: 300 }))
    const ended = await run(folder, [...register, "calls.mjs", String(calls), "exit"], {
      ...sendTo(sink.url, "http/protobuf"),
      OTEL_BSP_MAX_QUEUE_SIZE: "512"
    })
    assert.deepInclude(ended, { code: 7, signal: null, out: "done\n" })
    const [, dropped] = /ToolspanWarning: (\d+) spans were dropped in all/.exec(ended.errors) ?? []
    assert.include(ended.errors, "more than 512 spans wait for the endpoint")
    // Three spans a call, a turn and its request for each fifty.
    assert.strictEqual(sink.spans().length + Number(dropped), calls * 3 + (calls / 50) * 2, ended.errors)
  }, limit)

  it.each([
    { troubles: "refuses everything for good", answer: { status: 400 } },
    { troubles: "is unavailable all the time", answer: { status: 503 } },
    { troubles: "resets each connection", answer: { reset: true } },
    { troubles: "never answers in time", answer: { delayMillis: 60_000 } }
  ])(
    "that $troubles changes nothing of the program but one warning, and holds it for seconds only",
    async ({ answer }) => {
      await using sink = await otlpSink(() => answer)
      const program = start(
        folder,
        [...register, "calls.mjs", String(calls), "exit"],
        sendTo(sink.url, "http/protobuf")
      )
      await program.wrote("done")
      const began = performance.now()
      const ended = await program.ended
      assert.deepInclude(ended, { code: 7, signal: null, out: "done\n" })
      assert.lengthOf(ended.errors.match(/ToolspanWarning/g) ?? [], 1, ended.errors)
      assert.isBelow(performance.now() - began, 15_000)
      assert.lengthOf(sink.spans(), 0)
    },
    limit
  )

  it.each([{ ending: "end", code: 0 }, { ending: "exit", code: 7 }, { ending: "throw", code: 1 }])(
    "that is down changes nothing of a program that leaves by $ending, but one warning",
    async ({ code, ending }) => {
      const ended = await run(folder, [...register, "calls.mjs", String(calls), ending], sendTo(await closedPort()))
      assert.deepInclude(ended, { code, signal: null, out: "done\n" })
      assert.lengthOf(ended.errors.match(/ToolspanWarning/g) ?? [], 1, ended.errors)
    },
    limit
  )
})
