import { assert, beforeAll, describe, it } from "vitest"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { selfMetrics } from "../../dashboards/selfMetrics.ts"
import { ensureCollector } from "../../scripts/collector.ts"
import { protobuf } from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"

beforeAll(() => {
  ensureCollector()
})

/** The labels of every metric in a scrape. */
const labelsIn = (scraped: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>()
  for (const [, name = "", labels = ""] of scraped.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const own = found.get(name) ?? new Set()
    found.set(name, own)
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) own.add(label)
  }
  return found
}

/** A store of metrics that takes all of them, or none for good. */
const metricStore = async (status: number) => {
  const server = http.createServer((request, response) => {
    request.resume()
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

describe("what a collector tells of itself", () => {
  it("has every metric, with its labels, for which Pipeline and the alerts ask", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using refusing = await GrpcSink.make({ refuses: true })
    await using metrics = await metricStore(200)
    await using noMetrics = await metricStore(400)
    const span = protobuf(row(1, { attributes: { "gen_ai.operation.name": "chat" } }))
    const scrapes: Array<string> = []
    const tell = async (
      options: Partial<CollectorProcess.Options>,
      until: ReadonlyArray<{ readonly name: string }>
    ): Promise<void> => {
      await using own = Program.scratch()
      await using collector = await CollectorProcess.start({ folder: own.folder, ...options })
      for (const { name } of until) {
        await Program.until(name, async () => {
          await CollectorProcess.send(collector.url, span)
          return await collector.own(name) > 0 ? true : undefined
        }, 20)
      }
      scrapes.push(await collector.scraped())
    }
    // All is well.
    await tell({ folder: scratch.folder, traces: sink.address, metrics: metrics.url }, [
      selfMetrics.sentSpans,
      selfMetrics.sentMetricPoints
    ])
    // Neither store will have it.
    await tell({ traces: refusing.address, metrics: noMetrics.url }, [
      selfMetrics.sendFailedSpans,
      selfMetrics.sendFailedMetricPoints
    ])
    // No queue has room.
    const full = "sending_queue: { queue_size: 1, sizer: bytes, block_on_overflow: false, batch: { min_size: 1 } }"
    await tell({ more: `exporters: { otlp_grpc/traces: { ${full} }, otlp_http/metrics: { ${full} } }\n` }, [
      selfMetrics.enqueueFailedSpans,
      selfMetrics.enqueueFailedMetricPoints
    ])
    // There is no memory.
    await tell(
      { more: "processors: { memory_limiter: { limit_mib: 2, spike_limit_mib: 1, check_interval: 10ms } }\n" },
      [
        selfMetrics.limiterRefusedSpans,
        selfMetrics.refusedSpans
      ]
    )
    const told = labelsIn(scrapes.join("\n"))
    for (const { labels, name } of Object.values(selfMetrics)) {
      // Prometheus makes this one.
      if (name === selfMetrics.up.name) continue
      assert.includeMembers([...told.get(name) ?? [`no ${name}`]], [...labels], name)
      assert.isTrue(told.has(name), name)
    }
  })
})
