import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import * as McpInput from "../../src/cli/McpInput.ts"

/** What gets through of these chunks, and what is answered. */
const read = async (chunks: ReadonlyArray<Uint8Array>) => {
  const answers: Array<string> = []
  const lines = await Effect.runPromise(
    McpInput.messages(Stream.fromIterable(chunks), (line) => Effect.sync(() => void answers.push(line))).pipe(
      Stream.runCollect
    )
  )
  return {
    lines: lines.map((line) => Buffer.from(line).toString()),
    answers: answers.map((line): unknown => JSON.parse(line))
  }
}

const chunked = (text: string, sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const bytes = Buffer.from(text)
  const chunks: Array<Uint8Array> = []
  let from = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(from, from + size))
    from += size
  }
  return [...chunks, bytes.subarray(from)]
}

const answer = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })

describe("input", () => {
  it("is given on line by line, however it is cut", async () => {
    await fc.assert(fc.asyncProperty(
      fc.array(fc.json({ maxDepth: 3 }), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(20)),
      fc.constantFrom("\n", "\r\n", "\n\n"),
      fc.boolean(),
      async (messages, sizes, separator, ended) => {
        const text = messages.map((message) => message.replaceAll("\n", " ")).join(separator) + (ended ? separator : "")
        const { answers, lines } = await read(chunked(text, sizes))
        assert.deepStrictEqual(
          lines.map((line): unknown => JSON.parse(line)),
          messages.map((text): unknown => JSON.parse(text))
        )
        assert.deepStrictEqual(answers, [])
      }
    ))
  })

  it("that is no JSON is answered, and the next line is read", async () => {
    const { answers, lines } = await read(chunked("no\n{\"id\":1}\n{\"id\":\n\"cut", [1, 3, 5]))
    assert.deepStrictEqual(lines, ["{\"id\":1}\n"])
    const parseError = answer(null, -32700, "Parse error: a message is one line of JSON")
    assert.deepStrictEqual(answers, [parseError, parseError, parseError])
  })

  it("that is too long is answered without being kept", async () => {
    const text = `"${"x".repeat(McpInput.messageAtMost)}"\n1\n`
    const { answers, lines } = await read(chunked(text, Array.from({ length: 100 }, () => 65_536)))
    assert.deepStrictEqual(lines, ["1\n"])
    assert.deepStrictEqual(answers, [answer(null, -32700, "Parse error: the message is over 4 MiB")])
    const longest = `"${"x".repeat(McpInput.messageAtMost - 2)}"`
    assert.lengthOf((await read([Buffer.from(longest)])).lines, 1)
  })

  it("that is nested too deeply is answered to whoever asked", async () => {
    const nested = (depth: number) => "[".repeat(depth) + "\"[{\\\"\"" + "]".repeat(depth)
    const text = [99, 100].map((depth) => `{"id":"a","x":${nested(depth)}}`).join("\n")
    const { answers, lines } = await read([Buffer.from(text)])
    assert.lengthOf(lines, 1)
    assert.deepStrictEqual(answers, [answer("a", -32600, "Invalid request: it is nested deeper than 100")])
    assert.deepStrictEqual((await read([Buffer.from(`{"id":{},"x":${nested(200_000)}}`)])).answers, [
      answer(null, -32600, "Invalid request: it is nested deeper than 100")
    ])
  })
})
