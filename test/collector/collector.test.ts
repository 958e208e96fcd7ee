import { assert, describe, it } from "@effect/vitest"
import * as Metric from "../../src/semconv/metric.ts"
import { attributes } from "../../src/semconv/registry.ts"
import { configurations, contentKeys, type Data, list, map, overlays, read } from "./Files.ts"

const collector = read("collector/collector.yaml")
const manifest = read("collector/builder.yaml")

/** The folder of the Go module in which a component of this kind and type is found. */
const moduleOf = (kind: string, name: string): string => {
  const type = name.split("/")[0]?.replaceAll("_", "") ?? ""
  if (type === "filestorage") return type
  return `${type === "otlpgrpc" ? "otlp" : type}${kind.slice(0, -1)}`
}
const built = ["extensions", "receivers", "processors", "connectors", "exporters"].flatMap((kind) =>
  (list(manifest, kind) as unknown as ReadonlyArray<{ gomod: string }>).map(({ gomod }) => gomod)
)

describe("builder.yaml", () => {
  it("has every component that the configurations use", () => {
    let used = 0
    for (const file of configurations) {
      for (const kind of ["extensions", "receivers", "processors", "connectors", "exporters"]) {
        for (const name of Object.keys(map(read(file), kind))) {
          used += 1
          assert.isTrue(
            built.some((gomod) => gomod.split(" ")[0]?.endsWith(`/${moduleOf(kind, name)}`)),
            `${file} ${name}`
          )
        }
      }
    }
    assert.isAbove(used, 30)
  })

  it("is of one version, the image's", () => {
    const image = String(map(read("docker-compose.yml"), "services", "collector")["image"]).split(":")[1]
    for (const gomod of built) assert.strictEqual(gomod.split(" ")[1], `v${image}`, gomod)
  })
})

