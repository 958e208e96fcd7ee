/** The runtimes besides Node 24, and how each is given a module to load first. */
import * as fs from "node:fs"
import * as path from "node:path"
import { folder } from "./install.ts"

const modules = path.join(folder, "node_modules")

export interface Runtime {
  readonly name: string
  /** What `--version` begins with. */
  readonly version: string
  readonly program: string
  /** What stands before the file of a program. */
  readonly run: ReadonlyArray<string>
  /** What makes it load `toolspan/<entry>` first; `place` is the folder of the program. */
  readonly preload: (entry: "auto" | "register", place: string) => ReadonlyArray<string>
}

const imports = (entry: string): ReadonlyArray<string> => ["--import", `toolspan/${entry}`]

const versions = (JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>
}).dependencies

const versionOf = (name: string): string => (versions[name] ?? "").replace("npm:node@", "v")

const nodeAt = (name: string): Runtime => ({
  name: `Node ${versionOf(name)}`,
  version: versionOf(name),
  program: path.join(modules, name, "bin/node"),
  run: [],
  preload: imports
})

export const bun: Runtime = {
  name: "Bun",
  version: versionOf("bun"),
  program: path.join(modules, "bun/bin/bun.exe"),
  run: [],
  preload: (entry) => ["--preload", `toolspan/${entry}`]
}

export const deno: Runtime = {
  name: "Deno",
  version: `deno ${versionOf("deno")}`,
  program: path.join(modules, "deno/deno"),
  run: ["run", "--allow-all"],
  // Its `--preload` takes a file, and no name of a package in node_modules.
  preload: (entry, place) => {
    const file = path.join(place, `preload-${entry}.mjs`)
    fs.writeFileSync(file, `import "toolspan/${entry}"\n`)
    return ["--preload", file]
  }
}

export const node = nodeAt("node-22")

export const all: ReadonlyArray<Runtime> = [node, nodeAt("node-22-first"), bun, deno]
