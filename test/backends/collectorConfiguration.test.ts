import { assert, beforeAll, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { ensureCollector } from "../../scripts/collector.ts"
import { ensure } from "../../scripts/programs.ts"
import { root } from "../collector/Files.ts"
import { protobuf } from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"

beforeAll(() => {
  ensureCollector()
})

const openssl = "openssl"

/** A certificate for 127.0.0.1 and its key. */
const certify = (folder: string) => {
  const [TLS_CERT, TLS_KEY] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")] as const
  const ask = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1"
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", TLS_KEY, "-out", TLS_CERT]
  const done = spawnSync(openssl, [...ask.split(" "), ...names])
  assert.strictEqual(done.status, 0, String(done.stderr))
  return { TLS_CERT, TLS_KEY }
}

describe("the collector loads without a warning", () => {
  for (const overlay of [undefined, "none", "sampling", "content", "tier2"]) {
    it(overlay === undefined ? "collector.yaml" : `overlays/${overlay}.yaml`, async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        traces: sink.address,
        env: overlay === "tier2" ? { HOSTNAME: "collector-1" } : {},
        files: ["collector.yaml", ...overlay === undefined ? [] : [`overlays/${overlay}.yaml`]]
      })
      // An end that cuts a connection short which is just being made has grpc warn of it; one that comes before the collector
      // listens to signals, which it does after it is healthy, ends it at once.
      await sink.connected
      assert.strictEqual(await collector.stop("SIGTERM"), 0)
      assert.strictEqual(collector.said(), "")
    })
  }

  it("gateway.yaml", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      files: ["gateway.yaml"],
      env: { TIER2_HOST: "127.0.0.1", TIER2_PORT: sink.address.split(":")[1] ?? "" }
    })
    await sink.connected
    assert.strictEqual(await collector.stop("SIGTERM"), 0)
    assert.strictEqual(collector.said(), "")
  })

  it("all overlays of docker-compose.yml at once", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      traces: sink.address,
      files: ["collector.yaml", "overlays/sampling.yaml", "overlays/content.yaml", "overlays/auth.yaml"],
      env: { OTLP_TOKEN: "secret", ...certify(scratch.folder) }
    })
    await sink.connected
    assert.strictEqual(await collector.stop("SIGTERM"), 0)
    assert.strictEqual(collector.said(), "")
  })

  it("and warns of a name that is not its own", async () => {
    await using scratch = Program.scratch()
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      more: "exporters: { otlp/old: { endpoint: \"127.0.0.1:9\" } }\n" +
        "service: { pipelines: { traces/kept: { receivers: [forward/kept], exporters: [otlp/old] } } }\n"
    })
    assert.include(collector.said(), "deprecated")
  })
})

describe("overlays/auth.yaml", () => {
  it("answers 401 without the token, 401 with another, 200 with it, and gives the spans on", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const certificate = certify(scratch.folder)
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      files: ["collector.yaml", "overlays/auth.yaml"],
      traces: sink.address,
      env: { OTLP_TOKEN: "secret", ...certificate }
    })
    const body = path.join(scratch.folder, "body")
    fs.writeFileSync(body, protobuf(row(1)))
    const ask = (...token: ReadonlyArray<string>): string =>
      spawnSync("curl", [
        ..."--silent --output /dev/null --write-out %{http_code} --cacert".split(" "),
        certificate.TLS_CERT,
        "--header",
        "content-type: application/x-protobuf",
        "--data-binary",
        `@${body}`,
        ...token.flatMap((text) => ["--header", `authorization: Bearer ${text}`]),
        `${collector.url.replace("http:", "https:")}/v1/traces`
      ], { encoding: "utf8" }).stdout
    assert.strictEqual(ask(), "401")
    assert.strictEqual(ask("wrong"), "401")
    assert.strictEqual(ask("secret"), "200")
    await Program.until("the span arrives", () => sink.rows().length === 1 ? true : undefined)
    assert.strictEqual(await CollectorProcess.send(collector.url, protobuf(row(2))), 400)
  })

  it("does not start without a token", async () => {
    await using scratch = Program.scratch()
    const started = CollectorProcess.start({
      folder: scratch.folder,
      files: ["collector.yaml", "overlays/auth.yaml"],
      env: { OTLP_TOKEN: "", ...certify(scratch.folder) }
    })
    const failed = await started.then(async (collector) => {
      await collector.stop()
      return undefined
    }, (error: Error) => error)
    assert.match(failed?.message ?? "", /token/)
  })
})

describe("docker-compose.yml", () => {
  const compose = (file: string) =>
    spawnSync(ensure("compose-spec"), [file], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env["PATH"], COMPOSE_PROFILES: "scale" }
    })

  it("is read by the Compose specification's own program without a word", () => {
    const { status, stderr, stdout } = compose("docker-compose.yml")
    assert.strictEqual(status, 0, stderr)
    assert.strictEqual(stderr, "")
    assert.include(stdout, "tempo-block-builder")
  })

  it("which refuses a key that Compose does not know", async () => {
    await using scratch = Program.scratch()
    const file = path.join(scratch.folder, "compose.yml")
    const text = fs.readFileSync(path.join(root, "docker-compose.yml"), "utf8")
    fs.writeFileSync(file, text.replace("mem_limit: 512m", "memory: 512m"))
    const { status, stderr } = compose(file)
    assert.notStrictEqual(status, 0)
    assert.include(stderr, "memory")
  })
})
