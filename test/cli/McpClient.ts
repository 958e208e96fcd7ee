/** A client of `toolspan mcp` that speaks JSON-RPC by hand, over the standard streams of a process. */
import { assert } from "@effect/vitest"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { type Environment, startedWithInput } from "./CommandProcess.ts"

export interface Answer {
  readonly jsonrpc: "2.0"
  readonly id: number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface ToolAnswer {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly type: string; readonly text: string }>
  readonly structuredContent?: Readonly<Record<string, unknown>>
}

export interface McpClient extends AsyncDisposable {
  readonly request: (method: string, params?: unknown) => Promise<Answer>
  /** The same with parameters that are written already. */
  readonly requestText: (method: string, params: string) => Promise<Answer>
  /** Calls a tool; fails the test when that is a protocol error. */
  readonly call: (name: string, args: unknown) => Promise<ToolAnswer>
  /** Writes a line as it is. */
  readonly write: (line: string) => void
  /** The next answer that has no id. */
  readonly nextWithoutId: () => Promise<Answer>
  /** Every line that came, to see that nothing else comes. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  readonly pid: number
  readonly close: () => Promise<number | null>
}

/** Starts a server and shakes hands. */
export const connect = async (args: ReadonlyArray<string>, environment: Environment = {}): Promise<McpClient> => {
  const child = startedWithInput(["mcp", ...args], environment)
  const closed = once(child, "close")
  const lines: Array<string> = []
  const waiting = new Map<number, (answer: Answer) => void>()
  const others: Array<(answer: Answer) => void> = []
  const kept: Array<Answer> = []
  let errors = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors += text)
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    const answer = JSON.parse(line) as Answer
    const told = answer.id === null || answer.id === undefined ? others.shift() : waiting.get(answer.id)
    if (told === undefined) kept.push(answer)
    else told(answer)
  })
  const write = (line: string) => void child.stdin.write(`${line}\n`)
  let last = 0
  const requestText = (method: string, params: string) =>
    new Promise<Answer>((resolve, reject) => {
      const id = ++last
      waiting.set(id, resolve)
      void closed.then(([code]) => reject(new Error(`the server ended with ${code}: ${errors}`)))
      write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`)
    })
  const request = (method: string, params: unknown = {}) => requestText(method, JSON.stringify(params))
  const hello = await request("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" }
  })
  assert.isUndefined(hello.error)
  write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }))
  const close = async () => {
    child.stdin.end()
    const [code] = await closed
    return code as number | null
  }
  return {
    request,
    requestText,
    call: async (name, args) => {
      const { error, result } = await request("tools/call", { name, arguments: args })
      assert.isUndefined(error, error?.message)
      return result as ToolAnswer
    },
    write,
    nextWithoutId: () => {
      const there = kept.shift()
      return there === undefined ? new Promise((resolve) => others.push(resolve)) : Promise.resolve(there)
    },
    lines,
    errors: () => errors,
    pid: child.pid!,
    close,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL")
      await closed
    }
  }
}
