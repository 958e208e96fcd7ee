import { assert, beforeAll, describe, expect, it } from "vitest"
import { closedPort } from "../boot/programs/program.ts"
import { type Ended, register, run, sendTo } from "./child.ts"
import { type Line, programs, remove } from "./installation.ts"
import { otlpSink } from "./otlpSink.ts"
import { spanTree } from "./spanTree.ts"

const program = ["assistant.mjs", "generateText", "streamText"]
const limit = 60_000

describe.each<{ line: Line }>([{ line: "4.1.0" }, { line: "4.0.0-rc.112" }])("effect $line", ({ line }) => {
  let folder: string
  let bare: Ended

  beforeAll(async () => {
    folder = await programs(line)
    bare = await run(folder, program)
    return () => remove(folder)
  }, 180_000)

  const attempt = async (protocol: string) => {
    await using sink = await otlpSink()
    const ended = await run(folder, [...register, ...program], {
      ...sendTo(sink.url, protocol),
      OTEL_EXPORTER_OTLP_COMPRESSION: protocol === "http/json" ? "none" : "gzip"
    })
    return { ended, spans: sink.spans() }
  }

  describe("an ordinary program under register, from the tarball", () => {
    it("works by itself", () => {
      assert.strictEqual(bare.code, 3)
      assert.strictEqual(bare.errors, "That was all.\n")
      assert.lengthOf(bare.out.match(/"result":"sunny in Lisbon"/g) ?? [], 2, bare.out)
      assert.lengthOf(bare.out.match(/"isFailure":true/g) ?? [], 2, bare.out)
    })

    it("says the same, byte for byte, and sends exactly the spans of the contract, in both encodings", async () => {
      const [json, protobuf] = await Promise.all([attempt("http/json"), attempt("http/protobuf")])
      assert.deepStrictEqual(json.ended, bare)
      assert.deepStrictEqual(protobuf.ended, bare)
      await expect(spanTree(json.spans)).toMatchFileSnapshot(`__snapshots__/assistant-${line}.txt`)
      assert.strictEqual(spanTree(protobuf.spans), spanTree(json.spans))
      for (const span of [...json.spans, ...protobuf.spans]) {
        assert.isTrue(span.start > 0n && span.end >= span.start, span.name)
        assert.strictEqual(span.service, "journey")
      }
    }, limit)

    it("is covered when register stands in NODE_OPTIONS", async () => {
      await using sink = await otlpSink()
      const ended = await run(folder, program, { ...sendTo(sink.url), NODE_OPTIONS: register.join(" ") })
      assert.deepStrictEqual(ended, bare)
      await expect(spanTree(sink.spans())).toMatchFileSnapshot(`__snapshots__/assistant-${line}.txt`)
    }, limit)

    it.each(["TOOLSPAN_DISABLED", "OTEL_SDK_DISABLED"])("writes nothing with %s", async (variable) => {
      await using sink = await otlpSink()
      const ended = await run(folder, [...register, ...program], { ...sendTo(sink.url), [variable]: "true" })
      assert.deepStrictEqual(ended, bare)
      assert.strictEqual(sink.requests(), 0)
    }, limit)

    it("runs as if toolspan were absent when nobody listens, with one warning in all", async () => {
      const ended = await run(folder, [...register, ...program], sendTo(await closedPort()))
      const [warning, ...more] = ended.errors.replace("That was all.\n", "").trim().split("\n")
      assert.match(warning ?? "", /ToolspanWarning: .*could not be delivered.*ECONNREFUSED/)
      // Node adds how to find the place of a warning.
      assert.isTrue(more.every((line) => line.startsWith("(Use `node --trace-warnings")), ended.errors)
      assert.deepStrictEqual({ ...ended, errors: bare.errors }, bare)
    }, limit)
  })

  describe("a program whose values are secrets", () => {
    const secret = "canary-5c1e"

    it("sends none of them in any byte", async () => {
      await using sink = await otlpSink()
      const ended = await run(folder, [...register, "canary.mjs"], {
        ...sendTo(sink.url, "http/protobuf"),
        SECRET: secret
      })
      assert.deepStrictEqual(ended, await run(folder, ["canary.mjs"], { SECRET: secret }))
      assert.deepInclude(ended, { code: 0, errors: "" })
      const outcomes = new Set(sink.spans().map((span) => span.attributes["toolspan.outcome"]))
      for (
        const outcome of ["success", "failure", "invalid_parameters", "invalid_result", "unknown_tool", "denied"]
      ) {
        assert.isTrue(outcomes.has(outcome), `${outcome} is in the program`)
      }
      assert.isAbove(sink.bytes().length, 10_000)
      assert.notInclude(sink.bytes(), secret)
    }, limit)

    it("sends them when it is asked to, so the search would have found them", async () => {
      await using sink = await otlpSink()
      await run(folder, [...register, "canary.mjs"], {
        ...sendTo(sink.url, "http/protobuf"),
        SECRET: secret,
        TOOLSPAN_CONTENT: "all"
      })
      assert.include(sink.bytes(), secret)
    }, limit)
  })
})
