/** What one collector carries, and when its memory limiter refuses: measured by sending as fast as answers come. */
import * as http from "node:http"
import * as os from "node:os"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { protobuf } from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"

const spansARequest = 512

/** The spans of a call as toolspan writes them: a turn, a decision, an execution, a result, a consuming turn. */
const call = (number: number): ReadonlyArray<SpanRow> => {
  const same = {
    "gen_ai.tool.name": `tool_${number % 20}`,
    "gen_ai.tool.call.id": `toolu_01${number.toString(36).padStart(20, "0")}`,
    "gen_ai.conversation.id": `conversation-${number >> 3}`,
    "toolspan.call.key": number.toString(16).padStart(32, "0"),
    "toolspan.call.id_source": "provider",
    "toolspan.approval.state": "not_required",
    "toolspan.provider_executed": false,
    "app.route": "POST /conversations/:id/messages"
  }
  const chat = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "model",
    "gen_ai.usage.input_tokens": 512n,
    "gen_ai.usage.output_tokens": 64n
  }
  const execution = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function" }
  const ended = { "toolspan.outcome": "success" }
  return [
    { ...chat, "toolspan.tool_calls.decided": 1n },
    { ...same, "toolspan.stage": "decision" },
    { ...same, ...execution, ...ended, "toolspan.stage": "execution" },
    { ...same, ...ended, "toolspan.stage": "result", "toolspan.result.origin": "handler" },
    { ...chat, "toolspan.tool_calls.consumed": 1n }
  ].map((attributes, index) => row(number * 5 + index + 1, { trace: number + 1, attributes }))
}

/** Bodies that are sent again and again: making them would be most of the work. */
const bodies = (count: number): ReadonlyArray<Buffer> => {
  const rows = Array.from({ length: Math.ceil(count * spansARequest / 5) }, (_, number) => call(number)).flat()
  return Array.from(
    { length: count },
    (_, index) => Buffer.concat(rows.slice(index * spansARequest, (index + 1) * spansARequest).map(protobuf))
  )
}

/** Posts over a connection that is kept; answers the status, 0 for none. */
const post = (url: URL, agent: http.Agent, body: Buffer): Promise<number> =>
  new Promise((resolve) => {
    const request = http.request(url, {
      agent,
      method: "POST",
      headers: { "content-type": "application/x-protobuf", "content-length": body.length }
    }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode ?? 0))
    })
    request.once("error", () => resolve(0))
    request.end(body)
  })

export interface Carried {
  readonly seconds: number
  readonly connections: number
  readonly bytesASpan: number
  /** Spans exported per second while the queue was neither growing nor empty for want of spans. */
  readonly exportedPerSecond: number
  /** Spans exported per second of the collector's processor time: what is left of the figure when others load the machine. */
  readonly exportedPerProcessorSecond: number
  readonly queued: number
  readonly memoryMegabytes: number
  readonly refusedRequests: number
  /** The load of the machine before it began, and how many processors it has. */
  readonly loadBefore: number
  readonly processors: number
}

/** Sends as fast as answers come; the queue holds senders back once it is full, and from then on what is exported counts. */
export const carry = async (seconds: number): Promise<Carried> => {
  await using scratch = Program.scratch()
  await using sink = await GrpcSink.make({ reads: false })
  const loadBefore = os.loadavg()[0] ?? 0
  await using collector = await CollectorProcess.start({ folder: scratch.folder, traces: sink.address })
  const made = bodies(100)
  const connections = 8
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections })
  const url = new URL(`${collector.url}/v1/traces`)
  let isOver = false
  let refusedRequests = 0
  const senders = Array.from({ length: connections }, async (_, first) => {
    for (let index = first; !isOver; index++) {
      if (await post(url, agent, made[index % made.length] ?? Buffer.alloc(0)) !== 200) refusedRequests++
    }
  })
  const figures = async () => ({
    at: performance.now(),
    exported: await collector.own("otelcol_exporter_sent_spans"),
    processor: await collector.own("otelcol_process_cpu_seconds")
  })
  await new Promise((resolve) => setTimeout(resolve, seconds * 250))
  const before = await figures()
  await new Promise((resolve) => setTimeout(resolve, seconds * 750))
  const after = await figures()
  const queued = await collector.own("otelcol_exporter_queue_size")
  const memory = await collector.own("otelcol_process_memory_rss")
  isOver = true
  await Promise.all(senders)
  agent.destroy()
  const exported = after.exported - before.exported
  return {
    seconds,
    connections,
    bytesASpan: Math.round((made[0]?.length ?? 0) / spansARequest),
    exportedPerSecond: Math.round(exported / (after.at - before.at) * 1000),
    exportedPerProcessorSecond: Math.round(exported / (after.processor - before.processor)),
    queued,
    memoryMegabytes: Math.round(memory / 1e6),
    refusedRequests,
    loadBefore,
    processors: os.availableParallelism()
  }
}

export interface Refusing {
  /** The container's memory that compose gives, in MiB, and the limiter's share of it. */
  readonly containerMegabytes: number
  readonly limitMegabytes: number
  /** Requests and bytes that waited for room in the queue when the first was refused. */
  readonly waitingRequests: number
  readonly waitingMegabytes: number
  readonly memoryMegabytes: number
  readonly status: number
}

/** The trace store is down and the queue full: senders wait, each with its request in memory, until the limiter refuses. */
export const refuse = async (): Promise<Refusing> => {
  await using scratch = Program.scratch()
  const [containerMegabytes, limitMegabytes] = [512, 384]
  await using collector = await CollectorProcess.start({
    folder: scratch.folder,
    more: `processors: { memory_limiter: { limit_mib: ${limitMegabytes}, spike_limit_mib: 102 } }\n` +
      "exporters: { otlp_grpc/traces: { sending_queue: { queue_size: 5000 } } }\n",
    env: { GOMEMLIMIT: "410MiB" }
  })
  const agent = new http.Agent({ keepAlive: true })
  const url = new URL(`${collector.url}/v1/traces`)
  const body = Buffer.concat(
    Array.from({ length: 2_000 }, (_, number) => protobuf(row(number + 1, { attributes: { text: "x".repeat(2_000) } })))
  )
  let open = 0
  let status = 200
  const sent: Array<Promise<void>> = []
  try {
    await Program.until("the memory limiter refuses", async () => {
      if (status !== 200) return true
      open++
      sent.push(
        post(url, agent, body).then((answer) => {
          open--
          if (answer !== 200 && status === 200) status = answer
        })
      )
      // Ten requests a second: the limiter looks at the memory once a second.
      await new Promise((resolve) => setTimeout(resolve, 100))
      return undefined
    }, 120)
    const memory = await collector.own("otelcol_process_memory_rss")
    return {
      containerMegabytes,
      limitMegabytes,
      waitingRequests: open,
      waitingMegabytes: Math.round(open * body.length / 1e6),
      memoryMegabytes: Math.round(memory / 1e6),
      status
    }
  } finally {
    agent.destroy()
    await collector.stop()
    await Promise.all(sent)
  }
}
