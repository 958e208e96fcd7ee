import { assert, describe, it } from "@effect/vitest"
import { type Board, boards, type Panel, panels, searches } from "./Boards.ts"
import { followed, type Row } from "./Grafana.ts"

interface Link {
  readonly title: string
  readonly url: string
}

/** Every link of a column, with the panel that it stands in. */
const links = panels.flatMap(({ board, panel }) =>
  (panel.fieldConfig?.overrides ?? []).flatMap(({ matcher, properties }) =>
    properties.filter(({ id }) => id === "links").flatMap(({ value }) => value as ReadonlyArray<Link>).map((link) => ({
      board,
      panel,
      column: matcher.options,
      link,
      where: `${board.title}, ${panel.title}, ${matcher.options}: ${link.title}`
    }))
  )
)

const optionsOf = (panel: Panel): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  panel.transformations?.find(({ id }) => id === "organize")?.options ?? {}

/** The columns of a table as they are called on the page, and the trace that Tempo's source gives each row unseen. */
const columnsOf = (panel: Panel): ReadonlyArray<string> => [
  ...new Set(Object.values(optionsOf(panel)["renameByName"] ?? {}).map(String)),
  "traceIdHidden"
]

const hostile = [
  "call_1",
  "toolu_01/+=.#%&?var-id=other",
  "x&var-service=evil&from=0",
  "a b\tc\nd",
  "\"quoted\" \\ 'single' <b>",
  "${id} $__all {{x}}",
  "日本 ü 🙂",
  "%20%26",
  "x".repeat(1_000)
]
const trace = "00f067aa0ba902b74bf92f3577b34da6"
const span = "00f067aa0ba902b7"

/** What a row has in its columns: hostile where a provider or an app chooses the text, ids of Tempo elsewhere. */
const rowOf = (panel: Panel, text: string): Row =>
  Object.fromEntries(
    columnsOf(panel).map((column) => {
      if (column === "traceIdHidden" || column === "Linked trace") return [column, trace]
      return [column, column === "Span id" || column === "Linked span" ? span : text]
    })
  )

const variables = (text: string) => ({
  id: `own ${text}`,
  conversation: `own ${text}`,
  tempo_datasource: "a team's tempo",
  prometheus_datasource: "a team's & prometheus"
})

/** The address to which a click leads, and the dashboard that is there. */
const follow = (
  panel: Panel,
  column: string,
  link: Link,
  text: string
): { readonly url: URL; readonly board: Board } => {
  const row = rowOf(panel, text)
  const url = new URL(
    followed(link.url, { variables: variables(text), row, value: row[column] ?? "" }),
    "http://grafana"
  )
  const [, kind, uid] = url.pathname.split("/")
  assert.strictEqual(kind, "d")
  const board = boards.find((each) => each.uid === uid)
  assert.isDefined(board, uid)
  return { url, board: board as Board }
}

