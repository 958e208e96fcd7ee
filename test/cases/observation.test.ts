import { assert, describe, it } from "@effect/vitest"
import { canonical, compareHost, type Observation } from "./observation.ts"

const observation = (fields: Partial<Observation> = {}): Observation => ({
  exits: ["success"],
  parts: [["a", "b"]],
  handlerRuns: ["lookup 1", "lookup 2"],
  prompts: ["p"],
  ...fields
})

describe("host comparison", () => {
  it("equal runs are the same; a changed part, order, handler run, prompt or exit is not", async () => {
    const more = async () => observation()
    assert.isUndefined(await compareHost(observation(), [observation()], more))
    const changes: ReadonlyArray<Partial<Observation>> = [
      { exits: ["failure"] },
      { parts: [["b", "a"]] },
      { parts: [["a"]] },
      { handlerRuns: ["lookup 1"] },
      { handlerRuns: ["lookup 2", "lookup 1"] },
      { prompts: [] }
    ]
    for (const change of changes) assert.isString(await compareHost(observation(change), [observation()], more))
  })

  it("where runs without us race, one of theirs must be ours", async () => {
    const swapped = observation({ handlerRuns: ["lookup 2", "lookup 1"] })
    assert.isUndefined(await compareHost(swapped, [observation()], async () => swapped))
    assert.isString(await compareHost(observation({ prompts: ["q"] }), [observation()], async () => swapped))
  })

  it("a rare order of the parts of different calls passes when another run is the host's, and only then", async () => {
    const parts = [`{"id":"1","type":"call"}`, `{"id":"2","type":"call"}`, `{"id":"1","type":"result"}`] as const
    const theirs = observation({ parts: [parts] })
    const more = async () => theirs
    const rare = observation({ parts: [[parts[0], parts[2], parts[1]]] })
    assert.isUndefined(await compareHost(rare, [theirs], more, more))
    assert.isString(await compareHost(rare, [theirs], more, async () => rare))
    const lost = observation({ parts: [[parts[0], parts[1]]] })
    const early = observation({ parts: [[parts[2], parts[0], parts[1]]] })
    for (const wrong of [lost, early]) assert.isString(await compareHost(wrong, [theirs], more, more))
  })

  it("tries five times what never differs without us, and twenty times what does", async () => {
    const tries = async (more: (count: number) => Observation) => {
      let count = 0
      await compareHost(observation({ prompts: ["ours"] }), [observation()], async () => more(++count))
      return count
    }
    assert.strictEqual(await tries(() => observation()), 5)
    assert.strictEqual(await tries((count) => observation({ prompts: [String(count % 2)] })), 20)
  })
})

describe("canonical", () => {
  it("tells apart what an app can tell apart", () => {
    class Failure {
      readonly _tag = "Failure"
    }
    const values = [
      1,
      "1",
      1n,
      null,
      undefined,
      {},
      [],
      "null",
      { a: undefined },
      { a: null },
      new Date(0),
      new Uint8Array([1]),
      new Uint8Array([2]),
      new Map([[1, 2]]),
      new Set([1]),
      new Error("a"),
      new Error("b"),
      new Failure(),
      { _tag: "Failure" },
      "x".repeat(20_000),
      "y".repeat(20_000)
    ]
    assert.strictEqual(new Set(values.map(canonical)).size, values.length)
  })

  it("runs no code of the value and ends on cycles", () => {
    const value: Record<string, unknown> = {
      get trap() {
        throw new Error("called")
      },
      toJSON: () => {
        throw new Error("called")
      }
    }
    value["self"] = value
    assert.strictEqual(canonical(value), canonical(value))
  })

  it("leaves out times, ports and the ids of spans", () => {
    assert.strictEqual(
      canonical({ url: "http://127.0.0.1:1/", traceparent: "a" }),
      canonical({ url: "http://127.0.0.1:2/", traceparent: "b" })
    )
  })
})
