import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { otlpJson, traceId } from "../query/SpanBuilder.ts"
import { dev } from "./CommandProcess.ts"
import { command, stored } from "./CommandRun.ts"
import * as FakeJaeger from "./FakeJaeger.ts"
import { connect } from "./McpClient.ts"

const rows = [
  ...approvedCall("t1", { conversation: "demo" }),
  ...plainCall("t2", { a: "c", b: "d", at: 1000, outcome: "failure" })
]

const jaeger = Effect.acquireDisposable(Effect.promise(() => FakeJaeger.serve(rows)))

const json = (lines: ReadonlyArray<string>) => lines.map((line): unknown => JSON.parse(line))

describe("--backend", { timeout: 60_000 }, () => {
  const questions: ReadonlyArray<ReadonlyArray<string>> = [
    ["find", "--json"],
    ["find", "--json", "--outcome", "failure"],
    ["find", "--json", "--id", "t1"],
    ["show", "t1", "--json"],
    ["show", "t2"]
  ]
  for (const args of questions) {
    it.live(`answers as a file does: ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const { backend } = yield* jaeger
        const { path } = yield* stored(rows)
        const local = yield* command([...args, "--data", path])
        const remote = yield* command([...args, "--backend", backend])
        assert.strictEqual(remote.code, 0, remote.err.join("\n"))
        assert.deepStrictEqual([...remote.out], [...local.out])
      }).pipe(Effect.scoped))
  }

  it.live("gives a page of more than it can count, and goes on", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 230 }, (_, index) =>
        plainCall(`t${index}`, { a: `a${index}`, b: `b${index}`, at: index * 1000 })).flat()
      const { backend } = yield* Effect.acquireDisposable(Effect.promise(() =>
        FakeJaeger.serve(many)
      ))
      const find = ["find", "--json", "--limit", "4", "--to", "2026-03-01T09:15:54Z", "--backend", backend]
      const first = yield* command(find)
      assert.strictEqual(first.code, 0, first.err.join("\n"))
      const cursor = /^4 calls, and there are more; --limit or --all shows more, --cursor (\S+) goes on\.$/.exec(
        first.err.at(-1)!
      )
      const second = yield* command([...find, "--cursor", cursor![1]!])
      const ids = [...first.out, ...second.out].map((line) => (JSON.parse(line) as { readonly id: string }).id)
      assert.deepStrictEqual(ids, ["t229", "t228", "t227", "t226", "t225", "t224", "t223", "t222"])
      const all = yield* command(["find", "--json", "--all", "--sort", "slowest", "--backend", backend])
      assert.strictEqual(all.code, 2)
      assert.match(all.err.join("\n"), /more than 200 traces could have such calls since .* Narrow the time/)
    }).pipe(Effect.scoped))

  it.live("exports what it finds", () =>
    Effect.gen(function*() {
      const { backend } = yield* jaeger
      const { path } = yield* stored(rows)
      const local = yield* command(["export", "--trace", traceId("ask"), "--data", path])
      const remote = yield* command(["export", "--trace", traceId("ask"), "--backend", backend])
      assert.deepStrictEqual([remote.code, json(remote.out)], [0, json(local.out)])
      const call = yield* command(["export", "t2", "--backend", backend])
      assert.match(call.err.join("\n"), /Exported \d+ spans of [12] traces?\./)
    }).pipe(Effect.scoped))

  it.live("says what the engine answers with less, beside the answer", () =>
    Effect.gen(function*() {
      const { backend } = yield* jaeger
      const { err } = yield* command(["show", "t1", "--backend", backend])
      assert.match(err.join("\n"), /^jaeger=http:\/\/127\.0\.0\.1:\d+ answers with less: it does not search links/)
      const { path } = yield* stored(rows)
      assert.deepStrictEqual((yield* command(["show", "t1", "--data", path])).err, [])
    }).pipe(Effect.scoped))

  it.live("ends with 1 when there is nothing, naming the engine without credentials", () =>
    Effect.gen(function*() {
      const { asked, backend } = yield* jaeger
      const secret = backend.replace("http://", "http://me:secret@")
      const { code, err, out } = yield* command(["find", "--id", "t9", "--backend", secret])
      assert.deepStrictEqual([code, out], [1, []])
      assert.match(err.join("\n"), /^There is no tool call with id t9 in jaeger=http:\/\/127\.0\.0\.1:\d+$/)
      assert.strictEqual(asked[0]!.authorization, `Basic ${btoa("me:secret")}`)
    }).pipe(Effect.scoped))

  it.live("ends with 2 for what the engine cannot answer, and says what to do", () =>
    Effect.gen(function*() {
      const { backend } = yield* jaeger
      const { code, err, out } = yield* command(["tail", "--backend", backend])
      assert.deepStrictEqual([code, out], [2, []])
      assert.match(err.join("\n"), /cannot answer this: it does not tell what is new\. Ask again/)
    }).pipe(Effect.scoped))

  it.live("ends with 2 when it is none, does not answer, or is named beside a file", () =>
    Effect.gen(function*() {
      const silent = createServer((_, response) => response.writeHead(401).end("no")).listen(0, "127.0.0.1")
      yield* Effect.promise(() => once(silent, "listening"))
      const { port } = silent.address() as AddressInfo
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["--backend", "zipkin=http://127.0.0.1:9411"], /This is no trace store\. Write tempo=http/],
        [["--backend", "tempo=ftp://127.0.0.1"], /The address is not http or https/],
        [["--backend", "jaeger=http://127.0.0.1:1"], /The store jaeger=http:\/\/127\.0\.0\.1:1 is not available/],
        [["--backend", `jaeger=http://127.0.0.1:${port}`], /it wants a token: put it into TOOLSPAN_BACKEND_TOKEN/],
        [["--backend", "jaeger=http://127.0.0.1:1", "--data", "x"], /name two places: leave one of them out/]
      ]
      for (const [args, message] of cases) {
        const { code, err, out } = yield* command(["find", ...args])
        assert.deepStrictEqual([code, out], [2, []], args.join(" "))
        assert.match(err.join("\n"), message)
      }
      yield* Effect.promise(() => new Promise((resolve) => silent.close(resolve)))
    }))

  it("is shown on the page, which takes no spans then", async () => {
    await using server = await FakeJaeger.serve(rows)
    await using shown = await dev(["--port", "0", "--backend", server.backend])
    assert.include(shown.welcome, `shows what is in ${server.backend.split("?")[0]}, and takes nothing.`)
    const ids = await (await fetch(`${shown.url}/api/calls`)).json() as {
      readonly calls: ReadonlyArray<{ readonly id: string }>
    }
    assert.deepStrictEqual(ids.calls.map(({ id }) => id).sort(), ["t1", "t2"])
    assert.strictEqual((await fetch(`${shown.url}/api/live`)).status, 501)
    const answer = await fetch(`${shown.url}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: otlpJson(plainCall("t3"))
    })
    assert.strictEqual(answer.status, 503)
    assert.match(await answer.text(), /only looked at from here\. Send the spans where it takes them/)
    assert.strictEqual((await shown.stop()).code, 0)
  })

  it("is asked by an agent too, with the token of the environment", async () => {
    await using server = await FakeJaeger.serve(rows)
    await using client = await connect(["--backend", server.backend], { TOOLSPAN_BACKEND_TOKEN: "sesame" })
    const found = await client.call("find_tool_calls", { outcome: "failure" })
    assert.deepStrictEqual(
      (found.structuredContent!["calls"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id),
      ["t2"]
    )
    const story = await client.call("get_tool_call", { id: "t1" })
    assert.match(String(story.structuredContent!["cut"]), /answers with less: it does not search links/)
    assert.strictEqual(server.asked[0]!.authorization, "Bearer sesame")
    assert.strictEqual(await client.close(), 0)
  })
})
