// What the pages say of the tree must be there: linked files, npm scripts, the import table, the settings.
// The code they show is the tests' business: test/docs.
import * as fs from "node:fs"
import * as path from "node:path"
import { definitions } from "../src/settings/definition.ts"
import { arrows } from "./arrows.ts"

const root = path.resolve(import.meta.dirname, "..")
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "AGENTS.md",
  "docs",
  "collector",
  "dashboards",
  "examples"
]
  .flatMap((name) => {
    const full = path.join(root, name)
    if (!fs.existsSync(full)) return []
    if (fs.statSync(full).isFile()) return [name]
    return fs.readdirSync(full, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".md") && !file.includes("node_modules"))
      .map((file) => path.join(name, file))
  })
const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  fs.readFileSync(path.join(root, "package.json"), "utf8")
)

const slug = (heading: string): string =>
  heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-")
const anchorsOf = (page: string): ReadonlyArray<string> =>
  [...fs.readFileSync(path.join(root, page), "utf8").matchAll(/^#+ (.+)$/gm)].map((match) => slug(match[1] ?? ""))

const faults: Array<string> = []
for (const page of pages) {
  const text = fs.readFileSync(path.join(root, page), "utf8")
  for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue
    const [file = "", anchor] = target.split("#")
    const linked = file === "" ? page : path.join(path.dirname(page), file)
    if (!fs.existsSync(path.join(root, linked))) faults.push(`${page}: links to ${target}, which is not there`)
    else if (anchor !== undefined && linked.endsWith(".md") && !anchorsOf(linked).includes(anchor)) {
      faults.push(`${page}: links to ${target}, but there is no such heading`)
    }
  }
  for (const [, script = ""] of text.matchAll(/\bnpm run ([a-z:-]+)/g)) {
    if (manifest.scripts[script] === undefined) {
      faults.push(`${page}: says npm run ${script}, which package.json has not`)
    }
  }
}

const readme = fs.readFileSync(path.join(root, "README.md"), "utf8")
for (const definition of Object.values(definitions)) {
  const row = new RegExp(`^\\| \`${definition.name}\` *\\|.*\\| ([^ ]+) *\\|$`, "m").exec(readme)
  if (row?.[1] !== definition.defaultText) {
    faults.push(
      `README.md: the table of settings has no row ${definition.name} with the default ${definition.defaultText}`
    )
  }
}

const architecture = fs.readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8").split("## Who may import whom")[1] ??
  ""
for (const entry of fs.readdirSync(path.join(root, "src"), { withFileTypes: true })) {
  if (!entry.isDirectory()) continue
  const told = new RegExp(`^\\| \`${entry.name}\` *\\|(.*)\\|`, "m").exec(architecture)
  if (told === null) faults.push(`ARCHITECTURE.md: the import table has no row for src/${entry.name}`)
  else {
    const may = [...(told[1] ?? "").matchAll(/`([a-z]+)`/g)].map((match) => match[1] ?? "").sort()
    const linted = [...(arrows[entry.name] ?? [])].sort()
    if (may.join() !== linted.join()) {
      faults.push(
        `ARCHITECTURE.md: src/${entry.name} may import ${may.join(", ") || "nothing"}; the linter says ${
          linted.join(", ") || "nothing"
        }`
      )
    }
  }
}

if (faults.length > 0) {
  process.stderr.write(`${faults.join("\n")}\n`)
  process.exit(1)
}
