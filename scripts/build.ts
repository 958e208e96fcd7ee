// Builds src into dist: types and JavaScript by tsc, what an app imports into few files, the page, every other file (SQL)
// as it stands.
// Files of dist whose source is gone are removed, so that a package never carries what the tree no longer has;
// the rest stays in place, so that tests that run meanwhile keep their imports.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { buildEntries } from "./entries.ts"
import { buildPage, pageFiles } from "./page.ts"

const root = path.resolve(import.meta.dirname, "..")
const src = path.join(root, "src")
const dist = path.join(root, "dist")

const filesOf = (folder: string): Array<string> =>
  fs.existsSync(folder)
    ? fs.readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    : []

const outputsOf = (file: string): ReadonlyArray<string> => {
  const source = /^(.*)\.(m?)tsx?$/.exec(file)
  if (file.endsWith(".d.ts") || source === null) return [file]
  const [, stem, module] = source
  return [`.${module}js`, `.${module}js.map`, `.d.${module}ts`, `.d.${module}ts.map`].map((ending) => stem + ending)
}

const tsc = spawnSync(process.execPath, [path.join(root, "node_modules/.bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit"
})
if (tsc.status !== 0) process.exit(tsc.status ?? 1)

const page = path.join("viewer", "client")
const sources = filesOf(src).filter((file) => !file.startsWith(page + path.sep))
for (const file of sources.filter((source) => !/\.m?tsx?$/.test(source) || source.endsWith(".d.ts"))) {
  fs.mkdirSync(path.dirname(path.join(dist, file)), { recursive: true })
  fs.copyFileSync(path.join(src, file), path.join(dist, file))
}
const expected = new Set([...sources.flatMap(outputsOf), ...pageFiles.map((file) => path.join(page, file))])
for (const file of filesOf(dist)) {
  if (!expected.has(file) && path.dirname(file) !== "chunk") fs.rmSync(path.join(dist, file))
}
for (const file of await buildEntries(dist)) fs.rmSync(file, { force: true })
await buildPage(path.join(dist, page))
