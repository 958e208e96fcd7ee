import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { toolspan } from "../../src/cli/ToolspanCommand.ts"
import { faultKinds } from "../../src/query/CallSearch.ts"
import { run, temporaryFolder } from "./CommandProcess.ts"

const scriptFor = async (shell: string): Promise<string> => {
  const { code, err, out } = await run(["--completions", shell])
  assert.deepStrictEqual([code, err], [0, ""])
  return out
}

const names = toolspan.subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

describe("bash", { timeout: 60_000 }, () => {
  let script = ""
  beforeAll(async () => {
    script = await scriptFor("bash")
  }, 60_000)

  /** What bash offers after these words, of which the last one is being written. */
  const offered = (words: ReadonlyArray<string>, folder = "/"): ReadonlyArray<string> => {
    const ask = `
      complete -p toolspan > /dev/null || exit 1
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=\${#COMP_LINE} COMPREPLY=()
      _toolspan toolspan "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const { status, stderr, stdout } = spawnSync(
      "bash",
      ["--noprofile", "--norc", "-c", `${script}\n${ask}`, "bash", ...words],
      { encoding: "utf8", cwd: folder }
    )
    assert.deepStrictEqual([status, stderr], [0, ""])
    return stdout.trim() === "" ? [] : stdout.trim().split("\n")
  }

  it("offers every command", () => {
    assert.sameMembers([...offered(["toolspan", ""])], names)
    assert.deepStrictEqual(offered(["toolspan", "ta"]), ["tail"])
  })

  it("offers the flags of a command, and not one that was given", () => {
    assert.includeMembers([...offered(["toolspan", "find", "--"])], [
      "--tool",
      "--since",
      "--all",
      "--json",
      "--cursor"
    ])
    assert.notInclude(offered(["toolspan", "find", "--json", "--"]), "--json")
    assert.include(offered(["toolspan", "export", "--o"]), "--output")
  })

  it("offers the values that a flag may have", () => {
    assert.deepStrictEqual(offered(["toolspan", "find", "--state", "p"]), ["pending"])
    assert.sameMembers([...offered(["toolspan", "tail", "--violation", ""])], [...faultKinds])
  })

  it("offers files where a file is wanted", () => {
    using folder = temporaryFolder()
    mkdirSync(join(folder.path, "data folder"))
    writeFileSync(join(folder.path, "traces.db"), "")
    assert.deepStrictEqual(offered(["toolspan", "find", "--data", "tr"], folder.path), ["traces.db"])
    assert.deepStrictEqual(offered(["toolspan", "mcp", "--data", "da"], folder.path), ["data\\ folder"])
    assert.deepStrictEqual(offered(["toolspan", "check", "tr"], folder.path), ["traces.db"])
  })
})

describe("other shells", { timeout: 60_000 }, () => {
  for (const shell of ["zsh", "fish", "powershell"]) {
    it(`get a script that names every command and its flags: ${shell}`, async () => {
      const script = await scriptFor(shell)
      for (const name of [...names, "violation", "cursor", "duplicate_execution"]) assert.include(script, name)
    })
  }

  it("are refused by name when there is none for them", async () => {
    const { code, err } = await run(["--completions", "tcsh"])
    assert.strictEqual(code, 2)
    assert.match(err, /"bash" \| "zsh" \| "fish"/)
  })
})
