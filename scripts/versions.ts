// Tries toolspan with every effect that it says it is tested with: `npm run versions`, or `… -- 4.1.0 4.0.6` for some.
// From the range in src/boot/effectCopy.ts: its first version and the newest patch of each minor. A new effect release is
// tried by raising `below` there; nothing else names a version. Needs the registry, and takes some 10 s a version.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isTested, testedRange } from "../src/boot/effectCopy.ts"
import { register, run, sendTo } from "../test/journeys/child.ts"
import { otlpSink } from "../test/journeys/otlpSink.ts"
import { spanTree } from "../test/journeys/spanTree.ts"

const root = path.resolve(import.meta.dirname, "..")
const journeys = path.join(root, "test/journeys")

const npm = (args: ReadonlyArray<string>, cwd: string): string => {
  const done = spawnSync("npm", args, { cwd, encoding: "utf8", maxBuffer: 1 << 26 })
  if (done.status !== 0) throw new Error(`npm ${args.join(" ")}\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}

const minorOf = (version: string): string => version.split(".").slice(0, 2).join(".")

/** The first version of the range and the newest of each minor, from the oldest to the newest. */
const versionsToTry = (releases: ReadonlyArray<string>): ReadonlyArray<string> => {
  const newest = new Map<string, string>()
  // The registry lists them from the oldest to the newest, releases behind their candidates.
  for (const version of releases) if (isTested(version)) newest.set(minorOf(version), version)
  return [...new Set([testedRange.from, ...newest.values()])]
}

/**
 * A span tree without what only tells the effect line: the host's own words on a turn, lists written as text, whether
 * the bridge ends a success with the status OK or with none, and the order in which results of parallel calls go back (4.1.5 gives
 * that of the calls, earlier ones that in which they ended).
 */
const lineless = (tree: string): string =>
  tree.split("\n")
    .filter((line) => !/^ +(effect\.ai\.|concurrency|toolChoice|gen_ai\.output\.type)/.test(line))
    .map((line) =>
      line
        .replace(/(LanguageModel\.\w+ \()(client|internal)/, "$1turn")
        .replace(/^( *#\d+ .* \(.*), ok\)$/, "$1)")
        .replace(/= ("\[.*\]")$/, (_, text: string) => `= ${JSON.stringify(JSON.parse(JSON.parse(text) as string))}`)
        .replace(/(?<=link\.consumes = )\[.*\]$/, (text) =>
          JSON.stringify((JSON.parse(text) as Array<string>).toSorted()))
    )
    .join("\n")
    .replace(/(?:^ +link consumes .*\n)+/gm, (links) =>
      links.split(/(?<=\n)/).toSorted().join(""))

/** Since 4.0.0-rc.118 effect's AI modules have their own place. */
const hasOwnPlace = (folder: string): boolean => fs.existsSync(path.join(folder, "node_modules/effect/dist/ai"))

const published = (name: string): ReadonlyArray<string> =>
  JSON.parse(npm(["view", name, "versions", "--json"], root)) as ReadonlyArray<string>

const bridges = published("@effect/opentelemetry")

/** The bridge is not released with every patch of effect: its newest of the same minor fits. */
const bridgeFor = (version: string): string =>
  bridges.includes(version) ? version : bridges.findLast((bridge) => minorOf(bridge) === minorOf(version)) ?? version

const attempt = async (version: string, tarball: string, folder: string): Promise<void> => {
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
  npm([
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--strict-peer-deps",
    tarball,
    `effect@${version}`,
    `@effect/opentelemetry@${bridgeFor(version)}`
  ], folder)
  const program = fs.readFileSync(path.join(journeys, "programs/assistant.mjs"), "utf8")
  fs.writeFileSync(
    path.join(folder, "assistant.mjs"),
    hasOwnPlace(folder) ? program : program.replaceAll("\"effect/ai/", "\"effect/unstable/ai/")
  )
  const args = ["assistant.mjs", "generateText", "streamText"]
  const bare = await run(folder, args)
  await using sink = await otlpSink()
  const told = await run(folder, [...register, ...args], sendTo(sink.url))
  if (JSON.stringify(told) !== JSON.stringify(bare)) {
    throw new Error(`the program ends otherwise:\n${JSON.stringify(bare)}\n${JSON.stringify(told)}`)
  }
  const expected = lineless(fs.readFileSync(path.join(journeys, "__snapshots__/assistant-4.1.0.txt"), "utf8"))
  const found = lineless(spanTree(sink.spans()))
  if (found.trim() !== expected.trim()) throw new Error(`other spans:\n${found}`)
}

const named = process.argv.slice(2)
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-versions-"))
let failed = 0
try {
  const [{ filename }] = JSON.parse(
    npm(["pack", "--json", "--ignore-scripts", "--pack-destination", temporary], root)
  )
  for (const version of named.length > 0 ? named : versionsToTry(published("effect"))) {
    const folder = path.join(temporary, version)
    fs.mkdirSync(folder)
    try {
      await attempt(version, path.join(temporary, filename), folder)
      process.stdout.write(`ok     effect ${version}\n`)
    } catch (error) {
      failed++
      process.stdout.write(`FAILED effect ${version}: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
} finally {
  fs.rmSync(temporary, { recursive: true, force: true })
}
process.exitCode = failed === 0 ? 0 : 1
