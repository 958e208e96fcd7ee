import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
const manifest: {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly bin: Readonly<Record<string, string>>
} = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"))

const run = (command: string, args: ReadonlyArray<string>, cwd: string): string => {
  const done = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  assert.strictEqual(done.status, 0, `${command} ${args.join(" ")}\n${done.stdout}\n${done.stderr}`)
  return done.stdout
}

interface Packed {
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-package-"))
let packed: Packed

const install = (name: string, effect: string): string => {
  const folder = path.join(temporary, name)
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  const versions = [`effect@${effect}`, `@effect/opentelemetry@${effect}`]
  run("npm", [
    "install",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--strict-peer-deps",
    "--ignore-scripts",
    path.join(temporary, packed.filename),
    ...versions
  ], folder)
  return folder
}

/** Every specifier that the package offers: `toolspan`, `toolspan/auto`, … */
const specifiers = Object.keys(manifest.exports).map((key) => `toolspan${key.slice(1)}`)

beforeAll(() => {
  packed = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", temporary], root))[0]
  return () => fs.rmSync(temporary, { recursive: true, force: true })
})

describe("the packed package", () => {
  it("carries what its manifest names, its licence and its change log, and no test", () => {
    const files = packed.files.map((file) => file.path)
    const named = [
      ...Object.values(manifest.exports).flatMap((each) => typeof each === "string" ? [each] : Object.values(each)),
      ...Object.values(manifest.bin)
    ]
    assert.deepStrictEqual(named.map((file) => path.normalize(file)).filter((file) => !files.includes(file)), [])
    assert.includeMembers(files, ["LICENSE", "README.md", "package.json"])
    // The README and docs name these.
    const linked = [
      "examples/README.md",
      "examples/pi-assistant.ts",
      "examples/pi-group.ts",
      "examples/recorder.ts",
      "test/semconv/contract.json"
    ]
    assert.includeMembers(files, linked)
    assert.deepStrictEqual(
      files.filter((file) =>
        /^(test|scripts|examples|node_modules)\/|\.tsbuildinfo$/.test(file) && !linked.includes(file)
      ),
      []
    )
  })

  for (const version of ["4.1.0", "4.0.0-rc.112"]) {
    it(`installs beside effect ${version} and every export loads`, () => {
      const folder = install(`beside-${version}`, version)
      const copies = run("npm", ["ls", "effect", "--all", "--parseable", "--long"], folder)
        .split("\n").filter((line) => /node_modules\/effect:/.test(line))
      assert.strictEqual(copies.length, 1, `one copy of effect:\n${copies.join("\n")}`)
      assert.include(copies[0], `effect@${version}`)

      for (const specifier of specifiers.filter((each) => !each.endsWith(".json"))) {
        const program = `const loaded = await import(${
          JSON.stringify(specifier)
        }); process.stdout.write(JSON.stringify(Object.keys(loaded)))`
        const names: ReadonlyArray<string> = JSON.parse(
          run(process.execPath, ["--input-type=module", "-e", program], folder)
        )
        if (!["toolspan/auto", "toolspan/register"].includes(specifier)) assert.isAbove(names.length, 0, specifier)
      }
      const preloaded = run(process.execPath, [
        "--import",
        "toolspan/register",
        "-e",
        "process.stdout.write('the program')"
      ], folder)
      assert.strictEqual(preloaded, "the program")
      const command = spawnSync(path.join(folder, "node_modules/.bin/toolspan"), ["--help"], { encoding: "utf8" })
      if (version.startsWith("4.1.")) {
        assert.strictEqual(command.status, 0, command.stderr)
        assert.include(command.stdout, "toolspan")
      } else {
        // The command itself needs the newer effect: it says so, and how to run it all the same.
        assert.strictEqual(command.status, 2)
        assert.include(command.stderr, "needs effect 4.1")
      }
    })
  }
})
