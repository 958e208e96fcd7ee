import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { once } from "node:events"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setImmediate } from "node:timers/promises"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import * as Query from "../../src/query/Query.ts"
import { Story } from "../../src/query/Story.ts"
import * as Receiver from "../../src/receive/Receiver.ts"
import type { TraceReader } from "../../src/store/TraceReader.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import * as arbitrary from "../otlp/arbitrary.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { traceId } from "../query/SpanBuilder.ts"
import { send } from "../receive/client.ts"
import { started } from "./CommandProcess.ts"
import { command, stored } from "./CommandRun.ts"

const spansIn = Effect.fnUntraced(function*(reader: TraceReader.Shape, traceIds: Iterable<string>) {
  const rows = yield* Effect.forEach(traceIds, (traceId) => reader.trace(traceId))
  return rows.flat().map(({ row }) => row)
})

/** Sends the lines over HTTP to a receiver with an empty file, and gives what it has then. */
const sentOn = Effect.fnUntraced(function*(lines: ReadonlyArray<string>) {
  const { store } = yield* stored()
  const { port } = yield* Receiver.make({ port: 0 }).pipe(Effect.provideService(TraceStore, store))
  for (const line of lines) {
    const answer = yield* send(port, { body: line })
    assert.deepStrictEqual([answer.status, answer.text], [200, "{}"])
  }
  return store
})

const traceIdsOf = (rows: ReadonlyArray<SpanRow>) => [...new Set(rows.map((row) => row.traceId))]

const storyJson = Effect.fnUntraced(function*(reader: TraceReader.Shape, id: string) {
  const { stories } = yield* Query.make(reader).story(id, 10)
  return stories.map((story) => Schema.encodeSync(Story)(story))
})

const hostile = "\u001b[31m\u202e\u009b2J\u0007\u{e0041}\n"

