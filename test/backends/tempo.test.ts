// Runs where a Tempo is: TEMPO_URL is its API (http://127.0.0.1:3200), TEMPO_OTLP_URL its OTLP/HTTP receiver.
import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as Event from "../../src/semconv/event.ts"
import { searches } from "../dashboards/Boards.ts"
import { filled, type Values } from "../dashboards/Grafana.ts"

const api = process.env["TEMPO_URL"]
const receiver = process.env["TEMPO_OTLP_URL"]

interface Found {
  readonly spanID: string
  readonly name?: string
  readonly attributes?: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, string>> }>
}

const search = async (query: string): Promise<{ readonly status: number; readonly spans: ReadonlyArray<Found> }> => {
  const now = Math.ceil(Date.now() / 1000)
  const parameters = new URLSearchParams({
    q: query,
    limit: "200",
    spss: "100",
    start: String(now - 3600),
    end: String(now + 60)
  })
  const answer = await fetch(`${api}/api/search?${parameters}`)
  const text = await answer.text()
  if (answer.status !== 200) return { status: answer.status, spans: [] }
  const { traces = [] }: {
    readonly traces?: ReadonlyArray<{ readonly spanSets?: ReadonlyArray<{ readonly spans: ReadonlyArray<Found> }> }>
  } = JSON.parse(text)
  return { status: 200, spans: traces.flatMap(({ spanSets = [] }) => spanSets.flatMap(({ spans }) => spans)) }
}

const queryOf = (board: string, panel: string): string => {
  const found = searches.find((each) => each.board.title === board && each.panel.title === panel)
  assert.isDefined(found, panel)
  return found?.query ?? ""
}

const valueOf = (span: Found, key: string): string | undefined =>
  Object.values(span.attributes?.find((each) => each.key === key)?.value ?? {})[0]

describe.skipIf(api === undefined)("Tempo, asked by the dashboards", () => {
  for (const { board, panel, query } of searches) {
    it(`takes the search of ${board.title}, ${panel.title}, with values that are hard to quote`, async () => {
      const hard: Values = {
        id: "call_\"x\\",
        conversation: "c\\1",
        span: "5794566e100d5e3f",
        slower: "2s",
        service: ["a.b", "x\"}"],
        tool: ["(", "c"],
        kind: ["orphan_result"]
      }
      for (const values of [hard, { ...hard, id: "", conversation: "", span: "" }]) {
        assert.strictEqual((await search(filled(query, values))).status, 200)
      }
      const { service: _service, tool: _tool, kind: _kind, ...all } = hard
      assert.strictEqual((await search(filled(query, all))).status, 200)
    })
  }
})

/** As long as Tempo may take until spans can be found. */
const patience = 30_000

