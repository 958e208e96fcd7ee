import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import * as Answer from "./answer.ts"
import type { Api } from "./api.ts"
import type { Fault, Step } from "./script.ts"
import * as Sse from "./sse.ts"

/** What one request is answered with, before any fault: a body or events. */
type Reply =
  | {
    readonly type: "body"
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  | { readonly type: "events"; readonly events: ReadonlyArray<Sse.SseEvent>; readonly destroy: boolean }

const json = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply => ({
  type: "body",
  status,
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body)
})

const verbatimEvent = (element: unknown): Sse.SseEvent =>
  typeof element === "object" && element !== null && "event" in element && "data" in element
    ? { event: String(element.event), data: element.data }
    : { data: element }

export const refusal = (api: Api, status: number, message: string, retryAfter?: number): Reply =>
  json(
    api.error(status, message),
    status,
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }
  )

export const fromStep = (
  step: Step,
  api: Api,
  request: { readonly number: number; readonly model: string; readonly stream: boolean }
): Reply => {
  if ("refuse" in step) return refusal(api, step.refuse, step.message ?? "The replay refuses.", step.retryAfter)
  if ("body" in step) return json(step.body, step.status, step.headers)
  if ("events" in step) {
    return { type: "events", events: step.events.map(verbatimEvent), destroy: step.ending === "destroy" }
  }
  const answer = Answer.complete(step, request)
  return request.stream
    ? { type: "events", events: api.events(answer), destroy: false }
    : json(api.body(answer))
}

/** Resolves when the chunk has left for the socket, so that two writes are two writes. */
const write = (response: ServerResponse, chunk: string): Promise<void> =>
  new Promise((resolve) => {
    // A client that went away is no error of the replay.
    if (response.destroyed) return resolve()
    response.write(chunk, () => resolve())
  })

const sendBody = async (
  response: ServerResponse,
  reply: Reply & { readonly type: "body" },
  fault: Fault | undefined
): Promise<void> => {
  const half = Math.ceil(reply.body.length / 2)
  const sent = fault?.type === "malformed" ? reply.body.slice(0, half) : reply.body
  response.writeHead(reply.status, { ...reply.headers, "content-length": Buffer.byteLength(sent) })
  if (fault?.type === "cut") {
    await write(response, sent.slice(0, half))
    response.destroy()
    return
  }
  if (fault?.type === "slow") {
    await write(response, sent.slice(0, half))
    await sleep(fault.between ?? 0)
    response.end(sent.slice(half))
    return
  }
  response.end(sent)
}

const sendEvents = async (
  response: ServerResponse,
  reply: Reply & { readonly type: "events" },
  fault: Fault | undefined,
  gap: number
): Promise<void> => {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" })
  response.flushHeaders()
  const pause = fault?.type === "slow" ? fault.between ?? gap : gap
  const whole = fault?.type === "cut" ? reply.events.slice(0, fault.after) : reply.events
  for (const [index, event] of whole.entries()) {
    if (response.destroyed) return
    if (index > 0) await sleep(pause)
    await write(
      response,
      fault?.type === "malformed" && fault.at === index ? Sse.encodeBroken(event) : Sse.encode(event)
    )
  }
  if (fault?.type === "cut" || reply.destroy) {
    // Long enough for the client to have read the last event: it is the connection that dies, not the event.
    await sleep(50)
    response.destroy()
    return
  }
  response.end()
}

/** Sends the reply, with its fault. `gap` is the time between two events in milliseconds. */
export const send = async (
  response: ServerResponse,
  reply: Reply,
  options: { readonly fault: Fault | undefined; readonly gap: number }
): Promise<void> => {
  if (options.fault?.type === "slow") await sleep(options.fault.before ?? 0)
  if (response.destroyed) return
  await (reply.type === "body"
    ? sendBody(response, reply, options.fault)
    : sendEvents(response, reply, options.fault, options.gap))
}
