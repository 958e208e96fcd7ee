import { assert, describe, it } from "@effect/vitest"
import { boards, panels, panelsOf } from "./Boards.ts"
import { variablesIn } from "./Grafana.ts"

describe("dashboards", () => {
  for (const board of boards) {
    it(`${board.title}: has a stable address, a description and the form that Grafana 13 reads`, () => {
      assert.strictEqual(board.file, `${board.uid}.json`)
      assert.match(board.uid, /^toolspan-[a-z-]{1,31}$/)
      assert.isAbove(board.description.length, 20)
      assert.strictEqual(board.schemaVersion, 42)
    })

    it(`${board.title}: panels have ids of their own, titles of their own, and do not overlap`, () => {
      const ids = board.panels.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const titles = panelsOf(board).map(({ title }) => title)
      const own = new Set(titles)
      // A figure and the lines or the list behind it may share a title.
      for (const type of new Set(panelsOf(board).map((panel) => panel.type))) {
        const ofType = panelsOf(board).filter((panel) => panel.type === type).map(({ title }) => title)
        assert.strictEqual(new Set(ofType).size, ofType.length, `${type}: ${ofType.join(", ")}`)
      }
      assert.isAbove(own.size, 5)
      const taken = new Map<string, string>()
      for (const panel of board.panels) {
        const { x, y, w, h } = panel.gridPos
        assert.isAtMost(x + w, 24)
        for (let column = x; column < x + w; column++) {
          for (let row = y; row < y + h; row++) {
            assert.strictEqual(taken.get(`${column},${row}`), undefined, `${panel.title} lies on another panel`)
            taken.set(`${column},${row}`, panel.title)
          }
        }
      }
    })

    it(`${board.title}: every variable that is asked for is there, and every one that is there is asked for`, () => {
      const defined = board.templating.list.map(({ name }) => name)
      assert.strictEqual(new Set(defined).size, defined.length)
      const text = JSON.stringify(board.panels) + JSON.stringify(board.templating.list.map(({ query, datasource }) => [
        query,
        datasource
      ]))
      const used = new Set(variablesIn(text.replaceAll(/\$\{__[^}]*\}/g, "")))
      assert.sameMembers([...used], defined)
    })
  }

  it("have data source variables that start with the provisioned sources", () => {
    for (const board of boards) {
      for (const variable of board.templating.list.filter(({ type }) => type === "datasource")) {
        assert.strictEqual(variable.name, `${variable.query}_datasource`)
        assert.strictEqual(variable.current?.value, variable.query)
      }
    }
  })

  it("offer service, tool, agent and conversation where these can be asked for", () => {
    const offered = Object.fromEntries(
      boards.map((board) => [board.title, board.templating.list.map(({ name }) => name)])
    )
    assert.includeMembers(offered["Tool calls"] ?? [], ["service", "tool", "agent"])
    assert.includeMembers(offered["Find a tool call"] ?? [], ["id", "conversation", "service", "tool"])
    assert.includeMembers(offered["Approvals"] ?? [], ["service", "tool"])
    assert.includeMembers(offered["Pairing"] ?? [], ["service", "kind"])
    assert.includeMembers(offered["Pipeline"] ?? [], ["job", "instance"])
  })
})

describe("panels", () => {
  for (const { board, panel } of panels) {
    it(`${board.title}, ${panel.title} (${panel.type}): tells what it shows, in which unit, and what nothing means`, () => {
      assert.isAbove(panel.title.length, 2)
      assert.match(panel.description ?? "", /^.{15,}\.$/)
      assert.isAbove((panel.fieldConfig?.defaults.unit ?? "").length, 0)
      assert.isAbove((panel.fieldConfig?.defaults.noValue ?? "").length, 3)
      assert.isAbove(panel.targets?.length ?? 0, 0)
      const references = panel.targets?.map(({ refId }) => refId) ?? []
      assert.strictEqual(new Set(references).size, references.length)
      for (const target of panel.targets ?? []) {
        assert.deepStrictEqual(target.datasource, panel.datasource)
        assert.strictEqual(target.datasource.uid, `\${${target.datasource.type}_datasource}`)
      }
    })
  }

  it("that are tables leave empty cells empty", () => {
    const tables = panels.filter(({ panel }) => panel.type === "table")
    assert.isAbove(tables.length, 10)
    for (const { panel } of tables) {
      assert.deepStrictEqual(panel.fieldConfig?.overrides[0], {
        matcher: { id: "byRegexp", options: "/.*/" },
        properties: [{ id: "noValue", value: "" }]
      })
    }
  })

  it("that show spans show ids as they are: as numbers, 007 would be 7", () => {
    const ofSpans = panels.filter(({ panel }) => panel.datasource?.type === "tempo")
    assert.isAbove(ofSpans.length, 10)
    for (const { panel } of ofSpans) assert.strictEqual(panel.fieldConfig?.defaults.unit, "string", panel.title)
  })

  it("that show durations lead to traces", () => {
    const exemplars = panels.filter(({ panel }) => panel.targets?.some(({ exemplar }) => exemplar === true))
    assert.includeMembers(exemplars.map(({ panel }) => panel.title), [
      "Duration, p50",
      "Duration, p95",
      "Duration, p99",
      "Wait"
    ])
  })
})