describe("export", { timeout: 60_000 }, () => {
  it.live("loads back through a receiver with every field of every span", () =>
    Effect.gen(function*() {
      const others = fc.sample(arbitrary.span, 60).map((row): SpanRow => ({ ...row, traceId: traceId("ask") }))
      const rows = [
        ...approvedCall("t1", { conversation: "demo" }),
        ...plainCall(`evil ${hostile}`, {
          tool: hostile,
          a: "c",
          b: "d",
          at: 1000,
          values: { large: "x".repeat(2_000_000) }
        }),
        ...others
      ]
      const { path, store } = yield* stored(rows)
      const { code, err, out } = yield* command(["export", "--data", path])
      assert.strictEqual(code, 0)
      assert.match(err.join("\n"), /^Exported \d+ spans of 4 traces\.$/)
      for (const line of out) assert.notMatch(line, /[\p{Cc}\p{Cf}]/u)
      const back = yield* sentOn(out)
      const ids = traceIdsOf(rows)
      const before = yield* spansIn(store, ids)
      assert.deepStrictEqual(yield* spansIn(back, ids), before)
      assert.lengthOf(before, new Set(rows.map(({ spanId, traceId }) => traceId + spanId)).size)
      assert.deepStrictEqual(yield* storyJson(back, "t1"), yield* storyJson(store, "t1"))
    }).pipe(Effect.scoped))

  const threeCalls = [
    ...plainCall("t1"),
    ...plainCall("t2", { tool: "calendar", a: "c", b: "d", at: 1000 }),
    ...plainCall("t3", { a: "e", b: "f", at: 2000, outcome: "failure" })
  ]

  const narrowed: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [["t2"], ["c", "d"]],
    [["--id", "t2"], ["c", "d"]],
    [["--outcome", "failure"], ["e", "f"]],
    [["--trace", traceId("c").toUpperCase()], ["c"]],
    [["--tool", "weather"], ["a", "b", "e", "f"]],
    [[], ["a", "b", "c", "d", "e", "f"]]
  ]
  for (const [args, labels] of narrowed) {
    it.live(`writes the whole traces of a call and of the turn that used it: ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const { path, store } = yield* stored(threeCalls)
        const { code, out } = yield* command(["export", ...args, "--data", path])
        assert.strictEqual(code, 0)
        const back = yield* sentOn(out)
        assert.strictEqual((yield* back.stats).traces, labels.length)
        const ids = labels.map(traceId)
        assert.deepStrictEqual(yield* spansIn(back, ids), yield* spansIn(store, ids))
      }).pipe(Effect.scoped))
  }

  it.live("goes on over pages, and writes no trace twice", () =>
    Effect.gen(function*() {
      const calls = Array.from({ length: 1001 }, (_, index) =>
        plainCall(`t${index}`, { a: `a${index % 700}`, at: index }))
      const { path, store } = yield* stored(calls.flat())
      const { out } = yield* command(["export", "--data", path])
      const { traces } = yield* store.stats
      assert.lengthOf(out, traces)
      assert.strictEqual(traces, 701)
    }).pipe(Effect.scoped))

  interface Written {
    readonly resourceSpans: ReadonlyArray<{
      readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<{ readonly spanId: string }> }>
    }>
  }

  it.live("writes a trace that is too large for one answer piece by piece", () =>
    Effect.gen(function*() {
      const large = "x".repeat(12 * 1024 * 1024)
      const calls = Array.from({ length: 5 }, (_, index) =>
        plainCall(`large${index}`, { at: index * 100, values: { large } }))
      const { path, store } = yield* stored()
      for (const rows of calls) {
        yield* store.append(rows)
      }
      const refused = yield* command(["show", "large0", "--data", path])
      assert.strictEqual(refused.code, 2)
      assert.match(
        refused.err.join("\n"),
        new RegExp(`toolspan export --trace ${traceId("a")} writes it piece by piece`)
      )

      const written: Array<string> = []
      let longest = 0
      const onPrint = (lines: ReadonlyArray<string>) => {
        for (const line of lines) {
          longest = Math.max(longest, line.length)
          const { resourceSpans } = JSON.parse(line) as Written
          written.push(
            ...resourceSpans.flatMap((one) =>
              one.scopeSpans.flatMap(({ spans }) => spans.map((s) => s.spanId))
            )
          )
        }
      }
      const spans = new Set(calls.flat().map(({ spanId }) => spanId))
      const ofTrace = new Set(calls.flat().flatMap((row) => row.traceId === traceId("a") ? [row.spanId] : []))
      const { code, err } = yield* command(["export", "--trace", traceId("a"), "--data", path], { onPrint })
      assert.deepStrictEqual([code, err], [0, [`Exported ${ofTrace.size} spans of 1 trace.`]])
      assert.sameMembers(written, [...ofTrace])
      assert.isBelow(longest, large.length + 1024 * 1024)

      // By the call, with the turn that used its result.
      const byCall = yield* command(["export", "large3", "--data", path])
      assert.deepStrictEqual([byCall.code, byCall.err], [0, [`Exported ${spans.size} spans of 2 traces.`]])
      const left = yield* command(["export", "--data", path], { leaveAfter: 0 })
      assert.deepStrictEqual([left.code, left.err], [0, []])
      assert.isBelow(left.out.length, written.length)
    }).pipe(Effect.scoped))

  it.live("stops when its reader has left", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(threeCalls)
      const { code, err, out } = yield* command(["export", "--data", path], { leaveAfter: 0 })
      assert.deepStrictEqual([code, err], [0, []])
      assert.isAtMost(out.length, 2)
    }).pipe(Effect.scoped))

  it.live("writes a file for its owner only, and leaves one that is there as it is", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(threeCalls)
      const file = join(dirname(path), "out.jsonl")
      const { code, out } = yield* command(["export", "--data", path, "-o", file])
      assert.deepStrictEqual([code, out], [0, []])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      const lines = readFileSync(file, "utf8").trimEnd().split("\n")
      assert.lengthOf(lines, 6)
      assert.strictEqual((yield* (yield* sentOn(lines)).stats).spans, threeCalls.length)
      writeFileSync(file, "mine")
      const again = yield* command(["export", "--data", path, "--output", file])
      assert.strictEqual(again.code, 2)
      assert.match(again.err.join("\n"), /out\.jsonl is there already and was left as it is: remove it/)
      assert.strictEqual(readFileSync(file, "utf8"), "mine")
    }).pipe(Effect.scoped))

  it.live("takes its file away when it is stopped before the end", () =>
    Effect.gen(function*() {
      const many = Array.from(
        { length: 3000 },
        (_, index) => plainCall(`t${index}`, { a: `a${index}`, b: `b${index}` })
      )
      const { path } = yield* stored(many.flat())
      const file = join(dirname(path), "out.jsonl")
      yield* Effect.promise(async () => {
        const child = started(["export", "--data", path, "-o", file])
        let said = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => said += text)
        const closed = once(child, "close")
        const isBegun = () => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
        while (!isBegun() && child.exitCode === null) await setImmediate()
        child.kill("SIGINT")
        assert.deepStrictEqual(await closed, [2, null])
        assert.strictEqual(said, "Stopped before everything was written\n")
        assert.isUndefined(statSync(file, { throwIfNoEntry: false }))
      })
    }).pipe(Effect.scoped))

  it.live("says when there is nothing, and leaves no empty file then", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(threeCalls)
      const file = join(dirname(path), "out.jsonl")
      const questions: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["t9"], /^There is no tool call with id t9 in /],
        [["--trace", "0".repeat(32)], /^There is no trace 0+ in /]
      ]
      for (const [args, message] of questions) {
        const { code, err, out } = yield* command(["export", ...args, "--data", path, "-o", file])
        assert.deepStrictEqual([code, out], [1, []])
        assert.match(err.join("\n"), message)
        assert.isUndefined(statSync(file, { throwIfNoEntry: false }))
      }
    }).pipe(Effect.scoped))

  it.live("refuses what cannot be meant", () =>
    Effect.gen(function*() {
      const { path } = yield* stored()
      const questions: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["t1", "--id", "t1"], /The id is given twice/],
        [["--trace", traceId("a"), "--tool", "x"], /--trace gives one trace, whole: leave out tool x/],
        [["--trace", "not hex"], /--trace takes a trace's id, 32 hex digits; this is not hex/],
        [["--trace", "a".repeat(31)], /32 hex digits/],
        [["-o", join(dirname(path), "none", "out")], /cannot be written/],
        [["--limit", "5"], /Unrecognized flag: --limit/]
      ]
      for (const [args, message] of questions) {
        const { code, err, out } = yield* command(["export", ...args, "--data", path])
        assert.deepStrictEqual([code, out], [2, []], args.join(" "))
        assert.match(err.join("\n"), message)
      }
    }).pipe(Effect.scoped))

  it.live("does not change the file", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored(threeCalls)
      const before = yield* store.stats
      yield* command(["export", "--data", path])
      assert.deepStrictEqual(yield* store.stats, before)
    }).pipe(Effect.scoped))
})