describe.skipIf(api === undefined || receiver === undefined)("Tempo, with a call that went over several traces", () => {
  // Traces whose ids begin with zeros are found. Spans are not, when a whole byte of theirs is zero at the front (one in
  // 256): Tempo cuts it off before it compares.
  const run = `1${Date.now().toString(16).padStart(13, "0")}`
  const id = `call_"${run}\\`
  const service = `shop-${run}`
  const trace = (number: number): string => `00${run}${"0".repeat(15)}${number}`
  const span = (number: number): string => `${run}0${number}`
  const start = Date.now() - 60_000

  const text = (key: string, value: string): unknown => ({ key, value: { stringValue: value } })
  const link = (type: string, toTrace: number, toSpan: number): unknown => ({
    traceId: trace(toTrace),
    spanId: span(toSpan),
    attributes: [text(Attribute.toolspanLinkType, type)]
  })
  const stage = (
    traceNumber: number,
    number: number,
    name: string,
    value: string,
    attributes: ReadonlyArray<unknown>,
    links: ReadonlyArray<unknown> = []
  ): unknown => ({
    traceId: trace(traceNumber),
    spanId: span(number),
    name,
    kind: 1,
    startTimeUnixNano: `${start + number * 1000}000000`,
    endTimeUnixNano: `${start + number * 1000 + 500}000000`,
    attributes: [
      text(Attribute.toolspanStage, value),
      text(Attribute.genAiToolName, "pay"),
      text(Attribute.genAiToolCallId, id),
      text(Attribute.toolspanCallKey, id),
      text(Attribute.genAiConversationId, `conversation-${run}`),
      ...attributes
    ],
    links
  })
  const spans = [
    stage(1, 1, "tool_call pay", "decision", [text(Attribute.toolspanApprovalState, "pending")]),
    stage(1, 2, "tool_approval pay", "approval", [text(Attribute.toolspanApprovalEvent, "requested")], [
      link("decided_by", 1, 1)
    ]),
    stage(2, 3, "tool_approval pay", "approval", [
      text(Attribute.toolspanApprovalEvent, "resolved"),
      { key: Attribute.toolspanApprovalWait, value: { doubleValue: 9.5 } }
    ], [link("answers", 1, 2)]),
    // Exporters write a whole number of seconds as an integer.
    stage(4, 7, "tool_approval pay", "approval", [
      text(Attribute.toolspanApprovalEvent, "resolved"),
      { key: Attribute.toolspanApprovalWait, value: { intValue: "20" } }
    ]),
    stage(2, 4, "execute_tool pay", "execution", [
      text(Attribute.toolspanOutcome, "success"),
      text(Attribute.toolspanLinkDecidedBy, `${trace(1)}-${span(1)}`),
      text(Attribute.toolspanLinkApprovedBy, `${trace(2)}-${span(3)}`)
    ], [link("decided_by", 1, 1), link("approved_by", 2, 3)]),
    stage(2, 5, "tool_result pay", "result", [text(Attribute.toolspanOutcome, "success")], [link("result_of", 2, 4)]),
    {
      traceId: trace(3),
      spanId: span(6),
      name: "chat m",
      kind: 3,
      startTimeUnixNano: `${start + 6000}000000`,
      endTimeUnixNano: `${start + 7000}000000`,
      attributes: [text(Attribute.genAiOperationName, "chat")],
      links: [link("consumes", 2, 5)],
      events: [{
        name: Event.violation,
        timeUnixNano: `${start + 6500}000000`,
        attributes: [text(Attribute.toolspanViolationKind, "duplicate_execution"), text(Attribute.genAiToolCallId, id)]
      }]
    }
  ]

  const values: Values = { id, conversation: `conversation-${run}`, span: span(5), slower: "1ms", service: [service] }
  const ask = async (board: string, panel: string, more: Values = {}): Promise<ReadonlyArray<Found>> =>
    (await search(filled(queryOf(board, panel), { ...values, ...more }))).spans
  const ids = (found: ReadonlyArray<Found>): ReadonlyArray<string> => found.map(({ spanID }) => spanID).toSorted()

  beforeAll(async () => {
    const sent = await fetch(`${receiver}/v1/traces`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        resourceSpans: [{ resource: { attributes: [text("service.name", service)] }, scopeSpans: [{ spans }] }]
      })
    })
    assert.strictEqual(sent.status, 200)
    const deadline = Date.now() + patience
    const arrived = async (): Promise<boolean> =>
      (await ask("Find a tool call", "Story")).length === 6 &&
      (await ask("Find a tool call", "Pairing faults told of the call")).length === 1
    while (!(await arrived())) {
      if (Date.now() > deadline) throw new Error("Tempo does not find the spans that it took")
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }, patience + 10_000)

  it("finds every span of the call, in all of its traces", async () => {
    assert.deepStrictEqual(ids(await ask("Find a tool call", "Story")), [1, 2, 3, 4, 5, 7].map(span))
    assert.deepStrictEqual(ids(await ask("Find a tool call", "Story", { id: `${id}x` })), [])
  })

  it("follows links both ways", async () => {
    const leading = await ask("Find a tool call", "Where the call's spans link to")
    const result = leading.find(({ spanID }) => spanID === span(5))
    assert.strictEqual(result && valueOf(result, "link:spanID"), span(4))
    // Tempo leaves out zeros at the front, and finds the trace by what is left.
    const linkedTrace = (result && valueOf(result, "link:traceID")) ?? ""
    assert.strictEqual(linkedTrace.padStart(32, "0"), trace(2))
    assert.strictEqual((await fetch(`${api}/api/v2/traces/${linkedTrace}`)).status, 200)
    const execution = leading.find(({ spanID }) => spanID === span(4))
    assert.strictEqual(execution && valueOf(execution, Attribute.toolspanLinkApprovedBy), `${trace(2)}-${span(3)}`)
    assert.deepStrictEqual(ids(await ask("Find a tool call", "What links to the chosen span")), [span(6)])
    assert.deepStrictEqual(ids(await ask("Find a tool call", "What links to the chosen span", { span: span(1) })), [
      span(2),
      span(4)
    ])
    assert.deepStrictEqual(ids(await ask("Find a tool call", "The chosen span")), [span(5)])
  })

  it("finds the fault, the conversation, the approval and the slow run", async () => {
    const faults = await ask("Pairing", "Latest faults", { kind: ["duplicate_execution"] })
    assert.deepStrictEqual(ids(faults), [span(6)])
    assert.strictEqual(faults[0] && valueOf(faults[0], Attribute.genAiToolCallId), id)
    assert.deepStrictEqual(ids(await ask("Pairing", "Latest faults", { kind: ["orphan_result"] })), [])
    assert.deepStrictEqual(ids(await ask("Pairing", "Duplicate executions")), [span(6)])
    assert.deepStrictEqual(ids(await ask("Find a tool call", "Calls of the conversation")), [span(1)])
    assert.deepStrictEqual(ids(await ask("Find a tool call", "Latest calls", { tool: ["pay"] })), [span(1)])
    assert.deepStrictEqual(ids(await ask("Find a tool call", "Latest calls", { tool: ["pa"] })), [])
    const waits = await ask("Approvals", "Longest waits")
    assert.deepStrictEqual(ids(waits), [span(3), span(7)])
    assert.sameMembers(waits.map((each) => Number(valueOf(each, Attribute.toolspanApprovalWait))), [9.5, 20])
    assert.deepStrictEqual(ids(await ask("Approvals", "Asked for")), [span(2)])
    assert.deepStrictEqual(ids(await ask("Tool calls", "Slow executions")), [span(4)])
    assert.deepStrictEqual(ids(await ask("Tool calls", "Slow executions", { slower: "10s" })), [])
  })
})
