// What `--import toolspan/register` adds to the start of a program, over the OpenTelemetry Node SDK by itself.
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import process from "node:process"

const root = path.resolve(import.meta.dirname, "../..")

const sdk = `data:text/javascript,${
  encodeURIComponent(
    `import { createRequire } from "node:module"
     const { NodeSDK } = createRequire(${JSON.stringify(`${root}/package.json`)})("@opentelemetry/sdk-node")
     new NodeSDK().start()`
  )
}`

const program = `import(${JSON.stringify(import.meta.resolve("effect"))})`

const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  bare: [],
  sdk: ["--import", sdk],
  register: ["--import", path.join(root, "dist/register.js")]
}

const start = (args: ReadonlyArray<string>): number => {
  const began = performance.now()
  const done = spawnSync(process.execPath, [...args, "-e", program], {
    cwd: root,
    env: {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
      OTEL_METRICS_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none"
    }
  })
  if (done.status !== 0) throw new Error(String(done.stderr))
  return performance.now() - began
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, two) => one - two)[values.length >> 1] ?? 0

/** Measures programs that load effect and end, turn about, and prints milliseconds. It needs a build. */
export const main = (json: boolean): Promise<void> => {
  const millis: Record<string, Array<number>> = {}
  for (let round = 0; round < 11; round++) {
    for (const [name, args] of Object.entries(ways)) (millis[name] ??= []).push(start(args))
  }
  const [bare = 0, withSdk = 0, register = 0] = Object.values(millis).map(median)
  const addedMillis = register - withSdk
  process.stdout.write(
    json
      ? `${JSON.stringify({ addedMillis, bare, sdk: withSdk, register })}\n`
      : `bare ${bare.toFixed(0)} ms, SDK ${withSdk.toFixed(0)} ms, register ${register.toFixed(0)} ms: ` +
        `${addedMillis.toFixed(0)} ms over the SDK\n`
  )
  return Promise.resolve()
}
