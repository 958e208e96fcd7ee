// A million calls through the exporter of `register` with its default queue, to an endpoint of this machine that keeps up.
import { Effect } from "effect"
import { fork } from "node:child_process"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import process from "node:process"
import { spanCount } from "./spanCount.ts"

const callsATurn = 8

/** The child: makes the calls and says how its memory grew, in bytes after each tenth. */
const child = async (calls: number): Promise<void> => {
  await import("../../src/register.ts")
  const { turn } = await import("./turn.ts")
  const heaps: Array<number> = []
  const program = turn({ calls: callsATurn, streamed: false, turns: 2, app: false }, true)
  const turns = Math.ceil(calls / callsATurn)
  for (let index = 1; index <= turns; index++) {
    await Effect.runPromise(program)
    // An app waits for its provider; this one only lets its event loop turn.
    if (index % 8 === 0) await new Promise(setImmediate)
    if (index % Math.ceil(turns / 10) === 0 || index === turns) {
      globalThis.gc?.()
      heaps.push(process.memoryUsage().heapUsed)
    }
  }
  process.send?.({ heaps })
  process.disconnect?.()
}

interface Told {
  readonly heaps: ReadonlyArray<number>
}

/** The parent: counts what arrives. */
const parent = async (calls: number, json: boolean): Promise<void> => {
  let spans = 0
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      spans += spanCount(Buffer.concat(chunks))
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const began = performance.now()
  let told: Told = { heaps: [] }
  let stderr = ""
  const running = fork(path.join(import.meta.dirname, "throughput.ts"), ["child", String(calls)], {
    execArgv: ["--expose-gc"],
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    stdio: ["ignore", "inherit", "pipe", "ipc"]
  })
  running.stderr?.on("data", (chunk: Buffer) => stderr += chunk.toString())
  running.on("message", (message) => told = message as Told)
  const code = await new Promise<number | null>((resolve) => running.once("close", resolve))
  server.closeAllConnections()
  server.close()
  const seconds = (performance.now() - began) / 1000
  const turns = Math.ceil(calls / callsATurn)
  // Two turns, a request each, and three spans a call.
  const expected = turns * (4 + 3 * callsATurn)
  const dropped = expected - spans
  const [first = 0] = told.heaps
  const grownBytes = (told.heaps.at(-1) ?? 0) - first
  process.stdout.write(
    json
      ? `${
        JSON.stringify({
          calls: turns * callsATurn,
          spans,
          expected,
          dropped,
          seconds,
          grownBytes,
          heaps: told.heaps,
          code
        })
      }\n`
      : `${turns * callsATurn} calls in ${seconds.toFixed(0)} s: ${spans} of ${expected} spans arrived, ` +
        `heap grew by ${(grownBytes / 1e6).toFixed(1)} MB after the first tenth\n${stderr}`
  )
}

/** Measures; `TOOLSPAN_BENCH_CALLS` changes the million. */
export const main = (json: boolean): Promise<void> =>
  parent(Number(process.env["TOOLSPAN_BENCH_CALLS"] ?? 1_000_000), json)

if (process.argv[2] === "child") await child(Number(process.argv[3]))
