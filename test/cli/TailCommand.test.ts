import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import { once } from "node:events"
import { ListedCall } from "../../src/query/CallSearch.ts"
import type { TraceStore } from "../../src/store/TraceStore.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { otlpJson, traceId } from "../query/SpanBuilder.ts"
import { dev, post, started, temporaryFolder } from "./CommandProcess.ts"
import { command, stored } from "./CommandRun.ts"

const listed = (line: string) => Schema.decodeUnknownSync(ListedCall)(JSON.parse(line))

/** Waits until so many lines are printed. */
type Shown = (lines: number) => Effect.Effect<void>

/** Tails until the lines that `wanted` waits for are there, then stops as Ctrl+C does: by interruption of what it does. */
const tailing = (
  args: ReadonlyArray<string>,
  wanted: number,
  act: (shown: Shown) => Effect.Effect<unknown, unknown>
) =>
  Effect.gen(function*() {
    const ready = yield* Deferred.make<void>()
    const out: Array<string> = []
    const err: Array<string> = []
    const waiting: Array<{ readonly lines: number; readonly there: Deferred.Deferred<void> }> = []
    const wake = () => {
      for (const { lines, there } of waiting) if (out.length >= lines) Deferred.doneUnsafe(there, Effect.void)
    }
    const shown: Shown = Effect.fnUntraced(function*(lines) {
      const there = yield* Deferred.make<void>()
      waiting.push({ lines, there })
      wake()
      yield* Deferred.await(there)
    })
    const fiber = yield* Effect.forkChild(command(["tail", ...args], {
      onPrint: (lines) => {
        out.push(...lines)
        wake()
      },
      onNote: (lines) => {
        err.push(...lines)
        Deferred.doneUnsafe(ready, Effect.void)
      }
    }))
    yield* Deferred.await(ready)
    yield* Effect.orDie(act(shown))
    yield* shown(wanted)
    yield* Fiber.interrupt(fiber)
    return { out, err }
  })

