import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { labelName, metricName } from "../../dashboards/promql.ts"
import * as Metric from "../../src/semconv/metric.ts"
import { folder } from "./Boards.ts"
import { selectors } from "./PromText.ts"

const read = (file: string): string => fs.readFileSync(path.join(folder, "provisioning", file), "utf8")
const sources = read("datasources/toolspan.yaml")

describe("what Grafana is provisioned with", () => {
  it("has the sources that the dashboards start with", () => {
    assert.deepStrictEqual([...sources.matchAll(/^ {4}uid: (.*)$/gm)].map((match) => match[1]), ["prometheus", "tempo"])
    assert.deepStrictEqual([...sources.matchAll(/^ {4}type: (.*)$/gm)].map((match) => match[1]), [
      "prometheus",
      "tempo"
    ])
  })

  it("leads from an exemplar to its trace, and from a span to the metrics of its tool", () => {
    assert.match(sources, /exemplarTraceIdDestinations:\n +- name: trace_id\n +datasourceUid: tempo/)
    assert.match(sources, /tracesToMetrics:\n +datasourceUid: prometheus/)
    const tags = [...sources.matchAll(/- key: (.*)\n +value: (.*)/g)].map((match) => [match[1], match[2]] as const)
    assert.deepStrictEqual(tags.map(([key]) => key), ["service.name", "gen_ai.tool.name"])
    for (const [key, label] of tags) assert.strictEqual(label, labelName(key ?? ""))
  })

  it("asks for metrics that exist and have both labels, and keeps Grafana from reading its variables too early", () => {
    const queries = [...sources.matchAll(/^ +query: (.*)$/gm)].map((match): string => JSON.parse(match[1] ?? ""))
    assert.strictEqual(queries.length, 3)
    const known = new Map(Metric.metrics.map((metric) => [metricName(metric), metric.labels]))
    for (const query of queries) {
      assert.include(query, "{$$__tags}[$$__rate_interval]")
      for (const { metric } of selectors(query)) assert.include(known.get(metric) ?? [], "gen_ai.tool.name", metric)
    }
    const addresses = /^ {4}url: "\$\{(?:PROMETHEUS|TEMPO)_URL\}"$/gm
    assert.strictEqual(sources.match(addresses)?.length, 2)
    assert.notMatch(sources.replaceAll(addresses, ""), /(^|[^$])\$(?!\$)/m)
  })

  it("reads the dashboards from the folder that is mounted", () => {
    const provider = read("dashboards/toolspan.yaml")
    assert.match(provider, /^ {6}path: \/var\/lib\/grafana\/dashboards$/m)
    assert.match(provider, /^ {4}allowUiUpdates: false$/m)
  })

  it("is valid in the first version of each form", () => {
    for (const file of ["datasources/toolspan.yaml", "dashboards/toolspan.yaml", "alerting/toolspan.yaml"]) {
      assert.match(read(file), /^apiVersion: 1$/m, file)
    }
  })
})
