/**
 * Sends requests of the workload: `node sender.ts '{"url", "first", "requests", "connections", "perSecond", "spread"}'`
 * prints what it took.
 */
import * as http from "node:http"
import process from "node:process"
import * as workload from "./workload.ts"

/** What to send and where; `perSecond` are spans, 0 as many as there can be. */
export interface Order {
  readonly url: string
  readonly first: number
  readonly requests: number
  readonly connections: number
  readonly perSecond: number
}

/** What came of it. */
export interface Sent {
  readonly spans: number
  readonly seconds: number
  readonly refused: number
}

const order = JSON.parse(process.argv[2] ?? "") as Order
const made = workload.make()
const agent = new http.Agent({ keepAlive: true, maxSockets: order.connections })

const post = (body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/x-protobuf", "content-length": body.length }
    const request = http.request(order.url, { method: "POST", agent, headers }, (response) => {
      response.resume()
      response.on("end", () => resolve(response.statusCode ?? 0))
    })
    request.on("error", reject)
    request.end(body)
  })

const begun = performance.now()
let next = order.first
let spans = 0
let refused = 0

const worker = async (): Promise<void> => {
  while (next < order.first + order.requests) {
    const number = next++
    const due = order.perSecond === 0 ? 0 : spans / order.perSecond * 1_000 - (performance.now() - begun)
    spans += made.spansOf(number)
    if (due > 0) await new Promise((resolve) => setTimeout(resolve, due))
    const body = made.body(number, Date.now())
    // As an exporter does: what there is no room for is sent again.
    while (await post(body) !== 200) {
      refused++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

await Promise.all(Array.from({ length: order.connections }, worker))
const sent: Sent = { spans, seconds: (performance.now() - begun) / 1_000, refused }
process.stdout.write(JSON.stringify(sent))
agent.destroy()
