// Builds what an app imports into few files: each module costs a start some 0.3 ms, and register would load 120 of them.
import * as fs from "node:fs"
import * as path from "node:path"
import { rolldown } from "rolldown"

const root = path.resolve(import.meta.dirname, "..")
const src = path.join(root, "src")

/** What the package exports, the export thread, and a module that looks where it is: as an entry it stays a file of its own. */
const entries = [
  "index",
  "auto",
  "register",
  "pairing/index",
  "recorder/index",
  "adapters/pi",
  "boot/application",
  "boot/exportWorker"
]

/** What else is started or loaded by its path; it stays as tsc writes it. */
const programs = ["cli/main.js", "boot/report.mjs", "store/StoreWorker.js"]

const imported = (file: string): ReadonlyArray<string> =>
  [...fs.readFileSync(file, "utf8").matchAll(/(?:from |import\(|import )"(\.[^"]+)"/g)]
    .map(([, specifier]) => path.join(path.dirname(file), specifier!))

const reachable = (files: ReadonlyArray<string>): ReadonlySet<string> => {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    for (const next of imported(file)) visit(next)
  }
  for (const file of files) visit(file)
  return found
}

/**
 * Puts them into the folder that tsc wrote to, over its files of the same name, and says which files the folder has then for nothing:
 * modules that are in them now and that no program loads by itself.
 */
export const buildEntries = async (folder: string): Promise<ReadonlyArray<string>> => {
  const loaded = reachable(programs.map((program) => path.join(folder, program)))
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((entry) => [entry, path.join(src, `${entry}.ts`)])),
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id),
    platform: "node",
    tsconfig: path.join(root, "tsconfig.json")
  })
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    sourcemap: true,
    chunkFileNames: "chunk/[name].js"
  })
  await bundle.close()
  const written = new Set(output.map(({ fileName }) => path.join(folder, fileName)))
  const chunks = path.join(folder, "chunk")
  const stale = fs.existsSync(chunks)
    ? fs.readdirSync(chunks).map((name) => path.join(chunks, name)).filter((file) => !written.has(file))
    : []
  const inside = output.flatMap((each) => each.type === "chunk" ? each.moduleIds : [])
    // The bundler has modules of its own, which are no files.
    .filter((id) => path.isAbsolute(id))
    .map((id) => path.join(folder, path.relative(src, id).replace(/\.ts$/, ".js")))
    .filter((file) => !written.has(file) && !loaded.has(file))
  return [...stale, ...inside.flatMap((file) => [file, `${file}.map`])]
}
