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

// It tells the processor time of its start: the clock tells also what other programs took.
const program = `import(${JSON.stringify(import.meta.resolve("effect"))}).then(() => {
  const { system, user } = process.cpuUsage()
  process.stdout.write(String((user + system) / 1000))
})`

const ways: Readonly<Record<string, ReadonlyArray<string>>> = {
  bare: [],
  sdk: ["--import", sdk],
  register: ["--import", path.join(root, "dist/register.js")]
}

interface Start {
  readonly clock: number
  readonly processor: number
}

const start = (args: ReadonlyArray<string>): Start => {
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
  return { clock: performance.now() - began, processor: Number(done.stdout) }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, two) => one - two)[values.length >> 1] ?? 0

/** Measures programs that load effect and end, turn about, and prints milliseconds by the clock and of processor time. It needs a build. */
export const main = (json: boolean): Promise<void> => {
  const rounds = Array.from(
    { length: 11 },
    () => Object.fromEntries(Object.entries(ways).map(([name, args]) => [name, start(args)]))
  )
  const of = (kind: keyof Start) => {
    const at = (name: string) => (round: Readonly<Record<string, Start>>): number => round[name]?.[kind] ?? 0
    return {
      bare: median(rounds.map(at("bare"))),
      sdk: median(rounds.map(at("sdk"))),
      register: median(rounds.map(at("register"))),
      // Of the same round: what slows a round slows both.
      added: median(rounds.map((round) => at("register")(round) - at("sdk")(round)))
    }
  }
  const [clock, processor] = [of("clock"), of("processor")]
  const told = (name: string, { added, bare, register, sdk }: typeof clock) =>
    `${name}: bare ${bare.toFixed(0)} ms, SDK ${sdk.toFixed(0)} ms, register ${register.toFixed(0)} ms: ` +
    `${added.toFixed(0)} ms over the SDK\n`
  process.stdout.write(
    json
      ? `${JSON.stringify({ addedMillis: clock.added, addedProcessorMillis: processor.added, clock, processor })}\n`
      : told("by the clock", clock) + told("processor time", processor)
  )
  return Promise.resolve()
}
