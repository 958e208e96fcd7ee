/** The collector's configurations and docker-compose.yml, as data. */
import * as fs from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { attributes } from "../../src/semconv/registry.ts"

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, "../..")

/** A YAML map of which a test knows more than its reader. */
export type Data = Readonly<Record<string, unknown>>

/** What a file holds, anchors and merges resolved. */
export const read = (file: string): Data =>
  parse(fs.readFileSync(path.join(root, file), "utf8"), { merge: true, maxAliasCount: 1_000 }) as Data

/** What stands at a path of keys, as a map: empty when there is nothing. */
export const map = (data: unknown, ...keys: ReadonlyArray<string>): Data => {
  let found = data
  for (const key of keys) found = (found as Data | null | undefined)?.[key]
  return (found ?? {}) as Data
}

/** What stands at a path of keys, as a list of texts: empty when there is nothing. */
export const list = (data: unknown, ...keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  (map(data, ...keys.slice(0, -1))[keys.at(-1) ?? ""] ?? []) as ReadonlyArray<string>

/** Every file that configures a collector; overlays are loaded on top of the first. */
export const overlays = ["auth", "content", "none", "sampling", "tier2"].map((name) =>
  `collector/overlays/${name}.yaml`
)
export const configurations = [
  "collector/collector.yaml",
  "collector/gateway.yaml",
  "collector/overlays/gateway-auth.yaml",
  ...overlays
]

/** Attributes that hold what was said, of toolspan's contract and of the GenAI conventions that others write. */
export const contentKeys: ReadonlyArray<string> = [
  ...attributes.filter(({ content }) => content === true).map(({ key }) => key),
  "gen_ai.input.messages",
  "gen_ai.output.messages",
  "gen_ai.system_instructions",
  "gen_ai.tool.definitions"
]
