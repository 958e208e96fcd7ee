import { assert, beforeAll, describe, it } from "vitest"
import { ensureCollector } from "../../scripts/collector.ts"
import { carry, refuse } from "./collectorLoad.ts"

beforeAll(() => {
  ensureCollector()
})

describe("one collector", () => {
  it("carries thousands of spans a second without refusing one, in little memory", async () => {
    const carried = await carry(12)
    process.stdout.write(`load: ${JSON.stringify(carried)}\n`)
    // `npm run bench -- collector` tells the figure; this one holds on a machine that others use too.
    assert.isAbove(carried.exportedPerProcessorSecond, 8_000)
    assert.strictEqual(carried.refusedRequests, 0)
    assert.isBelow(carried.memoryMegabytes, 400)
  }, 120_000)

  it("refuses with 503 when its memory limit is near, and stays up", async () => {
    const refusing = await refuse()
    process.stdout.write(`memory limiter: ${JSON.stringify(refusing)}\n`)
    assert.strictEqual(refusing.status, 503)
    assert.isAbove(refusing.waitingRequests, 1)
    assert.isBelow(refusing.memoryMegabytes, refusing.containerMegabytes * 1.05)
  }, 180_000)
})