describe("links of columns", () => {
  it("are on every table that shows a call, a conversation, a span or where it links to", () => {
    const wanted = ["Tool call id", "Conversation", "Span id", "Linked span"]
    let seen = 0
    for (const { board, panel } of panels) {
      const ours = columnsOf(panel).filter((column) => wanted.includes(column))
      const linked = links.filter((each) => each.panel === panel && each.board === board).map(({ column }) => column)
      assert.sameMembers(linked, ours, `${board.title}, ${panel.title}`)
      seen += ours.length
    }
    assert.isAbove(seen, 25)
  })

  for (const { board, column, link, panel, where } of links) {
    it(`${where}: leads to a dashboard that is there, with its sources and time range, whatever the row says`, () => {
      for (const text of hostile) {
        const { board: target, url } = follow(panel, column, link, text)
        const names = [...url.searchParams.keys()]
        assert.strictEqual(new Set(names).size, names.length, url.href)
        assert.strictEqual(url.hash, "")
        assert.strictEqual(url.searchParams.get("from"), "1700000000000")
        assert.strictEqual(url.searchParams.get("to"), "1700003600000")
        const own = names.filter((name) => !["from", "to"].includes(name)).map((name) => name.replace(/^var-/, ""))
        assert.includeMembers(target.templating.list.map(({ name }) => name), own)
        // What is chosen at the top stays chosen.
        for (const name of ["tempo_datasource", "prometheus_datasource"] as const) {
          assert.strictEqual(url.searchParams.get(`var-${name}`), variables(text)[name])
        }
      }
    })

    it(`${where}: names only variables of its dashboard and columns of its table`, () => {
      const named = board.templating.list.map(({ name }) => name)
      for (const [, name = "", path] of link.url.matchAll(/\$\{(\w+)(?:\.([^:}]+))?(?::\w+)?\}/g)) {
        if (name === "__data") {
          const field = /^fields(?:\.(\w+)|\["(.*)"\])$/.exec(path ?? "")
          assert.include(columnsOf(panel), field?.[1] ?? field?.[2] ?? "", path)
        } else if (!name.startsWith("__")) assert.include(named, name)
      }
    })
  }

  const chosen = (title: string, text: string): ReadonlyArray<URLSearchParams> =>
    links.filter(({ column }) => column === title).map(({ column, link, panel }) =>
      follow(panel, column, link, text).url.searchParams
    )

  it("find the call, list the conversation and show the span that was clicked on, exactly as it is", () => {
    for (const text of hostile) {
      for (const given of chosen("Tool call id", text)) {
        assert.deepStrictEqual([given.get("var-id"), given.get("var-trace")], [text, trace])
      }
      for (const given of chosen("Conversation", text)) assert.strictEqual(given.get("var-conversation"), text)
      for (const given of [...chosen("Span id", text), ...chosen("Linked span", text)]) {
        assert.deepStrictEqual([given.get("var-span"), given.get("var-trace")], [span, trace])
      }
    }
  })

  it("keep the call and the conversation while one goes from span to span", () => {
    const inside = links.filter(({ board, column }) => board.uid === "toolspan-find-tool-call" && /pan/.test(column))
    assert.isAbove(inside.length, 5)
    for (const { column, link, panel } of inside) {
      const { url } = follow(panel, column, link, "x&y")
      assert.strictEqual(url.searchParams.get("var-id"), "own x&y")
      assert.strictEqual(url.searchParams.get("var-conversation"), "own x&y")
    }
  })

  it("lead both ways: the panels that they fill ask for what leaves the span, and for what comes to it", () => {
    const query = (title: string) => searches.find(({ panel }) => panel.title === title)?.query ?? ""
    assert.include(query("The chosen span"), "{ span:id = `${span:raw}` }")
    assert.include(query("What links to the chosen span"), "{ link:spanID = `${span:raw}` }")
    for (const title of ["Where the call's spans link to", "The chosen span", "What links to the chosen span"]) {
      const { panel } = panels.find(({ panel }) => panel.title === title) ?? panels[0] ?? { panel: undefined }
      assert.includeMembers(panel === undefined ? [] : [...columnsOf(panel)], [
        "Span id",
        "Linked trace",
        "Linked span"
      ])
      for (const field of ["link:traceID", "link:spanID"]) assert.include(query(title), field)
    }
  })

  it("show a dash where a span links nowhere", () => {
    for (const { panel } of links.filter(({ column }) => column === "Linked span")) {
      const mapped = panel.fieldConfig?.overrides.find(({ matcher }) => matcher.options === "Linked span")?.properties
        .find(({ id }) => id === "mappings")
      assert.include(JSON.stringify(mapped?.value), "\"0000000000000000\":{\"text\":\"–\"}")
    }
  })
})

describe("links of dashboards", () => {
  it("lead from each to the others, with time range and variables", () => {
    for (const board of boards) {
      assert.strictEqual(board.links.length, 1)
      assert.include(board.links[0], { type: "dashboards", includeVars: true, keepTime: true })
      assert.deepStrictEqual(board.links[0]?.tags, ["toolspan"])
      assert.include(board.tags, "toolspan")
    }
  })
})
