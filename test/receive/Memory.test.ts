import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as body from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { send } from "./client.ts"

const fixture = new URL("./killed.fixture.ts", import.meta.url).pathname

/** A receiver in a process of its own, whose memory is its own too. */
const start = Effect.gen(function*() {
  const file = path.join(yield* temporaryFolder, "spans.db")
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [fixture, file], { stdio: ["ignore", "pipe", "inherit"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const port = yield* Effect.callback<number>((resume) => {
    child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(Number(chunk.toString()))))
  })
  return { child, port }
})

const peakMegabytes = (child: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, "utf8"))![1]) / 1024

const size = 60 * 1024 * 1024

/** A body of 60 MB whose spans are this text again and again, `many` times at most, and then spaces and `last`. */
const bodyOf = (first: string, piece: string, many = Infinity, last = "0"): Buffer => {
  const head = `{"resourceSpans":[{"scopeSpans":[{"spans":[${first}`
  const tail = `${last}]}]}]}`
  const room = size - head.length - tail.length
  const filled = Math.min(many, Math.floor(room / piece.length)) * piece.length
  return Buffer.concat([
    Buffer.from(head),
    Buffer.alloc(filled, piece),
    Buffer.alloc(room - filled, " "),
    Buffer.from(tail)
  ])
}

const ids = `"traceId":"${"a".repeat(32)}","spanId":"${"b".repeat(16)}"`
const few = 980_000

const bodies: Readonly<Record<string, Buffer>> = {
  "lists without end": bodyOf("", "[],"),
  "objects, as many as are taken": bodyOf("", "{},", few),
  "long numbers, as many as are taken": bodyOf("", "1234567890123456789,", 490_000),
  "attributes, as many as are taken": bodyOf(
    `{${ids},"attributes":[`,
    "{\"value\":{\"intValue\":1}},",
    640_000,
    "{}]}"
  ),
  "text without end": bodyOf(`{${ids},"name":"`, "\u20ac".repeat(1_000), Infinity, "\"}")
}

describe.skipIf(process.platform !== "linux")("four bodies of 60 MB at a time", () => {
  for (const [what, plain] of Object.entries(bodies)) {
    it.live(`of ${what} take less than 1 GB, and the next request is taken`, () =>
      Effect.gen(function*() {
        const { child, port } = yield* start
        const packed = gzipSync(plain, { level: 1 })
        const answers = yield* Effect.all(
          Array.from({ length: 4 }, () => send(port, { body: packed, headers: { "content-encoding": "gzip" } })),
          { concurrency: "unbounded" }
        )
        for (const { status } of answers) assert.oneOf(status, [200, 400, 413])
        const next = yield* send(port, { body: JSON.stringify(body.json(row(1))) })
        assert.strictEqual(next.status, 200)
        console.error(
          what,
          answers.map(({ status, text }) => `${status} ${text.slice(0, 100)}`)[0],
          peakMegabytes(child)
        )
        assert.isBelow(peakMegabytes(child), 1_000)
      }), 60_000)
  }
})
