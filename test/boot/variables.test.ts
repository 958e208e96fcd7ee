import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { register, run } from "../journeys/child.ts"
import { copyPackage, programs, remove } from "../journeys/installation.ts"

interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly resource: Readonly<Record<string, unknown>>
  readonly names: ReadonlyArray<string>
}

/** A sink that keeps each request of JSON as it came. */
const listening = async () => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => {
      const [whole] = JSON.parse(Buffer.concat(chunks).toString("utf8")).resourceSpans
      received.push({
        url: request.url ?? "",
        headers: request.headers,
        resource: Object.fromEntries(whole.resource.attributes.map((each: any) => [each.key, each.value.stringValue])),
        names: whole.scopeSpans.flatMap((scope: any) => scope.spans.map((span: any) => span.name))
      })
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

describe("a program under register", () => {
  let folder: string

  beforeAll(async () => {
    folder = await programs("4.1.0")
    return () => remove(folder)
  }, 180_000)

  it("obeys the standard variables of endpoint, headers, resource and batches", async () => {
    await using sink = await listening()
    const ended = await run(folder, [...register, "calls.mjs", "100", "exit"], {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${sink.url}/team/traces`,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-team=blue,x-token=a%20b",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=other",
      OTEL_SERVICE_NAME: "mine",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "64"
    })
    assert.deepStrictEqual(ended, { code: 7, signal: null, out: "done\n", errors: "" })
    assert.strictEqual(
      sink.received.flatMap(({ names }) => names).filter((name) => name === "tool_call count").length,
      100
    )
    for (const { headers, names, resource, url } of sink.received) {
      assert.strictEqual(url, "/team/traces")
      assert.deepInclude(headers, { "x-team": "blue", "x-token": "a b" })
      assert.deepInclude(resource, { "deployment.environment.name": "test", "service.name": "mine" })
      assert.isAtMost(names.length, 64)
    }
  }, 60_000)

  it("with an effect outside of the tested versions is not touched, and says so once", async () => {
    await using sink = await listening()
    const place = path.join(folder, "newer")
    fs.mkdirSync(place, { recursive: true })
    copyPackage(folder, "effect", "newer")
    copyPackage(folder, "@effect/opentelemetry", "newer")
    const manifest = path.join(place, "node_modules/effect/package.json")
    fs.writeFileSync(
      manifest,
      fs.readFileSync(manifest, "utf8").replace(/"version": "[^"]+"/, "\"version\": \"4.2.0\"")
    )
    fs.copyFileSync(path.join(folder, "calls.mjs"), path.join(place, "calls.mjs"))
    const ended = await run(place, [...register, "calls.mjs", "10", "exit"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json"
    })
    assert.deepInclude(ended, { code: 7, signal: null, out: "done\n" })
    assert.lengthOf(ended.errors.match(/ToolspanWarning/g) ?? [], 1, ended.errors)
    assert.match(ended.errors, /effect 4\.2\.0 is outside the versions that toolspan is tested with/)
    assert.deepStrictEqual(sink.received.flatMap(({ names }) => names), [])
  }, 60_000)
})
