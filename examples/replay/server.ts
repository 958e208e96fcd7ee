import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as Api from "./api.ts"
import * as Reply from "./reply.ts"
import type { Fault, Step } from "./script.ts"

/** A request as the server received it. */
export interface ReplayRequest {
  /** 1 for the first request of this server. */
  readonly number: number
  readonly api: Api.ApiName
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Readonly<Record<string, unknown>>
  readonly stream: boolean
}

export interface ReplayOptions {
  /** The steps in the order of the requests, or a function that picks a step for a request. */
  readonly script: ReadonlyArray<Step> | ((request: ReplayRequest) => Step)
  /** The fault of every step that has none of its own. */
  readonly fault?: Fault
  /** Milliseconds between two events of a stream; 2 when not given. */
  readonly gap?: number
}

export interface Replay extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; OpenAI clients want `${url}/v1`. */
  readonly url: string
  /** Every request so far, oldest first; those beyond the script too. */
  readonly requests: ReadonlyArray<ReplayRequest>
  readonly close: () => Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> => {
  request.setEncoding("utf8")
  let text = ""
  for await (const chunk of request) text += chunk
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === "object" && body !== null ? body as Record<string, unknown> : undefined
  } catch {
    return undefined
  }
}

/**
 * Starts a server on a free loopback port that answers model requests from a script: Anthropic Messages, OpenAI
 * Responses and chat completions, plain or streamed as each request asks for. A request beyond the script, or one that
 * no API knows, is answered with an error that says so.
 */
export const replay = async (options: ReplayOptions): Promise<Replay> => {
  const requests: Array<ReplayRequest> = []

  const stepFor = (request: ReplayRequest): Step => {
    if (typeof options.script === "function") return options.script(request)
    return options.script[request.number - 1] ?? {
      // 400, so that no client tries it again.
      refuse: 400,
      message: `The script has ${options.script.length} steps, and this is request ${request.number}.`
    }
  }

  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (incoming.url ?? "/").split("?")[0] ?? "/"
    const api = incoming.method === "POST" ? Api.fromPath(path) : undefined
    if (api === undefined) {
      response.writeHead(404, { "content-type": "text/plain" }).end(`No API at ${incoming.method} ${path}.\n`)
      return
    }
    const body = await readBody(incoming)
    if (body === undefined) {
      await Reply.send(response, Reply.refusal(api, 400, "The request body is not a JSON object."), {
        fault: undefined,
        gap: 0
      })
      return
    }
    const request: ReplayRequest = {
      number: requests.length + 1,
      api: api.name,
      path,
      headers: incoming.headers,
      body,
      stream: body["stream"] === true
    }
    requests.push(request)
    const step = stepFor(request)
    const model = typeof body["model"] === "string" ? body["model"] : "replay"
    await Reply.send(response, Reply.fromStep(step, api, { number: request.number, model, stream: request.stream }), {
      fault: step.fault ?? options.fault,
      gap: options.gap ?? 2
    })
  }

  const server = createServer((incoming, response) => {
    incoming.socket.setNoDelay(true)
    // A client that hangs up while it is answered is a normal end of a test.
    response.on("error", () => {})
    respond(incoming, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", resolve)
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The replay server has no port.")

  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })

  return { url: `http://127.0.0.1:${address.port}`, requests, close, [Symbol.asyncDispose]: close }
}
