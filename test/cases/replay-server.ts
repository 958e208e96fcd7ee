/** A loopback server that answers each request with the next payload of a case: a JSON body, or events. */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

export type Answer =
  | { readonly _tag: "response"; readonly body: unknown }
  | { readonly _tag: "stream"; readonly events: ReadonlyArray<unknown>; readonly end: "close" | "destroy" | "hang" }

export interface ReplayServer {
  readonly url: string
  /** The body of each request. */
  readonly requests: ReadonlyArray<unknown>
  readonly close: () => Promise<void>
}

const frame = (element: unknown): string => {
  if (typeof element === "string") return `data: ${element}\n\n`
  const event = element as { readonly event?: unknown; readonly data?: unknown }
  return typeof event.event === "string"
    ? `event: ${event.event}\ndata: ${typeof event.data === "string" ? event.data : JSON.stringify(event.data)}\n\n`
    : `data: ${JSON.stringify(element)}\n\n`
}

const answerWith = async (answer: Answer, response: ServerResponse): Promise<void> => {
  response.sendDate = false
  if (answer._tag === "response") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer.body))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const element of answer.events) {
    await sleep(2)
    response.write(frame(element))
  }
  if (answer.end === "close") response.end()
  if (answer.end === "destroy") {
    await sleep(50)
    response.socket?.destroy()
  }
}

export const startReplayServer = async (answers: ReadonlyArray<Answer>): Promise<ReplayServer> => {
  const requests: Array<unknown> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      requests.push(JSON.parse(Buffer.concat(chunks).toString("utf8")))
      const answer = answers[Math.min(requests.length, answers.length) - 1]!
      void answerWith(answer, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