describe("collector.yaml", () => {
  const dropped = list(
    collector,
    "processors",
    "transform/drop_content",
    "trace_statements"
  ) as unknown as ReadonlyArray<
    { readonly context: string; readonly statements: ReadonlyArray<string> }
  >

  it("drops from spans and from their events what is marked as content, and the messages of other instrumentations", () => {
    assert.isAbove(contentKeys.length, 7)
    assert.deepStrictEqual(dropped.map(({ context }) => context), ["span", "spanevent", "resource", "scope"])
    for (const { context, statements } of dropped.slice(0, 2)) {
      assert.sameMembers(
        statements.filter((statement) => !statement.includes(" where ")),
        contentKeys.map((key) => `delete_key(${context}.attributes, "${key}")`)
      )
    }
    for (const { context, statements } of dropped.slice(2)) {
      assert.strictEqual(statements.length, 1)
      const [, pattern = ""] = statements[0]?.split(`delete_matching_keys(${context}.attributes, "`) ?? []
      const matches = new RegExp(pattern.slice(0, -2))
      for (const key of contentKeys) assert.match(key, matches)
      for (const { content, key } of attributes) assert.strictEqual(matches.test(key), content === true, key)
    }
  })

  it("drops it from an app's own metrics too, at either tier", () => {
    for (const file of ["collector/collector.yaml", "collector/gateway.yaml"]) {
      const groups = list(
        read(file),
        "processors",
        "transform/drop_metric_content",
        "metric_statements"
      ) as unknown as ReadonlyArray<{ readonly context: string; readonly statements: ReadonlyArray<string> }>
      assert.deepStrictEqual(groups.map(({ context }) => context), ["resource", "scope", "datapoint", "exemplar"])
      const patterns = groups.flatMap(({ statements }) => statements.map((text) => /, "(.*)"\)$/.exec(text)?.[1] ?? ""))
      assert.strictEqual(patterns.length, groups.length)
      for (const pattern of patterns) {
        for (const key of contentKeys) assert.match(key, new RegExp(pattern))
        for (const { key } of attributes) {
          assert.strictEqual(new RegExp(pattern).test(key), contentKeys.includes(key), key)
        }
      }
      for (const [name, pipeline] of Object.entries(map(read(file), "service", "pipelines"))) {
        if (!name.startsWith("metrics") || !list(pipeline, "receivers").includes("otlp")) continue
        assert.strictEqual(list(pipeline, "processors").at(-1), "transform/drop_metric_content", `${file} ${name}`)
      }
    }
  })

  it("drops it before anything else sees the spans", () => {
    const { exporters, processors } = map(collector, "service", "pipelines", "traces/in") as unknown as {
      readonly exporters: ReadonlyArray<string>
      readonly processors: ReadonlyArray<string>
    }
    assert.include(processors, "transform/drop_content")
    for (const exporter of exporters) assert.match(exporter, /^forward\//)
  })

  const seconds = (text: string): number => {
    const [, number = "", unit = ""] = /^(\d+)(ms|s|m|h)$/.exec(text) ?? []
    return Number(number) * ({ ms: 0.001, s: 1, m: 60, h: 3600 }[unit] ?? Number.NaN)
  }
  const branches = Object.entries(map(collector, "connectors")).filter(([name]) => name.startsWith("span_metrics/"))
    .map(([name, branch]) => ({ name, branch: branch as Data }))
  const branchOf = (metric: Metric.MetricDefinition) =>
    branches.find(({ branch }) => metric.name.startsWith(`${String(branch["namespace"])}.`))?.branch
  const labelsOf = (dimensions: unknown): ReadonlyArray<string> =>
    (dimensions as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name)

  it("has a branch for each metric of the contract, with its labels and buckets and no other", () => {
    assert.strictEqual(branches.length, new Set(Metric.metrics.map(({ name }) => name.replace(/\.\w+$/, ""))).size)
    for (const metric of Metric.metrics) {
      const branch = branchOf(metric) ?? {}
      const dimensions = metric.name.endsWith(".events") ? map(branch, "events")["dimensions"] : branch["dimensions"]
      assert.deepStrictEqual([...labelsOf(dimensions)].toSorted(), [...metric.labels].toSorted(), metric.name)
      assert.includeMembers([...list(branch, "exclude_dimensions")], ["span.name", "span.kind", "status.code"])
      if (metric.kind !== "histogram") continue
      assert.strictEqual(map(branch, "histogram")["unit"], metric.unit)
      assert.deepStrictEqual(list(branch, "histogram", "explicit", "buckets").map(seconds), [...metric.buckets ?? []])
    }
  })

  it("bounds the series of every branch", () => {
    for (const { branch, name } of branches) {
      const limit = Number(branch["aggregation_cardinality_limit"])
      assert.isAbove(limit, 0, name)
      assert.isAtMost(limit, 5_000, name)
    }
  })

  it("names no tool that is not there by the contract's name for it", () => {
    for (const { branch } of branches) {
      for (const { default: given, name } of (branch["dimensions"] ?? []) as ReadonlyArray<Record<string, string>>) {
        if (name === "gen_ai.tool.name") assert.strictEqual(given, "_unknown")
        else assert.isUndefined(given)
      }
    }
  })

  it("keeps spans through a restart, never gives up, and makes senders wait instead of counting retries twice", () => {
    const traces = map(collector, "exporters", "otlp_grpc/traces")
    assert.strictEqual(map(traces, "sending_queue")["storage"], "file_storage")
    assert.strictEqual(map(traces, "sending_queue")["block_on_overflow"], true)
    assert.strictEqual(map(traces, "retry_on_failure")["max_elapsed_time"], "0s")
  })

  it("sends no message that is larger than the store takes, and splits none: a span above a limit of its own would take others with it", () => {
    const protocols = map(collector, "receivers", "otlp", "protocols")
    const request = Number(map(protocols, "http")["max_request_body_size"])
    assert.strictEqual(request, Number(map(protocols, "grpc")["max_recv_msg_size_mib"]) * 1024 * 1024)
    const batch = map(collector, "exporters", "otlp_grpc/traces", "sending_queue", "batch")
    assert.strictEqual(batch["sizer"], "bytes")
    assert.isUndefined(batch["max_size"])
    for (const file of ["collector/tempo.yaml", "collector/tempo-distributed.yaml"]) {
      const store = map(read(file), "distributor", "receivers", "otlp", "protocols", "grpc")
      assert.isAbove(Number(store["max_recv_msg_size_mib"]) * 1024 * 1024, request + Number(batch["min_size"]), file)
    }
    for (const file of ["collector/collector.yaml", "collector/overlays/content.yaml"]) {
      const processors = list(read(file), "service", "pipelines", "traces/in", "processors")
      assert.strictEqual(processors[1], "filter/invalid")
      assert.strictEqual(processors.at(-1), "transform/size")
    }
  })

  it("makes metrics before any sampling: the overlay changes the last pipeline, and adds one beside it", () => {
    const pipelines = map(read("collector/overlays/sampling.yaml"), "service", "pipelines")
    assert.deepStrictEqual(Object.keys(pipelines), ["traces/kept", "traces/told"])
    for (const name of Object.keys(pipelines)) {
      assert.deepStrictEqual(list(pipelines, name, "receivers"), ["forward/kept"])
      assert.deepStrictEqual(list(pipelines, name, "exporters"), ["otlp_grpc/traces"])
    }
  })

  it("sends each span either at once or through the sampler: the two filters are each other's opposite", () => {
    const sampling = read("collector/overlays/sampling.yaml")
    const condition = (name: string) => list(sampling, "processors", name, "trace_conditions").join(" ")
    assert.strictEqual(condition("filter/told"), `not (${condition("filter/around")})`)
    assert.deepStrictEqual(list(sampling, "service", "pipelines", "traces/told", "processors"), ["filter/told"])
    assert.deepStrictEqual(list(sampling, "service", "pipelines", "traces/kept", "processors"), [
      "tail_sampling",
      "filter/around"
    ])
  })

  it("has pipelines only of components that are there", () => {
    for (const overlay of [undefined, ...overlays]) {
      const over = overlay === undefined ? {} : read(overlay)
      const names = (kind: string) => [...Object.keys(map(collector, kind)), ...Object.keys(map(over, kind))]
      const pipelines = { ...map(collector, "service", "pipelines"), ...map(over, "service", "pipelines") }
      for (const [name, pipeline] of Object.entries(pipelines)) {
        for (const kind of ["receivers", "processors", "exporters"]) {
          const there = kind === "processors" ? names(kind) : [...names(kind), ...names("connectors")]
          assert.includeMembers(there, [...list(pipeline, kind)], `${overlay ?? ""} ${name}`)
        }
      }
    }
  })

  it("tells collectors of the second tier apart in one Prometheus, and cuts resources down as the base does", () => {
    const statements = (file: string) =>
      list(read(file), "processors", "transform/metrics_resource", "metric_statements")
    const [own = "", ...rest] = statements("collector/overlays/tier2.yaml")
    assert.deepStrictEqual(statements("collector/collector.yaml"), [own])
    assert.deepStrictEqual(rest, ["set(resource.attributes[\"service.instance.id\"], \"${env:HOSTNAME}\")"])
    const command = list(map(read("docker-compose.yml"), "services", "collector-tier2-a"), "command").join(" ")
    assert.include(command, "overlays/tier2.yaml")
  })

  it("repeats in an overlay what a replaced list would lose", () => {
    const extensions = list(collector, "service", "extensions")
    assert.includeMembers([...list(read("collector/overlays/auth.yaml"), "service", "extensions")], [...extensions])
    const ofGateway = list(read("collector/gateway.yaml"), "service", "extensions")
    assert.includeMembers([...list(read("collector/overlays/gateway-auth.yaml"), "service", "extensions")], [
      ...ofGateway
    ])
    const processors = list(collector, "service", "pipelines", "traces/in", "processors")
    assert.deepStrictEqual(
      list(read("collector/overlays/content.yaml"), "service", "pipelines", "traces/in", "processors"),
      processors.filter((name) => name !== "transform/drop_content")
    )
  })
})
