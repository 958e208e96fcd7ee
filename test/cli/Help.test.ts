import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Column from "../../src/cli/Column.ts"
import { toolspan } from "../../src/cli/ToolspanCommand.ts"
import { command } from "./CommandRun.ts"

const commands = toolspan.subcommands.flatMap(({ commands }) => commands)

const helpOf = async (name: string): Promise<string> => {
  const { code, err, out } = await Effect.runPromise(command([name, "--help"], { width: 1000 }))
  assert.deepStrictEqual([code, err], [0, []])
  return out.join("\n")
}

describe("help", () => {
  it("lists every command with a line about it", async () => {
    const { code, out } = await Effect.runPromise(command(["--help"]))
    assert.strictEqual(code, 0)
    for (const { name } of commands) assert.match(out.join("\n"), new RegExp(`\\n  ${name} {2,}[A-Z]`))
    assert.isAtLeast(commands.length, 8)
  })

  it("keeps to the width, all but the examples, and leaves no word out", async () => {
    for (const { name } of commands) {
      const words = async (width: number) => {
        const { out } = await Effect.runPromise(command([name, "--help"], { width }))
        const text = out.slice(0, out.indexOf("EXAMPLES"))
        return { text, words: text.join(" ").split(/ +/) }
      }
      const whole = await words(1000)
      for (const width of [40, 59, 80, 100, 120]) {
        const narrow = await words(width)
        assert.deepStrictEqual(narrow.words, whole.words)
        // The longest name takes 50 columns; names are not broken.
        if (width >= 50) { for (const line of narrow.text) assert.isAtMost(Column.widthOf(line), width, line) }
      }
    }
  })

  for (const { examples, name } of commands) {
    it(`tells what ${name} does, its exit codes, and examples that have its flags`, async () => {
      const help = await helpOf(name)
      assert.match(help, new RegExp(`USAGE\\n  toolspan ${name}`))
      assert.match(help, /^DESCRIPTION\n[^]*Exit code[^]*USAGE/)
      assert.isAtLeast(examples.length, 2)
      for (const { command, description } of examples) {
        assert.include(help, `# ${description}`)
        assert.include(command, `toolspan ${name}`)
        const own = command.split(/ (?:--|\|) /, 1)[0]!
        for (const [flag] of own.matchAll(/(?<= )--[a-z-]+/g)) {
          assert.match(help, new RegExp(`\\n  (?:--\\S+, )*${flag}\\b`), command)
        }
      }
    })

    it(`says nothing of ${name} that has no words`, async () => {
      const flags = (await helpOf(name)).split("\nGLOBAL FLAGS")[0]!.split("\nFLAGS\n")[1] ?? ""
      for (const line of flags.split("\n")) {
        assert.match(`${line}  `, /^$|^ {2}$|^ {2}\S+.* {2,}[A-Z]|^EXAMPLES|^ARGUMENTS/)
      }
    })
  }
})
