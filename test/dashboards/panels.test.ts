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
