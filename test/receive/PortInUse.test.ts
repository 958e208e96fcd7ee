import { spawn } from "node:child_process"
import * as net from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Receiver from "../../src/receive/Receiver.ts"
import { PortInUse } from "../../src/receive/ReceiverError.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"

const make = (port: number) => Effect.provide(Receiver.make({ port }), MemoryStore.layer)

const refused = Effect.fnUntraced(function*(port: number) {
  const error = yield* Effect.flip(make(port))
  assert.strictEqual(error._tag, "PortInUse")
  return error as PortInUse
})

/** A child process that listens and says its port; the program's text is part of its command line. */
const listener = Effect.acquireRelease(
  Effect.callback<{ readonly pid: number; readonly port: number; readonly end: () => void }>((resume) => {
    const program =
      "const other = require('net').createServer().listen(0, '127.0.0.1', () => console.log(other.address().port))"
    const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.once(
      "data",
      (chunk: Buffer) =>
        resume(Effect.succeed({ pid: child.pid!, port: Number(chunk.toString()), end: () => child.kill() }))
    )
  }),
  (child) => Effect.sync(child.end)
)

describe("a port in use", () => {
  it.live("is told with the process that has it, where that can be known", () =>
    Effect.gen(function*() {
      const { pid, port } = yield* listener
      const error = yield* refused(port)
      assert.strictEqual(error.port, port)
      assert.isFalse(error.toolspan)
      if (process.platform === "linux") {
        assert.strictEqual(error.holder?.pid, pid)
        assert.include(error.holder?.command, "createServer")
        assert.include(error.message, `process ${pid} (`)
      }
      assert.match(error.message, new RegExp(`^Port ${port} is in use by `))
      assert.match(error.message, /toolspan dev --port \d+/)
      assert.match(error.message, /OTEL_EXPORTER_OTLP_ENDPOINT=http:\/\/127\.0\.0\.1:\d+/)
    }))

  it.live("is told to be toolspan's when toolspan answers there", () =>
    Effect.gen(function*() {
      const { port } = yield* make(0)
      const error = yield* refused(port)
      assert.isTrue(error.toolspan)
      assert.match(error.message, /in use by a toolspan that is running already/)
    }))

  it.live("by a program that says nothing, or says too much, is told in time", () =>
    Effect.gen(function*() {
      const noise = yield* Effect.acquireRelease(
        Effect.callback<net.Server>((resume) => {
          const server = net.createServer((socket) => {
            socket.on("error", () => {})
            socket.write("HTTP/1.1 200 OK\r\n\r\n")
            const more = (): boolean => socket.writable && socket.write("x".repeat(10_000)) && more()
            socket.on("drain", more)
            more()
          })
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      assert.isFalse((yield* refused((noise.address() as net.AddressInfo).port)).toolspan)
    }))

  it("is told without a name where nobody knows it", () => {
    const error = new PortInUse({ port: 4318, toolspan: false })
    assert.strictEqual(
      error.message,
      "Port 4318 is in use by another program. Choose another with `toolspan dev --port 4319`, and tell your app: "
        + "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4319"
    )
  })
})