describe("tail", { timeout: 60_000 }, () => {
  it.live("prints nothing of what was there, then each call that comes and each change of it", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored(plainCall("older"))
      const rows = approvedCall("t1")
      const asked = rows.filter((row) => row.traceId === traceId("ask"))
      const answered = rows.filter((row) => row.traceId === traceId("go"))
      const { err, out } = yield* tailing(
        ["--data", path, "--json"],
        2,
        Effect.fnUntraced(function*(shown) {
          yield* store.append(asked)
          yield* shown(1)
          yield* store.append(answered)
        })
      )
      assert.deepStrictEqual(out.map(listed).map(({ id, outcome, state }) => [id, state, outcome]), [
        ["t1", "pending", undefined],
        ["t1", "approved", "success"]
      ])
      assert.deepStrictEqual(err, [`Waiting for tool calls in ${path}. Ctrl+C ends it.`])
    }).pipe(Effect.scoped))

  it.live("begins with the newest calls that are there, the oldest of them first", () =>
    Effect.gen(function*() {
      const { path } = yield* stored([
        ...plainCall("one"),
        ...plainCall("two", { a: "c", b: "d", at: 1000 }),
        ...plainCall("three", { a: "e", b: "f", at: 2000 })
      ])
      const { out } = yield* tailing(["--data", path, "--json", "--last", "2"], 2, () => Effect.void)
      assert.deepStrictEqual(out.map(listed).map(({ id }) => id), ["two", "three"])
    }).pipe(Effect.scoped))

  const filters: ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]> = [
    [["--tool", "calendar"], ["t2"]],
    [["--outcome", "failure"], ["t3"]],
    [["--id-prefix", "t"], ["t1", "t2", "t3"]],
    [["--key", "t3", "--max-duration", "500"], ["t3"]],
    [["--text", "CALEN"], ["t2"]],
    [["--service", "assistant", "--from", "2026-03-01T09:12:04Z"], ["t2", "t3"]]
  ]
  for (const [args, wanted] of filters) {
    it.live(`prints what fits ${args.join(" ")}`, () =>
      Effect.gen(function*() {
        const { path, store } = yield* stored()
        const { out } = yield* tailing(
          ["--data", path, "--json", ...args],
          wanted.length,
          () =>
            store.append([
              ...plainCall("t1"),
              ...plainCall("t2", { tool: "calendar", a: "c", b: "d", at: 1000 }),
              ...plainCall("t3", { a: "e", b: "f", at: 2000, outcome: "failure" })
            ])
        )
        assert.deepStrictEqual(out.map(listed).map(({ id }) => id ?? ""), [...wanted])
      }).pipe(Effect.scoped))
  }

  it.live("keeps its columns in line while wider calls come, with one line of titles", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored(plainCall("t1"))
      const { out } = yield* tailing(
        ["--data", path, "--last", "1"],
        3,
        (shown) =>
          Effect.andThen(
            shown(2),
            store.append(plainCall("a-much-longer-id", { a: "c", b: "d", at: 1000, outcome: "failure" }))
          )
      )
      assert.match(out[0]!, /^DECIDED +ID +TOOL +APPROVAL +OUTCOME +MODEL$/)
      assert.match(out[1]!, /^03-01 09:12:03 +t1 +weather +- +success 180 ms +claude-x$/)
      assert.match(out[2]!, /^03-01 09:12:04 +a-much-longer-id +weather +- +failure 180 ms +claude-x$/)
    }).pipe(Effect.scoped))

  it.live("ends well when its reader has left", () =>
    Effect.gen(function*() {
      const { path } = yield* stored(plainCall("t1"))
      const { code, out } = yield* command(["tail", "--data", path, "--last", "1", "--json"], { leaveAfter: 0 })
      assert.strictEqual(code, 0)
      assert.lengthOf(out, 1)
    }).pipe(Effect.scoped))

  it.effect("says once when more comes than it shows, and once when it has caught up", () =>
    Effect.gen(function*() {
      const { path, store } = yield* stored()
      const fill = (from: number, count: number, store: TraceStore.Shape) =>
        store.append(
          Array.from(
            { length: count },
            (_, index) => plainCall(`t${from + index}`, { a: `a${from + index}`, b: `b${from + index}`, at: index })
          ).flat()
        )
      const notes: Array<string> = []
      let printed = 0
      const caughtUp = yield* Deferred.make<void>()
      const ready = yield* Deferred.make<void>()
      // Each piece of output takes a second: slower than what comes.
      const fiber = yield* Effect.forkChild(command(["tail", "--data", path, "--json"], {
        onPrint: (lines) => printed += lines.length,
        onNote: (lines) => {
          notes.push(...lines)
          Deferred.doneUnsafe(ready, Effect.void)
          if (lines[0]!.startsWith("All that came")) Deferred.doneUnsafe(caughtUp, Effect.void)
        },
        slowly: TestClock.adjust(1000)
      }))
      yield* Deferred.await(ready)
      yield* fill(0, 1500, store)
      yield* TestClock.adjust(250)
      yield* Deferred.await(caughtUp)
      yield* Fiber.interrupt(fiber)
      assert.isAtLeast(printed, 1500)
      assert.match(notes[1]!, /^More comes than is shown: some [\d,]+ spans wait\. None is left out\.$/)
      assert.strictEqual(notes[2], "All that came is shown again.")
      assert.lengthOf(notes, 3)
    }).pipe(Effect.scoped))

  it.live("is refused where there is no file, and for filters that cannot be", () =>
    Effect.gen(function*() {
      using folder = temporaryFolder()
      const none = yield* command(["tail", "--data", folder.path])
      assert.strictEqual(none.code, 2)
      assert.match(none.err.join("\n"), /There is no store .* start `toolspan dev`/)
      for (const args of [["--from", "yesterday"], ["--last", "-1"], ["--state", "party"], ["x"]]) {
        const { code, err, out } = yield* command(["tail", ...args])
        assert.deepStrictEqual([code, out], [2, []])
        assert.match(err.join("\n"), /See toolspan tail --help$/)
      }
    }))

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`follows what dev takes, as a process, and ends with 0 on ${signal}`, async () => {
      using folder = temporaryFolder()
      await using receiver = await dev(["--port", "0", "--data", folder.path])
      const child = started(["tail", "--json", "--data", folder.path])
      child.stdout.setEncoding("utf8")
      child.stderr.setEncoding("utf8")
      await once(child.stderr, "data")
      const [line] = await Promise.all([
        once(child.stdout, "data"),
        post(receiver.url, otlpJson(plainCall("t1")))
      ])
      assert.strictEqual(listed(String(line)).id, "t1")
      child.kill(signal)
      const [code] = await once(child, "close")
      assert.strictEqual(code, 0)
    })
  }
})
