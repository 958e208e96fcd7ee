// The local backend under load: how fast it takes spans, beside the raw limit and two peers, and how long answers take.
// `--spans=N` says how many it holds in the end (300,000; `--full` is 5,000,000, some minutes on a quiet machine).
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import process from "node:process"
import * as jaeger from "./store/jaeger.ts"
import * as phoenix from "./store/phoenix.ts"
import * as programs from "./store/programs.ts"
import * as questions from "./store/questions.ts"
import type { Order, Sent } from "./store/sender.ts"
import * as workload from "./store/workload.ts"

/** Spans of the smaller store that answers are compared with. */
const small = 50_000

/** Spans of one round of sending; the best of the last rounds counts, as other programs only slow it. */
const roundSpans = 100_000

/** Spans that the raw limit is measured with, and how often. */
const raw = { spans: 300_000, rounds: 3 }

/** Spans for a peer: Phoenix takes some hundred a second. */
const peerSpans = { jaeger: 100_000, phoenix: 4_000 }

const made = workload.make()
const requestsOf = (spans: number): number => Math.ceil(spans / made.spansOf(0))

const send = (url: string, order: Partial<Order> & Pick<Order, "first" | "requests">): Promise<Sent> =>
  programs.run<Sent>("sender", [JSON.stringify({ url, connections: 4, perSecond: 0, ...order })])

interface Round {
  readonly spansPerSecond: number
  readonly microsPerSpan: number | undefined
}

interface Raw {
  readonly spans: number
  readonly rows: number
  readonly seconds: number
  readonly micros: number
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN
const rounded = (value: number | undefined, digits = 2): number | null =>
  value === undefined || !Number.isFinite(value) ? null : Number(value.toFixed(digits))

/** Sends requests to a receiver; counts its own processor time as well, which other programs do not slow. */
const round = async (running: programs.Running, first: number, requests: number): Promise<Round> => {
  const before = programs.processorMicros(running.pid)
  const sent = await send(`${running.url}/v1/traces`, { first, requests })
  const after = programs.processorMicros(running.pid)
  return {
    spansPerSecond: sent.spans / sent.seconds,
    microsPerSpan: before === undefined || after === undefined ? undefined : (after - before) / sent.spans
  }
}

/** Our own receiver: filled in rounds, asked when it is small and when it is full, and asked while it is sent half of that. */
const measureOurs = async (folder: string, spans: number) => {
  const file = path.join(folder, "spans.db")
  await using running = await programs.receiver(file)
  let first = 0
  const take = async (count: number): Promise<Round> => {
    const requests = requestsOf(count)
    const done = await round(running, first, requests)
    first += requests
    process.stderr.write(`  ${first * made.spansOf(0)} spans, ${Math.round(done.spansPerSecond)} a second\n`)
    return done
  }
  await take(small)
  const atSmall = await questions.ask(running.url, made, first)
  const rounds: Array<Round> = []
  while (first * made.spansOf(0) < spans) rounds.push(await take(roundSpans))
  const idle = await questions.ask(running.url, made, first)
  const best = Math.max(...rounds.map(({ spansPerSecond }) => spansPerSecond))
  const halfSpeed = best / 2
  const requests = requestsOf(halfSpeed * 10)
  const sending = send(`${running.url}/v1/traces`, { first, requests, perSecond: halfSpeed })
  const busy = await questions.ask(running.url, made, first)
  await sending
  const bytes = fs.statSync(file).size / ((first + requests) * made.spansOf(0))
  return { file, rounds, best, atSmall, idle, busy, bytes, megabytes: programs.peakMegabytes(running.pid) }
}

/** How fast a peer takes the same requests: until the last span is in its store. */
const measurePeer = async (name: string, start: (folder: string) => Promise<jaeger.Peer | string>, spans: number) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `toolspan-bench-${name}-`))
  try {
    const peer = await start(folder)
    if (typeof peer === "string") return { reason: peer }
    await using running = peer
    const begun = performance.now()
    const sent = await send(running.url, { first: 0, requests: requestsOf(spans) })
    for (let stored = 0, still = 0; stored < sent.spans && still < 60;) {
      const now = await running.stored()
      still = now === stored ? still + 1 : 0
      stored = now
      if (stored < sent.spans) await new Promise((resolve) => setTimeout(resolve, 250))
    }
    const stored = await running.stored()
    const seconds = (performance.now() - begun) / 1_000
    return { spansPerSecond: stored / seconds, stored, sent: sent.spans, megabytes: running.peakMegabytes() }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

const spansWanted = (): number => {
  if (process.argv.includes("--full")) return 5_000_000
  return Number(process.argv.find((argument) => argument.startsWith("--spans="))?.slice(8) ?? 300_000)
}

/** Prints the figures. */
export const main = async (json: boolean): Promise<void> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-bench-store-"))
  try {
    const ours = await measureOurs(folder, spansWanted())
    const raws: Array<Raw> = []
    for (let count = 0; count < raw.rounds; count++) {
      raws.push(await programs.run<Raw>("raw", [ours.file, String(raw.spans), path.join(folder, "raw.db")]))
    }
    fs.rmSync(ours.file)
    const peers = {
      jaegerBadger: await measurePeer("jaeger", jaeger.start, peerSpans.jaeger),
      phoenix: await measurePeer("phoenix", phoenix.start, peerSpans.phoenix)
    }
    const rawBest = Math.max(...raws.map(({ seconds, spans }) => spans / seconds))
    const rawMicros = median(raws.map(({ micros }) => micros))
    const micros = median(ours.rounds.flatMap(({ microsPerSpan }) => microsPerSpan ?? []))
    const over = (peer: { readonly spansPerSecond?: number }) =>
      peer.spansPerSecond === undefined ? null : rounded(ours.best / peer.spansPerSecond)
    const report = {
      ingestOverRaw: rounded(ours.best / rawBest),
      ingestOverRawProcessor: rounded(rawMicros / micros),
      ingestOverJaegerBadger: over(peers.jaegerBadger),
      ingestOverPhoenix: over(peers.phoenix),
      findMillis: rounded(ours.idle.find.median),
      findRatio: rounded(ours.idle.find.median / ours.atSmall.find.median),
      memoryMegabytes: rounded(ours.megabytes, 0),
      figures: {
        program: programs.builtReceiver() === undefined ? "src" : "dist",
        spans: spansWanted(),
        bytesPerSpan: rounded(ours.bytes, 0),
        ingest: {
          spansPerSecond: ours.rounds.map(({ spansPerSecond }) => rounded(spansPerSecond, 0)),
          processorMicrosPerSpan: rounded(micros)
        },
        raw: {
          spansPerSecond: raws.map(({ seconds, spans }) => rounded(spans / seconds, 0)),
          processorMicrosPerSpan: rounded(rawMicros),
          rowsPerSpan: rounded(raws[0]!.rows / raws[0]!.spans)
        },
        peers,
        answers: { small: ours.atSmall, full: ours.idle, whileIngestingAtHalfSpeed: ours.busy }
      }
    }
    process.stdout.write(`${json ? JSON.stringify(report) : JSON.stringify(report, null, 2)}\n`)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
