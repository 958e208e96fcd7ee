import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { runbook } from "../../dashboards/rules.ts"
import { list, map, read, root } from "./Files.ts"

const compose = read("docker-compose.yml")
const services = Object.keys(map(compose, "services")).map((name) => ({
  name,
  service: map(compose, "services", name)
}))

/** A mount as it is written: a source, a target, and whether it is read only. */
const mounts = services.flatMap(({ name, service }) =>
  list(service, "volumes").map((text) => {
    const parts = text.split(":")
    return parts.length === 1
      ? { name, source: "", target: parts[0] ?? "", mode: "" }
      : { name, source: parts[0] ?? "", target: parts[1] ?? "", mode: parts[2] ?? "" }
  })
)
const ports = services.flatMap(({ name, service }) =>
  list(service, "ports").map((text) => {
    const parts = /^(.*):(\d+):(\d+)$/.exec(text)
    return { name, host: parts?.[1], published: parts?.[2], target: parts?.[3] }
  })
)

/** Everything of a service that can name another one. */
const words = (service: unknown): string =>
  [...list(service, "command"), ...Object.values(map(service, "environment")), ...list(service, "healthcheck", "test")]
    .join("\n")

describe("docker-compose.yml", () => {
  it("has the four programs without a profile, and the form for many machines in the profile scale", () => {
    const plain = services.filter(({ service }) => list(service, "profiles").length === 0).map(({ name }) => name)
    assert.sameMembers(plain, [
      "collector",
      "collector-health",
      "tempo",
      "prometheus",
      "grafana-password",
      "grafana"
    ])
    for (const { name, service } of services) {
      if (!plain.includes(name)) assert.deepStrictEqual(list(service, "profiles"), ["scale"], name)
    }
  })

  it("pins every image by its version", () => {
    for (const { name, service } of services) {
      const [, tag = ""] = /^[\w./-]+:(.+)$/.exec(String(service["image"])) ?? []
      assert.match(tag, /\d+\.\d+|^RELEASE\.\d{4}/, name)
      assert.notInclude(tag, "latest", name)
    }
    const image = (name: string) => map(compose, "services", name)["image"]
    // Docker Hub has had no MinIO since September 2026; the same releases are at quay.io.
    for (const { name, service } of services) assert.notMatch(String(service["image"]), /^minio\//, name)
    assert.strictEqual(image("collector"), "otel/opentelemetry-collector-contrib:0.161.0")
    assert.strictEqual(image("tempo"), "grafana/tempo:3.0.3")
    assert.strictEqual(image("prometheus"), "prom/prometheus:v3.16.0")
    assert.strictEqual(image("grafana"), "grafana/grafana:13.2.0")
  })

  it("opens ports on loopback only, each once", () => {
    assert.isAbove(ports.length, 5)
    for (const port of ports) assert.strictEqual(port.host, "127.0.0.1", `${port.name} ${port.published}`)
    assert.strictEqual(new Set(ports.map(({ published }) => published)).size, ports.length)
  })

  it("bounds memory and processors of every service, and its logs", () => {
    for (const { name, service } of services) {
      assert.match(String(service["mem_limit"]), /^\d+[mg]$/, name)
      assert.isAbove(Number(service["cpus"]), 0, name)
      assert.deepStrictEqual(map(service, "logging", "options"), { "max-size": "10m", "max-file": "3" }, name)
    }
  })

  it("has collectors collect garbage before their limit of memory is reached", () => {
    for (const { name, service } of services.filter(({ service }) => String(service["image"]).startsWith("otel/"))) {
      const megabytes = Number(String(service["mem_limit"]).replace("1g", "1024m").replace("m", ""))
      const soft = /^(\d+)MiB$/.exec(String(map(service, "environment")["GOMEMLIMIT"]))?.[1]
      assert.isAtMost(Number(soft), megabytes * 0.81, name)
      assert.isAtLeast(Number(soft), megabytes * 0.75, name)
    }
  })

  it("gives no service a right that it does not need", () => {
    for (const { name, service } of services) {
      assert.deepStrictEqual(list(service, "cap_drop"), ["ALL"], name)
      assert.deepStrictEqual(list(service, "security_opt"), ["no-new-privileges:true"], name)
      assert.isUndefined(service["privileged"], name)
      assert.strictEqual(service["read_only"], name !== "kafka", name)
    }
  })

  it("gives the log no more memory and no more threads than its container has", () => {
    const command = list(map(compose, "services", "kafka"), "command")
    assert.includeMembers([...command], ["--smp=1", "--memory=1500M"])
    assert.strictEqual(map(compose, "services", "kafka")["mem_limit"], "2g")
  })

  it("has the log take records as large as Tempo writes them", () => {
    // `ingest.kafka.producer_max_record_size_bytes`, as Tempo 3.0 documents its default; the log's own limit would be 1 MiB.
    const [command = ""] = list(map(compose, "services", "kafka-topic"), "command")
    assert.isAbove(Number(/-c max\.message\.bytes=(\d+)/.exec(command)?.[1]), 15_983_616)
    assert.isUndefined(
      map(read("collector/tempo-distributed.yaml"), "ingest", "kafka")["producer_max_record_size_bytes"]
    )
  })

  it("gives each collector of the second tier a queue and a name that outlive its container", () => {
    const tier = services.filter(({ name }) => name.startsWith("collector-tier2"))
    assert.strictEqual(tier.length, 2)
    const queues = mounts.filter(({ name, target }) =>
      name.startsWith("collector-tier2") && target === "/var/lib/otelcol/queue"
    )
    assert.strictEqual(new Set(queues.map(({ source }) => source).filter((source) => source !== "")).size, 2)
    for (const { name, service } of tier) {
      assert.strictEqual(service["hostname"], name)
      assert.deepStrictEqual(list(service, "networks", "default", "aliases"), ["collector-tier2"])
    }
  })

  it("lets nobody into Grafana without a password", () => {
    const environment = map(compose, "services", "grafana", "environment")
    assert.strictEqual(environment["GF_AUTH_ANONYMOUS_ENABLED"], "false")
    assert.strictEqual(environment["GF_USERS_ALLOW_SIGN_UP"], "false")
    assert.isUndefined(environment["GF_SECURITY_ADMIN_PASSWORD"])
    const file = String(environment["GF_SECURITY_ADMIN_PASSWORD__FILE"])
    const volume = mounts.filter(({ source }) => source === "grafana-password")
    assert.deepStrictEqual(volume.map(({ mode, name, target }) => [name, target, mode]), [
      ["grafana-password", path.dirname(file), ""],
      ["grafana", path.dirname(file), "ro"]
    ])
    assert.deepStrictEqual(map(compose, "services", "grafana", "depends_on", "grafana-password"), {
      condition: "service_completed_successfully"
    })
  })

  it("makes a password at the first start that nobody knows, or takes the one that is given, and keeps it", () => {
    const service = map(compose, "services", "grafana-password")
    assert.deepStrictEqual(list(service, "entrypoint"), ["/bin/sh", "-c"])
    assert.strictEqual(map(service, "environment")["GRAFANA_PASSWORD"], "${GRAFANA_PASSWORD:-}")
    const [command = ""] = list(service, "command")
    const folders = ["a", "b", "c"].map(() => fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-password-")))
    const first = (folder: string, given = ""): string => {
      const script = command.replaceAll("$$", "$").replace("/run/toolspan", folder)
      const done = spawnSync("/bin/sh", ["-c", script], { env: { ...process.env, GRAFANA_PASSWORD: given } })
      assert.strictEqual(done.status, 0, String(done.stderr))
      const file = path.join(folder, "password")
      // Grafana's user is another one than the one that writes it.
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o444)
      return fs.readFileSync(file, "utf8")
    }
    const [a = "", b = "", c = ""] = folders
    try {
      const made = first(a)
      assert.match(made, /^[\w+/]{24}$/)
      assert.strictEqual(first(a), made)
      assert.strictEqual(first(a, "later"), made)
      assert.notStrictEqual(first(b), made)
      assert.strictEqual(first(c, "it's \"$HOME\" `x`"), "it's \"$HOME\" `x`")
    } finally {
      for (const folder of folders) fs.rmSync(folder, { recursive: true })
    }
  })

  it("has Grafana ask the Tempo of one process, or the one that is said, and serve the runbook to which alerts lead", () => {
    const environment = map(compose, "services", "grafana", "environment")
    assert.strictEqual(environment["TEMPO_URL"], "${GRAFANA_TEMPO_URL:-http://tempo:3200}")
    const sources = fs.readFileSync(path.join(root, "dashboards/provisioning/datasources/toolspan.yaml"), "utf8")
    for (const [, name = ""] of sources.matchAll(/"\$\{(\w+)\}"/g)) assert.isDefined(environment[name], name)
    // What docs/scaling.md tells to set with the profile.
    const told = fs.readFileSync(path.join(root, "docs/scaling.md"), "utf8")
    assert.include(told, "GRAFANA_TEMPO_URL=http://tempo-query:3200 docker compose --profile scale up")
    assert.include(services.map(({ name }) => name), "tempo-query")
    const address = new URL(runbook)
    assert.isTrue(
      ports.some(({ host, name, published }) =>
        name === "grafana" && host === address.hostname && published === address.port
      )
    )
    const mount = mounts.find(({ source }) => source === "./dashboards/RUNBOOK.md")
    assert.strictEqual(mount?.name, "grafana")
    assert.strictEqual(mount?.target, `/usr/share/grafana${address.pathname}`)
  })

  it("mounts files and folders that exist, read only", () => {
    const ours = mounts.filter(({ source }) => source.startsWith("."))
    assert.isAbove(ours.length, 10)
    for (const { mode, name, source } of ours) {
      assert.isTrue(fs.existsSync(path.join(root, source)), `${name}: ${source}`)
      assert.strictEqual(mode, "ro", `${name}: ${source}`)
    }
  })

  it("declares each volume that it uses, and uses each that it declares", () => {
    const used = mounts.filter(({ source }) => source !== "" && !source.startsWith(".")).map(({ source }) => source)
    assert.sameMembers([...new Set(used)], Object.keys(map(compose, "volumes")))
  })

  it("loads only files that are mounted there", () => {
    let files = 0
    for (const { name, service } of services) {
      for (const [, file = ""] of list(service, "command").join("\n").matchAll(/-config\.?(?:file)?=(\S+)/g)) {
        const mount = mounts.find((mount) =>
          mount.name === name && (file === mount.target || file.startsWith(`${mount.target}/`))
        )
        assert.isDefined(mount, `${name}: ${file}`)
        const inside = (mount?.source ?? "") + file.slice(mount?.target.length)
        for (const choice of inside.includes("${") ? ["none", "sampling", "content", "auth"] : [""]) {
          assert.isTrue(fs.existsSync(path.join(root, inside.replace(/\$\{.*\}/, choice))), `${name}: ${inside}`)
          files += 1
        }
      }
    }
    assert.isAbove(files, 15)
  })

  it("waits only for services that exist, and for health only where there is a check", () => {
    for (const { name, service } of services) {
      for (const [other, wait] of Object.entries(map(service, "depends_on"))) {
        const found = services.find((service) => service.name === other)?.service
        assert.isDefined(found, `${name} waits for ${other}`)
        if ((wait as { condition: string }).condition === "service_healthy") {
          assert.isNotEmpty(list(found, "healthcheck", "test"), `${name} waits for the health of ${other}`)
        }
        // A service that always starts cannot wait for one that starts with a profile only.
        if (list(service, "profiles").length === 0) {
          assert.isEmpty(list(found, "profiles"), `${name} waits for ${other}`)
        }
      }
    }
  })

  it("checks the health of everything that stays, the collector's from beside it", () => {
    for (const name of ["tempo", "prometheus", "grafana", "kafka", "object-store"]) {
      assert.isNotEmpty(list(map(compose, "services", name), "healthcheck", "test"), name)
    }
    const asked = list(map(compose, "services", "collector-health"), "healthcheck", "test").join(" ")
    assert.include(asked, "http://collector:13133/")
    assert.include(String(map(read("collector/collector.yaml"), "extensions", "health_check")["endpoint"]), ":13133")
  })

  /** Where each service listens, from the configuration that it loads. */
  const receiver = (file: string) => {
    const protocols = map(read(file), "receivers", "otlp", "protocols")
    const telemetry = JSON.stringify(map(read(file), "service", "telemetry"))
    return [map(protocols, "grpc")["endpoint"], map(protocols, "http")["endpoint"]].map(portOf).concat(
      [portOf(map(read(file), "extensions", "health_check")["endpoint"]), /"port":(\d+)/.exec(telemetry)?.[1] ?? ""]
    )
  }
  const portOf = (endpoint: unknown): string => /:(\d+)\}?$/.exec(String(endpoint))?.[1] ?? ""
  const portText = (port: unknown, otherwise: string): string => typeof port === "number" ? String(port) : otherwise
  const tempo = (file: string) => {
    const protocols = map(read(file), "distributor", "receivers", "otlp", "protocols")
    return [
      String(map(read(file), "server")["http_listen_port"]),
      portText(map(read(file), "server")["grpc_listen_port"], "9095"),
      ...["grpc", "http"].map((name) => /(\d{4})\D*$/.exec(String(map(protocols, name)["endpoint"]))?.[1] ?? ""),
      portText(map(read(file), "memberlist")["bind_port"], "")
    ]
  }
  const listeners: Readonly<Record<string, ReadonlyArray<string>>> = {
    collector: receiver("collector/collector.yaml"),
    "collector-tier2": receiver("collector/collector.yaml"),
    gateway: receiver("collector/gateway.yaml"),
    tempo: tempo("collector/tempo.yaml"),
    ...Object.fromEntries(
      services.filter(({ name }) => name.startsWith("tempo-")).map(({ name }) => [
        name,
        tempo("collector/tempo-distributed.yaml")
      ])
    ),
    prometheus: ["9090"],
    grafana: ["3000"],
    kafka: ["9092"],
    "object-store": ["9000"]
  }

  it("publishes ports on which something listens", () => {
    assert.deepStrictEqual(listeners["collector"], ["4317", "4318", "13133", "8888"])
    assert.deepStrictEqual(listeners["tempo"], ["3200", "9095", "4317", "4318", ""])
    for (const { name, target = "" } of ports) assert.include(listeners[name] ?? [], target, name)
  })

  it("names services and ports in every configuration that are there", () => {
    const texts = [
      ...services.map(({ service }) => words(service)),
      ...fs.readdirSync(path.join(root, "collector")).filter((file) => file.endsWith(".yaml")).map((file) =>
        fs.readFileSync(path.join(root, "collector", file), "utf8").replaceAll(/#.*/g, "")
      ),
      ...["datasources", "dashboards"].map((folder) =>
        fs.readFileSync(path.join(root, "dashboards/provisioning", folder, "toolspan.yaml"), "utf8")
      )
    ]
    let seen = 0
    const named = new RegExp(`(?<![\\w.-])(${Object.keys(listeners).join("|")}):(\\d{4})\\b`, "g")
    for (const text of texts) {
      for (const [found, name = "", port = ""] of text.matchAll(named)) {
        assert.include(listeners[name] ?? [], port, found)
        seen += 1
      }
      // Whatever looks like a host and a port is one of ours.
      for (const [, host = ""] of text.matchAll(/(?:http:\/\/|:-|\[|, |=|: ")([a-z][a-z0-9-]+):\d{4,5}\b/g)) {
        assert.include([...Object.keys(listeners), "localhost"], host)
      }
    }
    assert.isAbove(seen, 12)
  })

  it("gives Grafana the dashboards where their provider looks", () => {
    const [provider] = list(read("dashboards/provisioning/dashboards/toolspan.yaml"), "providers") as unknown as [
      { options: { path: string } }
    ]
    const mount = mounts.find(({ name, source }) => name === "grafana" && source === "./dashboards/out")
    assert.strictEqual(mount?.target, provider.options.path)
    const home = String(map(compose, "services", "grafana", "environment")["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
    assert.strictEqual(path.dirname(home), mount?.target)
    assert.isTrue(fs.existsSync(path.join(root, "dashboards/out", path.basename(home))))
  })

  it("gives Prometheus the rules where it looks, the collector's job by the name of the alerts, and OTLP", () => {
    const prometheus = read("collector/prometheus.yaml")
    const mount = mounts.find(({ source }) => source === "./dashboards/out/rules")
    assert.deepStrictEqual(list(prometheus, "rule_files"), [`${mount?.target}/*.yml`])
    assert.isTrue(fs.existsSync(path.join(root, "dashboards/out/rules/toolspan.yml")))
    const [scrape] = list(prometheus, "scrape_configs") as unknown as [{ job_name: string }]
    const rules = fs.readFileSync(path.join(root, "dashboards/out/rules/toolspan.yml"), "utf8")
    assert.include(rules, `up{job=\\"${scrape.job_name}\\"}`)
    const command = list(map(compose, "services", "prometheus"), "command")
    assert.includeMembers([...command], ["--web.enable-otlp-receiver", "--enable-feature=exemplar-storage"])
  })
})
