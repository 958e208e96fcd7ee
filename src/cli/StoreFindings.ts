/** What `toolspan dev` has kept on this machine. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as CorruptFile from "../store/CorruptFile.ts"
import type * as Retention from "../store/Retention.ts"
import * as SqliteStore from "../store/SqliteStore.ts"
import type { StoreStats } from "../store/TraceReader.ts"
import * as DevLimits from "./DevLimits.ts"
import type { Finding } from "./Finding.ts"
import { ok, warn } from "./Finding.ts"

const about = "data file"

const dayOf = (nanos: bigint | undefined): string =>
  nanos === undefined ? "?" : new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 16).replace("T", " ")

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const kept = (file: string, { bytes, newest, oldest, spans, traces }: StoreStats): Finding =>
  ok(
    about,
    `${file}: ${spans} spans of ${traces} traces, ${megabytes(bytes)}` +
      (spans === 0 ? "" : `, from ${dayOf(oldest)} to ${dayOf(newest)} UTC`)
  )

/** The limits that `toolspan dev` has with this environment. */
const limits = ({ dropped }: StoreStats, kept: Retention.Limits): Finding => {
  const gone = dropped.spans === 0
    ? "Nothing had to go yet"
    : `${dropped.spans} spans went, and with them all of ${dropped.calls} calls`
  return ok(about, `toolspan dev keeps spans ${DevLimits.said(kept)} ${gone}`)
}

const setAside = (file: string): ReadonlyArray<Finding> =>
  CorruptFile.asideOf(file).map(({ bytes, path }) =>
    warn(
      about,
      `${path}: a damaged data file of ${megabytes(bytes)} that was set aside`,
      "Delete it when you do not need it; `sqlite3 <file> .recover` may still read parts of it."
    )
  )

/** Findings about the file. */
export const storeFindings = Effect.fnUntraced(function*(file: string) {
  if (!existsSync(file)) {
    return [ok(about, `${file}: not there, toolspan dev has kept nothing yet`), ...setAside(file)]
  }
  const inForce = yield* DevLimits.ofEnvironment
  return yield* SqliteStore.makeReader({ path: file }).pipe(
    Effect.flatMap((reader) => reader.stats),
    Effect.map((stats): ReadonlyArray<Finding> => [kept(file, stats), limits(stats, inForce)]),
    Effect.catch((error) =>
      Effect.succeed([warn(about, error.message, "toolspan find and toolspan show cannot read it.")])
    ),
    Effect.map((findings) => [...findings, ...setAside(file)]),
    Effect.scoped
  )
})
