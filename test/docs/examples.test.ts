import { assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import * as Example from "./Example.ts"

const root = path.resolve(import.meta.dirname, "../..")
const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8")

const sources = fs.readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => path.join("src", file))
  .sort()

const examples = [
  ...["README.md", "docs/register.md", "docs/auto.md", "docs/by-hand.md", "docs/recorder.md", "docs/pi.md"].flatMap((
    page
  ) => Example.fromMarkdown(page, read(page))),
  ...sources.flatMap((file) => Example.fromComments(file, read(file)))
]

/** Inside the package, so that `toolspan` and `effect` mean what they mean to a reader. */
const folders = {
  current: path.join(root, ".cache/examples"),
  older: path.join(root, "test/older/.cache/examples")
}

const fileOf = (example: Example.Example): string =>
  path.join(folders[example.line], `${example.place.replaceAll(/[^A-Za-z0-9]+/g, "-")}.ts`)

const run = (file: string): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    // No example may reach a collector that happens to run on this machine.
    const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }
    execFile(process.execPath, [file], { cwd: path.dirname(file), env, timeout: 30_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr })
    })
  })

beforeAll(() => {
  for (const [line, folder] of Object.entries(folders)) {
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder, { recursive: true })
    const tsconfig = {
      extends: path.join(root, "tsconfig.json"),
      compilerOptions: { noUnusedLocals: false },
      include: ["."],
      exclude: []
    }
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
    for (const example of examples.filter((each) => each.line === line)) {
      fs.writeFileSync(fileOf(example), `${example.code}\n`)
    }
  }
})

describe("reading examples", () => {
  it("finds the blocks of pages and comments, with their place and marks", () => {
    assert.deepStrictEqual(
      Example.fromMarkdown("a.md", "# A\n\n```ts\nconst a = 1\n\nconst b = 2\n```\n\n```sh\nls\n```\n"),
      [
        { place: "a.md:3", code: "const a = 1\n\nconst b = 2", line: "current", runs: true }
      ]
    )
    const source =
      "\n/**\n * One.\n *\n * ```ts no-run\n * import { x } from \"@effect/ai-anthropic\"\n *\n * x()\n * ```\n */\nexport const one = 1\n"
    assert.deepStrictEqual(Example.fromComments("a.ts", source), [
      { place: "a.ts:5", code: "import { x } from \"@effect/ai-anthropic\"\n\nx()", line: "older", runs: false }
    ])
  })

  it("finds public exports and the comment that belongs to each", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-docs-"))
    fs.mkdirSync(path.join(folder, "inner"))
    fs.writeFileSync(
      path.join(folder, "entry.ts"),
      `/** Of the file. */\nimport "effect"\n\nexport const bare = 1\n\n/** Told. */\nexport interface Told {}\n\nexport { one as first } from "./inner/one.ts"\nexport * as All from "./inner/two.ts"\n`
    )
    fs.writeFileSync(
      path.join(folder, "inner/one.ts"),
      `/** One. */\nexport const one = 1\n\nexport const hidden = 2\n`
    )
    fs.writeFileSync(path.join(folder, "inner/two.ts"), `/** Two. */\nexport function two() {}\n`)
    const found = Example.publicExports(folder, "entry.ts").map(({ comment, isType, name }) => ({
      comment,
      isType,
      name
    }))
    fs.rmSync(folder, { recursive: true })
    assert.deepStrictEqual(found, [
      { name: "bare", isType: false, comment: undefined },
      { name: "Told", isType: true, comment: "/** Told. */" },
      { name: "one", isType: false, comment: "/** One. */" },
      { name: "All.two", isType: false, comment: "/** Two. */" }
    ])
  })
})

describe("examples", () => {
  it("type-check as a reader would write them", () => {
    for (const [line, folder] of Object.entries(folders)) {
      if (!examples.some((each) => each.line === line)) continue
      const tsc = spawnSync(process.execPath, [path.join(root, "node_modules/.bin/tsc"), "-p", folder], {
        encoding: "utf8"
      })
      assert.strictEqual(tsc.stdout, "")
      assert.strictEqual(tsc.status, 0)
    }
  })

  it("are shown by the README", () => {
    assert.isAbove(examples.filter((example) => example.place.startsWith("README.md")).length, 0)
  })

  for (const example of examples.filter((each) => each.runs)) {
    it.concurrent(`${example.place} runs`, async () => {
      const { code, output } = await run(fileOf(example))
      assert.strictEqual(code, 0, output)
    })
  }
})

describe("public exports", () => {
  const entries = [
    "src/index.ts",
    "src/auto.ts",
    "src/register.ts",
    "src/pairing/index.ts",
    "src/recorder/index.ts",
    "src/adapters/pi.ts"
  ]

  for (const entry of entries) {
    it(`of ${entry} have a doc comment, and values stand in an example that runs`, async () => {
      const found = Example.publicExports(root, entry)
      const bare = found.filter((each) => each.comment === undefined)
      assert.deepStrictEqual(bare.map((each) => `${each.place} ${each.name}`), [])
      const silent = found.filter((each) => !each.isType && !shown(each.name))
      assert.deepStrictEqual(silent.map((each) => `${each.place} ${each.name}`), [])

      if (entry === "src/register.ts") return
      const built = entry.replace(/^src/, "dist").replace(/\.ts$/, ".js")
      const loaded: Record<string, unknown> = await import(pathToFileURL(path.join(root, built)).href)
      const names = Object.entries(loaded).flatMap(([name, value]) =>
        isNamespace(value) ? Object.keys(value).map((key) => `${name}.${key}`) : [name]
      )
      const known = new Set(found.map((each) => each.name))
      assert.deepStrictEqual(names.filter((name) => !known.has(name)), [], "every export is one that this test can see")
    })
  }
})

/** Whether an example that runs uses the name, whole. */
const shown = (name: string): boolean => {
  const word = new RegExp(`(?<![\\w$])${name.replaceAll(/[.$]/g, "\\$&")}(?![\\w$])`)
  return examples.some((example) => example.runs && word.test(example.code))
}

const isNamespace = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === "[object Module]"