describe("each dashboard has what it is for", () => {
  const pay = "gen_ai_execute_tool"
  /** A panel, and a part of a query that it asks. */
  const wanted: Readonly<Record<string, ReadonlyArray<readonly [title: string, asked: string]>>> = {
    "Tool calls": [
      ["Executions", `rate(${pay}_calls_total`],
      ["Errors", "error_type!=\"\""],
      ["Share of errors", `sum by (gen_ai_tool_name) (rate(${pay}_calls_total`],
      ["Duration, p50", "histogram_quantile(0.5, sum by (le, gen_ai_tool_name)"],
      ["Duration, p95", "histogram_quantile(0.95, sum by (le, gen_ai_tool_name)"],
      ["Duration, p99", "histogram_quantile(0.99, sum by (le, gen_ai_tool_name)"],
      ["Outcomes of executions", "sum by (toolspan_outcome)"],
      ["Slowest tools", "topk(10,"],
      ["Slow executions", "duration >"],
      ["Failed executions", "status = error"]
    ],
    "Find a tool call": [
      ["Story", "span.gen_ai.tool.call.id = `${id:raw}` || span.toolspan.call.key = `${id:raw}`"],
      ["Where the call's spans link to", "link:spanID"],
      ["What links to the chosen span", "link:spanID = `${span:raw}`"],
      ["Trace", "${trace:raw}"]
    ],
    Approvals: [
      ["Pending now", "toolspan_approval_event=\"requested\""],
      ["Wait, p50", "histogram_quantile(0.5,"],
      ["Wait, p95", "histogram_quantile(0.95,"],
      ["Approved and denied by tool", "sum by (gen_ai_tool_name, toolspan_approval_state)"],
      ["Longest waits", "span.toolspan.approval.wait != nil"],
      ["Asked for", "span.toolspan.approval.event = \"requested\""],
      ["Abandoned", "toolspan_approval_event=\"abandoned\""],
      ["Abandoned approvals", "span.toolspan.approval.event = \"abandoned\""]
    ],
    Pairing: [
      ["By kind", "sum by (toolspan_violation_kind)"],
      ["By service", "sum by (service_name)"],
      ["Totals", "sum by (service_name, toolspan_violation_kind)"],
      ["Latest faults", "event:name = \"toolspan.violation\""],
      ["Duplicate executions", "toolspan_violation_kind=\"duplicate_execution\""],
      ["Duplicate executions", "event.toolspan.violation.kind = \"duplicate_execution\""]
    ],
    Pipeline: [
      ["Received", "otelcol_receiver_accepted_spans"],
      ["Refused", "otelcol_receiver_refused_spans"],
      ["Into each processor", "sum by (processor, otel_signal)"],
      ["Out of each processor", "otelcol_processor_outgoing_items"],
      ["Queues", "otelcol_exporter_queue_size"],
      ["Exported", "otelcol_exporter_sent_spans"],
      ["Dropped", "otelcol_exporter_send_failed_spans"],
      ["Dropped", "otelcol_exporter_enqueue_failed_spans"]
    ]
  }

  for (const [title, parts] of Object.entries(wanted)) {
    it(title, () => {
      for (const [panel, part] of parts) {
        const asked = panels.filter((each) => each.board.title === title && each.panel.title === panel)
          .flatMap((each) => each.panel.targets?.map(({ expr = "", query = "" }) => expr + query) ?? [])
        assert.isTrue(asked.some((query) => query.includes(part)), `${panel}: ${part}\n${asked.join("\n")}`)
      }
    })
  }

  it("and there is no other", () => assert.sameMembers(Object.keys(wanted), boards.map(({ title }) => title)))
})
