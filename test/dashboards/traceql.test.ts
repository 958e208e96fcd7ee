import { assert, describe, it } from "@effect/vitest"
import { parser } from "@grafana/lezer-traceql"
import * as T from "../../dashboards/traceql.ts"
import * as Event from "../../src/semconv/event.ts"
import * as Registry from "../../src/semconv/registry.ts"
import * as Span from "../../src/semconv/span.ts"
import { panels, searches } from "./Boards.ts"
import { filled, type Values } from "./Grafana.ts"

/** The strings of a query as Grafana's grammar for TraceQL reads it, or where it does not. */
const parsed = (query: string): { readonly wrong: ReadonlyArray<number>; readonly strings: ReadonlyArray<string> } => {
  const wrong: Array<number> = []
  const strings: Array<string> = []
  parser.parse(query).iterate({
    enter: (node) => {
      if (node.type.isError) wrong.push(node.from)
      if (node.name === "String") strings.push(query.slice(node.from, node.to))
    }
  })
  return { wrong, strings }
}

const plain: Values = {
  id: "call_1",
  conversation: "c1",
  span: "5794566e100d5e3f",
  slower: "2s",
  service: ["shop", "desk"],
  tool: ["add"],
  kind: ["orphan_result"]
}

/** What stands in a pattern of TraceQL between backticks, as a pattern of its own. */
const patternOf = (literal: string): RegExp => new RegExp(`^(?:${literal.slice(1, -1)})$`)

const attributes = new Map(Registry.attributes.map((attribute) => [attribute.key, attribute]))
const eventAttributes = new Set(Registry.events.flatMap((event) => Object.keys(event.attributes)))

describe("searches for spans", () => {
  it("are refused by the grammar when they are wrong", () => {
    assert.isNotEmpty(parsed("{ span.a = }").wrong)
    assert.isNotEmpty(parsed("{ span.a = \"b }").wrong)
    assert.isNotEmpty(parsed("{ span.a = \"b\" } | select()").wrong)
    assert.isEmpty(parsed("{ span.a = \"b\" }").wrong)
  })

  for (const { board, panel, query } of searches) {
    const where = `${board.title}, ${panel.title}`

    it(`${where}: is TraceQL, with one, several or all values chosen, and with empty boxes`, () => {
      const { service: _service, tool: _tool, kind: _kind, ...typed } = plain
      for (const values of [plain, typed, { ...plain, id: "", conversation: "", span: "" }]) {
        const full = filled(query, values)
        assert.notInclude(full, "$")
        assert.deepStrictEqual(parsed(full).wrong, [], full)
      }
    })

    it(`${where}: asks for attributes that its spans have`, () => {
      const stage = /span\.toolspan\.stage = "(\w+)"/.exec(query)?.[1]
      for (const [, key = ""] of query.matchAll(/\bspan\.([a-z_.]+[a-z_])/g)) {
        const attribute = attributes.get(key)
        assert.isDefined(attribute, key)
        if (stage !== undefined) assert.include(attribute?.stages ?? [], stage, `${key} at stage ${stage}`)
      }
      for (const [, key = ""] of query.matchAll(/\bevent\.([a-z_.]+[a-z_])/g)) {
        assert.isTrue(eventAttributes.has(key), key)
      }
      for (const [, key = ""] of query.matchAll(/\bresource\.([a-z_.]+[a-z_])/g)) {
        assert.strictEqual(key, "service.name")
      }
      for (const [, name = ""] of query.matchAll(/event:name = "([^"]*)"/g)) assert.strictEqual(name, Event.violation)
      for (const [, key = "", value = ""] of query.matchAll(/\bspan\.([a-z_.]+) = "([^"]*)"/g)) {
        assert.include(attributes.get(key)?.values ?? [], value)
      }
      for (const [, prefix = "", of = ""] of query.matchAll(/name =~ `(\w+) \$\{(\w+):regex\}`/g)) {
        assert.strictEqual(of, "tool")
        const named = Registry.spans.find(({ name }) => name.startsWith(`${prefix} `))
        assert.strictEqual(named?.stage, stage)
      }
    })
  }

  it("find the trace below by its id alone", () => {
    const traces = panels.filter(({ panel }) => panel.type === "traces")
    assert.deepStrictEqual(traces.map(({ panel }) => panel.targets?.map(({ query }) => query)), [["${trace:raw}"]])
  })

  it("compare no attribute with a number: Tempo knows integers and doubles apart", () => {
    for (const { query } of searches) assert.notMatch(query, /\bspan\.[a-z_.]+ (?:=|!=|[<>]=?) \d/)
  })

  it("know every prefix of a span's name", () => {
    const used = new Set(searches.flatMap(({ query }) => /name =~ `(\w+) /.exec(query)?.[1] ?? []))
    assert.sameMembers([...used], [Span.toolCall, Span.executeTool, Span.toolApproval])
  })
})

describe("a text box", () => {
  const search = T.spans(`${T.span("a")} = ${T.typed("id")}`)
  const hostile = [
    "call_\"x",
    "back\\slash",
    "\\\"",
    "end\\",
    "x\" || true || \"",
    "} | select(span.b) {",
    "toolu_01/+=.#%",
    "${service:regex}",
    "日本 ü",
    "' --",
    "a\nb"
  ]

  for (const id of hostile) {
    it(`takes ${JSON.stringify(id)} as it is`, () => {
      const { wrong, strings } = parsed(filled(search, { id }))
      assert.deepStrictEqual({ wrong, strings }, { wrong: [], strings: [`\`${id}\``] })
    })
  }

  it("cannot take a backtick: the query is then refused, and finds nothing else", () => {
    assert.isNotEmpty(parsed(filled(search, { id: "a`b" })).wrong)
  })

  it("would break on a backslash with the format that Grafana offers for double quotes", () => {
    const quoted = "{ span.a = \"" + "end\\".replaceAll("\"", "\\\"") + "\" }"
    assert.isNotEmpty(parsed(quoted).wrong)
  })
})

describe("a list of values", () => {
  const search = T.spans(`${T.service} =~ ${T.pattern("service")}`)
  const services = ["a.b", "x\"}", "back\\slash", "a|b", "(", "$x", "ü+*", "it's"]

  it("is one pattern that matches what was chosen and nothing else", () => {
    for (const service of services) {
      const { wrong, strings } = parsed(filled(search, { service: [service] }))
      assert.deepStrictEqual(wrong, [], service)
      const matches = patternOf(strings[0] ?? "")
      assert.isTrue(matches.test(service), service)
      assert.isFalse(matches.test(`${service}x`), service)
    }
    const several = patternOf(parsed(filled(search, { service: services })).strings[0] ?? "")
    assert.isTrue(services.every((service) => several.test(service)))
    assert.isFalse(several.test("aXb"))
  })

  it("keeps the words before it", () => {
    const literal =
      parsed(filled(T.spans(`name =~ ${T.pattern("tool", "execute_tool ")}`), { tool: ["a", "b"] })).strings[0]
    assert.strictEqual(literal, "`execute_tool (a|b)`")
  })
})

describe("a constant", () => {
  it("is escaped where TraceQL has an escape, and nowhere else", () => {
    assert.strictEqual(T.text("a\"b\\c'd`e"), "\"a\\\"b\\\\c'd`e\"")
    assert.deepStrictEqual(parsed(T.spans(`${T.span("a")} = ${T.text("a\"b\\c'd`e")}`)).wrong, [])
  })
})
