import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as readline from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { link, row, spanId, traceId } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const fixture = new URL("./killed.fixture.ts", import.meta.url).pathname

interface Ended {
  readonly lines: ReadonlyArray<string>
  readonly signal: NodeJS.Signals | null
}

/** Runs the fixture; `shell` is put before it, `onLine` may kill it. Lines that it wrote before it died are all there. */
const run = (
  file: string,
  what: string,
  onLine: (line: string, kill: () => void) => void,
  shell?: string
): Effect.Effect<Ended> =>
  Effect.callback((resume) => {
    const args = [fixture, file, what]
    const child = shell === undefined
      ? spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
      : spawn("sh", ["-c", `${shell}; exec "$0" "$@"`, process.execPath, ...args], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    const lines: Array<string> = []
    readline.createInterface(child.stdout).on("line", (line) => {
      lines.push(line)
      onLine(line, () => child.kill("SIGKILL"))
    })
    child.once("close", (_, signal) => resume(Effect.succeed({ lines, signal })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const padded = (number: number) =>
  row(number, {
    trace: number,
    attributes: {
      "toolspan.stage": "execution",
      "gen_ai.tool.call.id": `c${number}`,
      "toolspan.call.key": `c${number}`
    },
    links: [link(number + 1, number + 1, "consumes")]
  })

const integrity = (file: string): unknown => {
  const database = new DatabaseSync(file, { readOnly: true })
  const answer = Object.values(database.prepare("pragma integrity_check").get() ?? {})[0]
  database.close()
  return answer
}

const filled = Effect.fnUntraced(function*(spans: number) {
  const file = path.join(yield* temporaryFolder, "spans.db")
  yield* Effect.scoped(Effect.gen(function*() {
    const store = yield* SqliteStore.make({ path: file })
    yield* store.append(Array.from({ length: spans }, (_, index) => padded(index + 1)))
  }))
  return file
})

describe("a process that is killed", () => {
  it.live(
    "while retention runs leaves whole steps: what is left, what was counted and what is found agree",
    () =>
      Effect.gen(function*() {
        const spans = 1_500
        const file = yield* filled(spans)
        for (let killed = 0; killed < 3; killed++) {
          let steps = 0
          const { lines, signal } = yield* run(file, "drop", (line, kill) => {
            if (line.startsWith("dropped") && ++steps === 4) kill()
          })
          assert.strictEqual(signal, "SIGKILL")
          assert.isAtLeast(lines.filter((line) => line.startsWith("dropped")).length, 4)
          yield* Effect.scoped(Effect.gen(function*() {
            const store = yield* SqliteStore.makeReader({ path: file })
            const stats = yield* store.stats
            assert.strictEqual(stats.spans + stats.dropped.spans, spans)
            assert.isAtLeast(stats.dropped.spans, 100 * (killed + 1))
            assert.strictEqual(stats.dropped.spans % 25, 0)
            const gone = stats.dropped.spans
            assert.isUndefined(yield* store.span({ traceId: traceId(gone), spanId: spanId(gone) }))
            assert.isDefined(yield* store.span({ traceId: traceId(gone + 1), spanId: spanId(gone + 1) }))
            const calls = yield* store.findCalls({}, { limit: 10_000 })
            assert.strictEqual(calls.length, stats.calls)
            assert.strictEqual(calls.reduce((sum, call) => sum + call.spans.length, 0), stats.spans)
          }))
          assert.strictEqual(integrity(file), "ok")
        }
      }),
    60_000
  )

  it.live("while it migrates leaves the old version, or the new one whole", () =>
    Effect.gen(function*() {
      const spans = 3_000
      const made = yield* filled(spans)
      const old = `${made}.old.db`
      const database = new DatabaseSync(old)
      database.exec(fs.readFileSync(new URL("./version1.sql", import.meta.url), "utf8"))
      database.exec(`attach '${made}' as new; delete from total`)
      for (const table of ["trace", "resource", "scope", "span", "link", "total"]) {
        database.exec(`insert into ${table} select * from new.${table}`)
      }
      database.exec("pragma application_id = 0x5453706e; pragma user_version = 1")
      database.close()
      const versions = new Set<number>()
      for (const after of [5, 40, 80, 120, 200]) {
        const { lines, signal } = yield* run(old, "open", (line, kill) => {
          if (line === "started") setTimeout(kill, after)
        })
        if (signal === null) assert.deepStrictEqual(lines, ["started", "opened"])
        // Not read-only: whoever opens it next takes back what was half done, and has to write for that.
        const left = new DatabaseSync(old)
        const { user_version: version } = left.prepare("pragma user_version").get() as { readonly user_version: number }
        left.close()
        versions.add(version)
        assert.strictEqual(integrity(old), "ok")
        if (version !== 1) break
      }
      assert.isTrue(versions.has(1), "no process was killed before the migration was whole")
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* SqliteStore.make({ path: old })
        const stats = yield* store.stats
        assert.deepStrictEqual([stats.spans, stats.callSpans], [spans, spans])
        assert.strictEqual((yield* store.findCalls({ id: "c77" }, { limit: 2 })).length, 1)
      }))
    }), 60_000)
})

it.live(
  "a disk that is full fails the append whole with a clear reason, and what was acknowledged is there",
  () =>
    Effect.gen(function*() {
      const file = path.join(yield* temporaryFolder, "spans.db")
      // The largest file that the process may write stands for the disk: 512-byte blocks.
      const { lines } = yield* run(file, "append", () => {}, "trap '' XFSZ; ulimit -f 1500")
      const last = Number(lines.findLast((line) => line.startsWith("appended"))?.split(" ")[1])
      assert.isAbove(last, 20)
      assert.match(lines.at(-1)!, /^failed The store .*spans\.db is not available: .*(full|disk I\/O error)/)
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* SqliteStore.make({ path: file })
        assert.strictEqual((yield* store.stats).spans, last)
        assert.isDefined(yield* store.span({ traceId: traceId(1), spanId: spanId(last) }))
        assert.deepStrictEqual(yield* store.append([row(last + 1)]), { stored: 1, duplicates: 0 })
      }))
      assert.strictEqual(integrity(file), "ok")
    }),
  60_000
)
