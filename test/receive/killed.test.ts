import { spawn } from "node:child_process"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import * as body from "../otlp/body.ts"
import { row, spanId, traceId } from "../store/rows.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import { send } from "./client.ts"

const fixture = new URL("./killed.fixture.ts", import.meta.url).pathname

const killAfter = 60

it.live("everything that was acknowledged is there after kill -9, and is read while the process still writes", () =>
  Effect.gen(function*() {
    const file = path.join(yield* temporaryFolder, "spans.db")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [fixture, file], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const port = yield* Effect.callback<number>((resume) => {
      child.stdout.once("data", (chunk: Buffer) => resume(Effect.succeed(Number(chunk.toString()))))
    })
    const dead = new Promise((resolve) => child.once("exit", resolve))
    const acknowledged: Array<number> = []
    let next = 0
    const worker = Effect.gen(function*() {
      for (;;) {
        const number = ++next
        const answer = yield* send(port, {
          body: body.protobuf(row(number, { attributes: { padding: "x".repeat(10_000) } })),
          headers: { "content-type": "application/x-protobuf" }
        })
        assert.strictEqual(answer.status, 200)
        acknowledged.push(number)
        if (acknowledged.length === killAfter / 2) {
          const reader = yield* Effect.scoped(
            Effect.flatMap(SqliteStore.makeReader({ path: file }), (store) => store.stats)
          )
          assert.isAtLeast(reader.spans, killAfter / 2)
        }
        if (acknowledged.length === killAfter) child.kill("SIGKILL")
      }
    })
    // Each worker ends when the connection that it waits on dies with the process.
    yield* Effect.all(Array.from({ length: 4 }, () => Effect.exit(worker)), { concurrency: "unbounded" })
    yield* Effect.promise(() => dead)
    assert.strictEqual(child.signalCode, "SIGKILL")
    assert.isAtLeast(acknowledged.length, killAfter)
    for (const open of [SqliteStore.makeReader, SqliteStore.make]) {
      yield* Effect.scoped(Effect.gen(function*() {
        const store = yield* open({ path: file })
        for (const number of acknowledged) {
          assert.isDefined(yield* store.span({ traceId: traceId(1), spanId: spanId(number) }), `span ${number}`)
        }
      }))
    }
  }))
