import * as fs from "node:fs"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { type Browser, chromium } from "playwright-core"
import { rolldown } from "rolldown"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { text, toolCall } from "../../examples/replay/answer.ts"
import { replay } from "../../examples/replay/server.ts"
import { coverageOf, coverageTable } from "../journeys/coverage.ts"
import { copyPackage, type Line, programs, remove } from "../journeys/installation.ts"
import { otlpSink } from "../journeys/otlpSink.ts"

const limit = 120_000

let browser: Browser

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
  })
}, limit)

afterAll(() => browser.close())

/** The page's script ends with it: says what came of the app. */
const told = (main: string): string =>
  `${main}.then((results) => report(JSON.stringify(results)), (error) => report(String(error?.stack ?? error)))\n`

const ways: Readonly<Record<string, { readonly script: string; readonly row: string }>> = {
  "no toolspan": { script: `import { main } from "./app.mjs"\n${told("main()")}`, row: "nothing" },
  "auto before the app": {
    script: `import "toolspan/auto"\nimport { main } from "./app.mjs"\n${told("main()")}`,
    row: "import auto; import app"
  },
  "auto after the app": {
    script: `import { main } from "./app.mjs"\nimport "toolspan/auto"\n${told("main()")}`,
    row: "import app; import auto"
  },
  "auto of two copies": {
    script: `import "toolspan/auto"\nimport "./second/auto.mjs"\nimport { main } from "./app.mjs"\n${told("main()")}`,
    row: "import auto; import app"
  },
  // A browser has no module hooks: it makes no difference.
  "auto, then import(app)": {
    script: `import "toolspan/auto"\n${told("import(\"./app.mjs\").then(({ main }) => main())")}`,
    row: "import auto; import app"
  },
  "the layers by hand": {
    script: `import * as Toolspan from "toolspan"\nimport { main } from "./app.mjs"\n${
      told("main(Toolspan.instrument)")
    }`,
    row: "instrument"
  }
}

const bundle = async (folder: string, script: string): Promise<string> => {
  fs.writeFileSync(path.join(folder, "page.mjs"), script)
  const built = path.join(folder, "built")
  fs.rmSync(built, { recursive: true, force: true })
  const made = await rolldown({ input: path.join(folder, "page.mjs"), platform: "browser", logLevel: "silent" })
  await made.write({ dir: built, format: "esm", minify: true })
  await made.close()
  return built
}

/** Serves the page and passes on what it sends: spans to a sink, requests of the model to a replay server. */
const serve = async (built: string, to: { readonly traces: string; readonly model: string }) => {
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? "/", "http://page").pathname
    if (request.method === "POST") {
      const target = address === "/v1/traces" ? to.traces : to.model
      const passed = httpRequest(target + address, { method: "POST", headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      // A stream that the page has read enough of is cut off.
      passed.on("error", () => response.destroy())
      return void request.pipe(passed)
    }
    if (address === "/") {
      // No evaluated text, no other host: what a strict page allows.
      response.writeHead(200, {
        "content-type": "text/html",
        "content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'"
      })
      return void response.end("<!doctype html><title>app</title><script type=module src=/page.js></script>")
    }
    const file = path.join(built, path.basename(address))
    if (!fs.existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { "content-type": "text/javascript" }).end(fs.readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const answers = [text("One moment."), toolCall("call_1", "lookup", { key: "secret" })]

const attempt = async (folder: string, script: string) => {
  const built = await bundle(folder, script)
  await using sink = await otlpSink()
  await using model = await replay({ script: () => ({ id: "msg_1", parts: answers, usage: { input: 1, output: 1 } }) })
  await using server = await serve(built, { traces: sink.url, model: model.url })
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    const said: Array<string> = []
    page.on("pageerror", (error) => said.push(String(error)))
    page.on("console", (message) => said.push(message.text()))
    const reported = Promise.withResolvers<string>()
    await page.exposeFunction("report", reported.resolve)
    await page.goto(server.url)
    return { results: await reported.promise, said, spans: sink.spans() }
  } finally {
    await context.close()
  }
}

describe.each<{ line: Line; provider: "mock" | "client"; table: string }>([
  { line: "4.1.0", provider: "mock", table: "coverage-4.1.0-hooks.txt" },
  { line: "4.0.0-rc.112", provider: "client", table: "coverage-4.0.0-rc.112-client.txt" }
])("in a page, effect $line, a model of a $provider", ({ line, provider, table }) => {
  let folder: string
  const rows = fs.readFileSync(path.join(import.meta.dirname, "../journeys/__snapshots__", table), "utf8").split("\n")

  beforeAll(async () => {
    folder = await programs(line)
    for (const [name, file] of [["app.mjs", "app.mjs"], [`${provider}.mjs`, "model.mjs"]] as const) {
      const source = fs.readFileSync(path.join(import.meta.dirname, "programs", name), "utf8")
      fs.writeFileSync(
        path.join(folder, file),
        line === "4.1.0" ? source : source.replaceAll(/"effect\/(ai|http|observability)\//g, "\"effect/unstable/$1/")
      )
    }
    copyPackage(folder, "toolspan", "second")
    fs.writeFileSync(path.join(folder, "second/auto.mjs"), "import \"toolspan/auto\"\n")
    return () => remove(folder)
  }, 180_000)

  it.each(Object.entries(ways))("%s reaches what it reaches in Node", async (_, { row, script }) => {
    const { results, said, spans } = await attempt(folder, script)
    assert.strictEqual(results, "[\"found secret\",\"found secret\"]")
    assert.deepStrictEqual(said, [])
    assert.strictEqual(new Set(spans.map((span) => span.spanId)).size, spans.length)
    const [, found] = coverageTable({ [row]: coverageOf(spans) }).split("\n")
    const cells = (line: string | undefined) => line?.split("|").map((cell) => cell.trim())
    assert.deepStrictEqual(cells(found), cells(rows.find((line) => line.split("|")[0]?.trim() === row)))
  }, limit)
})
