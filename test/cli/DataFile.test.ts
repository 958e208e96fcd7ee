import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { dataFile, dataFolder } from "../../src/cli/DataFile.ts"

describe("dataFolder", () => {
  it("is what TOOLSPAN_DATA says, else XDG_DATA_HOME, else the usual place", () => {
    const usual = join(homedir(), ".local", "share", "toolspan")
    assert.strictEqual(dataFolder({ TOOLSPAN_DATA: "/data/x", XDG_DATA_HOME: "/xdg" }), "/data/x")
    assert.strictEqual(dataFolder({ TOOLSPAN_DATA: "", XDG_DATA_HOME: "/xdg" }), "/xdg/toolspan")
    assert.strictEqual(dataFolder({ XDG_DATA_HOME: "relative" }), usual)
    assert.strictEqual(dataFolder({}), usual)
  })
})

describe("dataFile", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "toolspan-data-"))
    writeFileSync(join(folder, "no-extension"), "")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("is a file as it stands", () => {
    assert.strictEqual(dataFile(join(folder, "no-extension"), {}), join(folder, "no-extension"))
    assert.strictEqual(dataFile(join(folder, "new.db"), {}), join(folder, "new.db"))
    assert.strictEqual(dataFile(join(folder, "new.sqlite"), {}), join(folder, "new.sqlite"))
  })

  it("is traces.db in a folder, also in one that is not there yet", () => {
    assert.strictEqual(dataFile(folder, {}), join(folder, "traces.db"))
    assert.strictEqual(dataFile(join(folder, "new"), {}), join(folder, "new", "traces.db"))
    assert.strictEqual(dataFile(`${join(folder, "new.db")}/`, {}), join(folder, "new.db", "traces.db"))
    assert.strictEqual(dataFile(undefined, { TOOLSPAN_DATA: folder }), join(folder, "traces.db"))
  })
})
