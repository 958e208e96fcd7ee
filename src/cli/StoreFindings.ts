/** What `toolspan dev` has kept on this machine. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as SqliteStore from "../store/SqliteStore.ts"
import type { Finding } from "./Finding.ts"
import { ok, warn } from "./Finding.ts"

const about = "data file"

const dayOf = (nanos: bigint | undefined): string =>
  nanos === undefined ? "?" : new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 16).replace("T", " ")

/** Findings about the file. */
export const storeFindings = Effect.fnUntraced(function*(file: string) {
  if (!existsSync(file)) return [ok(about, `${file}: not there, toolspan dev has kept nothing yet`)]
  return yield* SqliteStore.makeReader({ path: file }).pipe(
    Effect.flatMap((reader) => reader.stats),
    Effect.map(({ bytes, newest, oldest, spans, traces }): ReadonlyArray<Finding> => [
      ok(
        about,
        `${file}: ${spans} spans of ${traces} traces, ${(bytes / 1e6).toFixed(1)} MB` +
          (spans === 0 ? "" : `, from ${dayOf(oldest)} to ${dayOf(newest)} UTC`)
      )
    ]),
    Effect.catch((error) =>
      Effect.succeed([warn(about, error.message, "toolspan find and toolspan show cannot read it.")])
    ),
    Effect.scoped
  )
})
