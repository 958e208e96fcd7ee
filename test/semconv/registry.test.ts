import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as Registry from "../../src/semconv/registry.ts"
import * as Span from "../../src/semconv/span.ts"

/** A copy of the contract that the collector, the dashboards and the case files are written against. */
const contract: unknown = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "contract.json"), "utf8"))

describe("registry", () => {
  it("is the contract, whole", () => {
    const { attributes, events, links, metrics, spans, violations } = Registry
    assert.deepStrictEqual(
      JSON.parse(JSON.stringify({ spans, attributes, events, links, violations, metrics })),
      contract
    )
  })

  it("places every attribute key: on a span, an event or a link", () => {
    const placed = new Set([
      ...Registry.attributes.map((attribute) => attribute.key),
      ...Registry.events.flatMap((event) => Object.keys(event.attributes)),
      Registry.links.attribute
    ])
    assert.deepStrictEqual(Object.values<string>(Attribute).filter((key) => !placed.has(key)), [])
    assert.strictEqual(new Set(Object.values(Attribute)).size, Object.values(Attribute).length, "no key stands twice")
  })

  it("labels metrics with attributes that may be labels, never with content", () => {
    const byKey = new Map(Registry.attributes.map((attribute) => [attribute.key, attribute]))
    for (const metric of Registry.metrics) {
      for (const label of metric.labels) {
        const attribute = byKey.get(label)
        if (attribute === undefined) continue
        assert.isTrue(attribute.label === true && attribute.content !== true, `${metric.name}: ${label}`)
      }
    }
  })

  it("names its spans by the prefixes that the writer uses", () => {
    const prefixes = Registry.spans.map((span) => span.name.split(" ")[0])
    assert.deepStrictEqual(prefixes, [Span.chat, Span.toolCall, Span.toolApproval, Span.executeTool, Span.toolResult])
  })
})
