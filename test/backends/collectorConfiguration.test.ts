import { assert, beforeAll, describe, it } from "vitest"
import { execFile as execute, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { ensureCollector } from "../../scripts/collector.ts"
import { ensure } from "../../scripts/programs.ts"
import { list, map, read, root } from "../collector/Files.ts"
import { protobuf } from "../otlp/body.ts"
import { row } from "../store/rows.ts"
import * as CollectorProcess from "./CollectorProcess.ts"
import * as GrpcSink from "./GrpcSink.ts"
import * as Program from "./Program.ts"

beforeAll(() => {
  ensureCollector()
})

const openssl = "openssl"
const execFile = promisify(execute)

/** A certificate for 127.0.0.1 and its key. */
const certify = (folder: string) => {
  const [TLS_CERT, TLS_KEY] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")] as const
  const ask = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=127.0.0.1"
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", TLS_KEY, "-out", TLS_CERT]
  const done = spawnSync(openssl, [...ask.split(" "), ...names])
  assert.strictEqual(done.status, 0, String(done.stderr))
  return { TLS_CERT, TLS_KEY }
}

const portOf = ({ address }: GrpcSink.GrpcSink): string => address.split(":")[1] ?? ""

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
      env: { TIER2_HOST: "127.0.0.1", TIER2_PORT: portOf(sink) }
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

  it("as the second tier of docker-compose.yml has it", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const command = list(map(read("docker-compose.yml"), "services", "collector-tier2-a"), "command")
    const files = command.flatMap((text) => /^--config=\/etc\/toolspan\/(.*)$/.exec(text)?.[1] ?? [])
    assert.strictEqual(files.length, 3)
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      traces: sink.address,
      files,
      env: { HOSTNAME: "collector-tier2-a" }
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

for (const files of [["collector.yaml", "overlays/auth.yaml"], ["gateway.yaml", "overlays/gateway-auth.yaml"]]) {
  it(`${files[1]} answers 401 without the token, 401 with another, 200 with it, and gives the spans on`, async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const certificate = certify(scratch.folder)
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      files,
      traces: sink.address,
      env: { OTLP_TOKEN: "secret", TIER2_HOST: "127.0.0.1", TIER2_PORT: portOf(sink), ...certificate }
    })
    const body = path.join(scratch.folder, "body")
    fs.writeFileSync(body, protobuf(row(1)))
    // Not spawnSync: the gateway answers when the store, which is in this process, has.
    const ask = async (...token: ReadonlyArray<string>): Promise<string> => {
      const asked = execFile("curl", [
        ..."--silent --output /dev/null --write-out %{http_code} --cacert".split(" "),
        certificate.TLS_CERT,
        "--header",
        "content-type: application/x-protobuf",
        "--data-binary",
        `@${body}`,
        ...token.flatMap((text) => ["--header", `authorization: Bearer ${text}`]),
        `${collector.url.replace("http:", "https:")}/v1/traces`
      ])
      return (await asked).stdout
    }
    assert.strictEqual(await ask(), "401")
    assert.strictEqual(await ask("wrong"), "401")
    assert.strictEqual(await ask("secret"), "200")
    await Program.until("the span arrives", () => sink.rows().length === 1 ? true : undefined)
    assert.strictEqual(collector.said(), "")
    assert.strictEqual(await CollectorProcess.send(collector.url, protobuf(row(2))), 400)
  })
}

describe("overlays/auth.yaml", () => {
  it("asks for the token over gRPC too, and takes nothing from who does not trust its certificate", async () => {
    await using scratch = Program.scratch()
    await using sink = await GrpcSink.make()
    const certificate = certify(scratch.folder)
    await using other = Program.scratch()
    await using collector = await CollectorProcess.start({
      folder: scratch.folder,
      files: ["collector.yaml", "overlays/auth.yaml"],
      traces: sink.address,
      env: { OTLP_TOKEN: "secret", ...certificate }
    })
    const body = CollectorProcess.frame(protobuf(row(1)))
    const [own, foreign] = [certificate, certify(other.folder)].map(({ TLS_CERT }) => fs.readFileSync(TLS_CERT, "utf8"))
    const ask = (trusted?: string, token?: string) =>
      CollectorProcess.call(
        collector.grpc,
        body,
        token === undefined ? {} : { authorization: `Bearer ${token}` },
        trusted
      )
    const unauthenticated = 16
    assert.deepStrictEqual(
      [
        await ask(own),
        await ask(own, "wrong"),
        await ask(own, ""),
        await ask(foreign, "secret"),
        await ask(undefined, "secret")
      ],
      [unauthenticated, unauthenticated, unauthenticated, -1, -1]
    )
    assert.strictEqual(await ask(own, "secret"), 0)
    await Program.until("the span", () => sink.rows().length === 1 ? true : undefined)
  })

  it(
    "takes the spans of an app that says the token and trusts the certificate as collector/README.md tells, and of no other",
    async () => {
      await using scratch = Program.scratch()
      await using sink = await GrpcSink.make()
      const certificate = certify(scratch.folder)
      await using collector = await CollectorProcess.start({
        folder: scratch.folder,
        files: ["collector.yaml", "overlays/auth.yaml"],
        traces: sink.address,
        env: { OTLP_TOKEN: "secret", ...certificate }
      })
      const app = async (name: string, env: Readonly<Record<string, string>>) => {
        const child = spawn(process.execPath, [path.join(import.meta.dirname, "hostileCalls.ts"), "10"], {
          env: {
            PATH: process.env["PATH"],
            OTEL_SERVICE_NAME: name,
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace("http:", "https:"),
            ...env
          },
          stdio: ["ignore", "pipe", "pipe"]
        })
        // An app that may not send goes on and ends as it would.
        assert.strictEqual(await new Promise((resolve) => child.once("close", resolve)), 0, name)
      }
      const token = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer secret" }
      const trust = { NODE_EXTRA_CA_CERTS: certificate.TLS_CERT }
      await app("no token", trust)
      await app("wrong token", { ...trust, OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer wrong" })
      await app("no trust", token)
      await app("right", { ...trust, ...token })
      await Program.until("its spans", () => sink.rows().length > 0 ? true : undefined)
      const services = sink.rows().flatMap(({ resource }) =>
        resource.attributes.filter(({ key }) => key === "service.name").map(({ value }) => value)
      )
      assert.deepStrictEqual([...new Set(services)], ["right"])
    },
    120_000
  )

  /** What it says when it does not start. */
  const refusal = async (folder: string, env: Readonly<Record<string, string>>): Promise<string> => {
    const started = CollectorProcess.start({ folder, files: ["collector.yaml", "overlays/auth.yaml"], env })
    return started.then(async (collector) => {
      await collector.stop()
      return "it started"
    }, (error: Error) => error.message)
  }

  it("does not start without a token", async () => {
    await using scratch = Program.scratch()
    assert.match(await refusal(scratch.folder, { OTLP_TOKEN: "", ...certify(scratch.folder) }), /token/)
  })

  it("does not start with a key of another certificate, or without one", async () => {
    await using scratch = Program.scratch()
    await using other = Program.scratch()
    const { TLS_CERT } = certify(scratch.folder)
    const { TLS_KEY } = certify(other.folder)
    assert.match(
      await refusal(scratch.folder, { OTLP_TOKEN: "secret", TLS_CERT, TLS_KEY }),
      /private key does not match/
    )
    const nowhere = path.join(scratch.folder, "none.key")
    assert.match(await refusal(scratch.folder, { OTLP_TOKEN: "secret", TLS_CERT, TLS_KEY: nowhere }), /none\.key/)
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
