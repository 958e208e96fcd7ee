import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { createServer } from "node:net"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { AddressInfo } from "node:net"
import { Story } from "../../src/query/Story.ts"
import { ToolCall } from "../../src/query/ToolCall.ts"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import { approvedCall, plainCall } from "../query/CallFixture.ts"
import { otlpJson, traceId } from "../query/SpanBuilder.ts"
import { dev, main, post, run, runForHead, runInto, runOnTerminal, temporaryFolder } from "./CommandProcess.ts"

const lines = (text: string) => text.trimEnd().split("\n")

const digest = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex")

const hostileId = "evil\u001b[31m\u202e\u009b2J\u0007"

describe("a stored file", { timeout: 60_000 }, () => {
  const folder = temporaryFolder()
  const environment = { TOOLSPAN_DATA: folder.path }

  beforeAll(async () => {
    await using receiver = await dev(["--port", "0"], environment)
    assert.strictEqual(
      await post(
        receiver.url,
        otlpJson([
          ...approvedCall("toolu_01SendMail", { conversation: "demo" }),
          ...plainCall("call_0", { tool: "weather", at: 1000 }),
          ...plainCall("call_0", { tool: "calendar", a: "c", b: "d", at: 2000, outcome: "failure" }),
          ...plainCall(hostileId, { tool: "\u001b]0;title\u0007", a: "e", b: "f", at: 3000 })
        ])
      ),
      200
    )
    assert.strictEqual((await receiver.stop()).code, 0)
  }, 30_000)
  afterAll(() => folder[Symbol.dispose]())

  it("is searched with filters that all must hold", async () => {
    const { code, out } = await run(["find", "--tool", "calendar", "--outcome", "failure"], environment)
    assert.strictEqual(code, 0)
    assert.lengthOf(lines(out), 2)
    assert.match(out, /call_0 +calendar +- +failure 180 ms/)
    const none = await run(["find", "--tool", "calendar", "--outcome", "success"], environment)
    assert.strictEqual(none.code, 1)
    assert.strictEqual(none.out, "")
    assert.match(none.err, /^There is no tool call with tool calendar, outcome success in .*traces\.db\n$/)
  })

  it("gives one JSON object a line that the schema describes", async () => {
    const { code, out } = await run(["find", "--json"], environment)
    assert.strictEqual(code, 0)
    const calls = lines(out).map((line) => Schema.decodeUnknownSync(ToolCall)(JSON.parse(line)))
    assert.deepStrictEqual(calls.map(({ id }) => id), [hostileId, "call_0", "call_0", "toolu_01SendMail"])
    const limited = await run(["find", "--json", "--limit", "1"], environment)
    assert.lengthOf(lines(limited.out), 1)
  })

  it("tells a story over both traces", async () => {
    const { code, err, out } = await run(["show", "toolu_01SendMail"], environment)
    assert.strictEqual(code, 0)
    assert.strictEqual(err, "")
    assert.match(out, /^send_email · approved · success\n/)
    assert.match(out, /a human approved it after 42\.3 s/)
    assert.include(out, traceId("ask"))
    assert.include(out, traceId("go"))
  })

  it("tells a story as JSON that the schema describes", async () => {
    const { out } = await run(["show", "toolu_01SendMail", "--json"], environment)
    const story = Schema.decodeUnknownSync(Story)(JSON.parse(out))
    assert.strictEqual(story.call.approvalWaitMillis, 42_300)
    assert.deepStrictEqual(story.traces.map((trace) => trace.traceId), [traceId("ask"), traceId("go")])
  })

  it("tells every call that has the id, and says when it leaves some out", async () => {
    const both = await run(["show", "call_0"], environment)
    assert.match(both.out, /^2 calls have this id/)
    assert.match(both.out, /\ncalendar · failure\n[^]*\nweather · success\n/)
    const one = await run(["show", "call_0", "--limit", "1"], environment)
    assert.notMatch(one.out, /weather/)
    assert.match(one.err, /--limit shows more/)
  })

  it("shows hostile text inert, as text, as JSON and in messages", async () => {
    for (
      const args of [["find"], ["find", "--json"], ["show", hostileId], ["show", hostileId, "--json"], [
        "show",
        `${hostileId}x`
      ]]
    ) {
      const { err, out } = await run(args, environment)
      assert.include(out + err, "evil")
      assert.notMatch((out + err).replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u)
    }
  })

  it("has colours where they are forced, and never with NO_COLOR", async () => {
    const coloured = await run(["show", "call_0"], { ...environment, FORCE_COLOR: "1" })
    assert.include(coloured.out, "\u001b[")
    const both = await run(["find"], { ...environment, NO_COLOR: "1", FORCE_COLOR: "1" })
    assert.notInclude(both.err, "ignored")
    for (
      const extra of [{}, { FORCE_COLOR: "0" }, { NO_COLOR: "1" }, { NO_COLOR: "1", FORCE_COLOR: "1" }, {
        TERM: "dumb"
      }]
    ) {
      assert.notInclude((await run(["show", "call_0"], { ...environment, ...extra })).out, "\u001b")
    }
  })

  it.runIf(process.platform === "linux")(
    "has colours and the width of a terminal there, and no colours in JSON",
    async () => {
      const shown = await runOnTerminal(60, ["show", "toolu_01SendMail"], environment)
      assert.strictEqual(shown.code, 0)
      assert.include(shown.out, "\u001b[")
      // oxlint-disable-next-line no-control-regex
      const plain = shown.out.replaceAll(/\u001b\[\d+m|\r/g, "")
      assert.strictEqual(Math.max(...lines(plain).map((line) => line.length)), 60)
      assert.notInclude(plain, "\u001b")
      for (const extra of [{ NO_COLOR: "1" }, { FORCE_COLOR: "0" }, { TERM: "dumb" }]) {
        const { out } = await runOnTerminal(60, ["show", "call_0"], { ...environment, ...extra })
        assert.notInclude(out, "\u001b")
      }
      const json = await runOnTerminal(60, ["find", "--json", "--limit", "1"], environment)
      assert.typeOf(JSON.parse(json.out.split("\r\n")[0]!), "object")
    }
  )

  it("is shown as wide as COLUMNS says, else 80", async () => {
    const widest = async (extra: Record<string, string>) => {
      const { out } = await run(["show", "toolu_01SendMail"], { ...environment, ...extra })
      return Math.max(...lines(out).map((line) => line.length))
    }
    assert.strictEqual(await widest({}), 80)
    assert.strictEqual(await widest({ COLUMNS: "120" }), 120)
    assert.isAtMost(await widest({ COLUMNS: "50" }), 50)
    assert.strictEqual(await widest({ COLUMNS: "nonsense" }), 80)
  })

  it("is read without complaint by a reader that leaves early", async () => {
    const { code, err } = await runForHead(["find", "--json"], environment)
    assert.deepStrictEqual([code, err], [0, ""])
  })

  it("of many calls says nothing of those that no reader wants any more", async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, "traces.db")
    const calls = Array.from({ length: 3_000 }, (_, index) => plainCall(`t${index}`, { a: `a${index}`, at: index }))
    await Effect.runPromise(
      SqliteStore.make({ path }).pipe(Effect.flatMap((store) => store.append(calls.flat())), Effect.scoped)
    )
    for (const args of [["find", "--all"], ["find", "--all", "--json"], ["export"]]) {
      const { code, err } = await runForHead([...args, "--data", path])
      assert.deepStrictEqual([code, err], [0, ""], args.join(" "))
    }
  })

  for (
    const args of [["find"], ["find", "--json"], ["show", "call_0"], ["export"], ["--help"], ["--completions", "fish"]]
  ) {
    it(`ends with 2 and a sentence where its output cannot be written: ${args.join(" ")}`, async () => {
      const { code, err } = await runInto("/dev/full", args, environment)
      assert.deepStrictEqual([code, err], [2, "Standard output cannot be written: no space left on device\n"])
    })
  }

  it("is answered where nothing can be said about it", async () => {
    const { code, out } = await runInto("/dev/full", ["find", "--limit", "1"], environment, "err")
    assert.deepStrictEqual([code, lines(out).length], [0, 2])
    assert.strictEqual((await runInto("/dev/full", ["show", "nothing"], environment, "err")).code, 1)
    assert.strictEqual((await runInto("/dev/full", ["find", "--nope"], environment, "err")).code, 2)
  })

  it("is not changed by find and show", async () => {
    const file = join(folder.path, "traces.db")
    const before = digest(file)
    await run(["find"], environment)
    await run(["show", "call_0"], environment)
    assert.strictEqual(digest(file), before)
  })
})

describe("dev", { timeout: 60_000 }, () => {
  it("says where it listens, where it keeps spans and how an app connects, and answers while it runs", async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, "my traces.db")
    await using receiver = await dev(["--port", "0", "--data", data])
    assert.match(
      receiver.welcome,
      new RegExp(`listens on ${receiver.url}/v1/traces\nand keeps what it gets in ${data}\n`)
    )
    assert.include(
      receiver.welcome,
      `OTEL_EXPORTER_OTLP_ENDPOINT=${receiver.url} node --import toolspan/register app.js`
    )
    assert.include(receiver.welcome, `toolspan find --data '${data}'`)
    assert.strictEqual((await run(["find", "--data", data])).code, 1)
    assert.strictEqual(await post(receiver.url, otlpJson(plainCall("t1"))), 200)
    assert.match((await run(["find", "--data", data])).out, /t1 +weather/)
  })

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`stops well on ${signal}`, async () => {
      using folder = temporaryFolder()
      await using receiver = await dev(["--port", "0", "--data", folder.path])
      const { code, err, out } = await receiver.stop(signal)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.match(out, /Stopped\. What was taken is kept\.\n$/)
    })
  }

  it("keeps what it acknowledged when it is killed", async () => {
    using folder = temporaryFolder()
    await using receiver = await dev(["--port", "0", "--data", folder.path])
    assert.strictEqual(await post(receiver.url, otlpJson(plainCall("t1"))), 200)
    await receiver.stop("SIGKILL")
    assert.strictEqual((await run(["show", "t1", "--data", folder.path])).code, 0)
  })

  it("says so when the port is in use, and how to choose another", async () => {
    using folder = temporaryFolder()
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const { code, err, out } = await run(["dev", "--port", String(port), "--data", folder.path])
    server.close()
    assert.deepStrictEqual([code, out], [2, ""])
    assert.match(err, new RegExp(`^Port ${port} is in use by .*--port`))
    assert.notMatch(err, /\n +at /)
  })

  it("writes nothing outside of its data folder", async () => {
    using folder = temporaryFolder()
    const home = join(folder.path, "home")
    mkdirSync(home)
    const environment = { HOME: home, TMPDIR: home }
    await using receiver = await dev(["--port", "0"], environment)
    assert.strictEqual(await post(receiver.url, otlpJson(plainCall("t1"))), 200)
    await receiver.stop()
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const kept = join(home, ".local", "share", "toolspan")
    assert.deepStrictEqual([...new Set(files.map((file) => file.parentPath))], [kept])
    assert.include(files.map((file) => file.name), "traces.db")
  })
})

describe("bad data files", { timeout: 60_000 }, () => {
  const commands = [["find"], ["show", "t1"], ["dev", "--port", "0"]]

  const refused = async (file: string, args: ReadonlyArray<string>) => {
    const before = existsSync(file) ? digest(file) : undefined
    const { code, err, out } = await run([...args, "--data", file])
    assert.deepStrictEqual([code, out], [2, ""], args.join(" "))
    assert.include(err, file)
    assert.notMatch(err, /\n +at /)
    assert.strictEqual(existsSync(file) ? digest(file) : undefined, before)
    return err
  }

  it("that are no database are left alone", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    writeFileSync(file, "this is somebody's diary ".repeat(100))
    for (const args of commands) {
      assert.match(await refused(file, args), /not a SQLite database\. Choose another file, or move this one away/)
    }
    assert.deepStrictEqual(readdirSync(folder.path), ["traces.db"])
  })

  it("that are damaged are set aside by dev, which says so and goes on", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    await (await dev(["--port", "0", "--data", file])).stop()
    writeFileSync(file, "this was a data file ".repeat(100))
    const before = digest(file)
    for (const args of [["find"], ["show", "t1"]]) assert.match(await refused(file, args), /dev. sets it aside/)
    await using receiver = await dev(["--port", "0", "--data", file])
    assert.match(receiver.welcome, /is damaged .* was set aside as .*traces\.db\.corrupt-/s)
    const aside = readdirSync(folder.path).filter((name) => name.includes(".corrupt-"))
    assert.deepStrictEqual(aside.map((name) => digest(join(folder.path, name))), [before])
  })

  it("of a newer toolspan are left alone", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    await using receiver = await dev(["--port", "0", "--data", file])
    await receiver.stop()
    const database = new DatabaseSync(file)
    database.exec("pragma user_version = 99; pragma journal_mode = delete")
    database.close()
    for (const args of commands) assert.match(await refused(file, args), /version 99.*update toolspan/)
  })

  it("that are not there are not made by find and show", async () => {
    using folder = temporaryFolder()
    for (const args of [["find"], ["show", "t1"]]) {
      assert.match(await refused(join(folder.path, "traces.db"), args), /There is no store .* start `toolspan dev`/)
    }
  })

  it("in a path that cannot be are told without a stack", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "file")
    writeFileSync(file, "")
    for (const args of commands) await refused(join(file, "traces.db"), args)
  })
})

describe("wrong use", { timeout: 60_000 }, () => {
  for (
    const args of [
      ["show"],
      ["show", "a", "b"],
      ["find", "--state", "party"],
      ["find", "--limit", "0"],
      ["find", "--limit", "many"],
      ["find", "--nope"],
      ["dev", "--port", "65536"],
      ["frobnicate"],
      ["find", "--id"]
    ]
  ) {
    it(`ends with 2 and a hint: ${args.join(" ")}`, async () => {
      const { code, err, out } = await run(args)
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, /See toolspan.* --help\n$/)
      assert.notMatch(err, /\n +at /)
    })
  }

  it("of a Node that is too old is told before anything else", async () => {
    const older = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'20.19.0'})"
    const { code, err, out } = await run(["find"], {}, ["--import", older])
    assert.deepStrictEqual([code, out], [2, ""])
    assert.match(err, /^toolspan needs Node 22\.15 or newer, this is Node 20\.19\.0\..*\n$/)
  })

  it("beside an older effect, or none, is told before anything else", async () => {
    using folder = temporaryFolder()
    for (const name of ["main.ts", "Requirement.ts"]) cpSync(join(dirname(main), name), join(folder.path, name))
    writeFileSync(join(folder.path, "package.json"), "{\"type\":\"module\"}")
    const start = () => run([], {}, [join(folder.path, "main.ts")])
    const none = await start()
    assert.deepStrictEqual([none.code, none.out], [2, ""])
    assert.match(none.err, /^toolspan needs the package effect.*\n$/)
    mkdirSync(join(folder.path, "node_modules", "effect"), { recursive: true })
    writeFileSync(join(folder.path, "node_modules", "effect", "package.json"), "{\"version\":\"4.0.0-rc.112\"}")
    const older = await start()
    assert.deepStrictEqual([older.code, older.out], [2, ""])
    assert.match(older.err, /^The toolspan command needs effect 4\.1 .* 4\.0\.0-rc\.112.*\n$/)
  })
})

describe("help", { timeout: 60_000 }, () => {
  for (const args of [["--help"], ["find", "--help"], ["show", "-h"], ["dev", "--help"]]) {
    it(`is given for ${args.join(" ")}`, async () => {
      const { code, err, out } = await run(args)
      assert.deepStrictEqual([code, err], [0, ""])
      assert.match(out, /USAGE\n {2}toolspan/)
    })
  }

  it("names every command when none is given, which is a wrong use", async () => {
    const { code, out } = await run([])
    assert.strictEqual(code, 2)
    for (const name of ["dev", "find", "show"]) assert.match(out, new RegExp(`\n  ${name} `))
  })

  it("tells the version of the package", async () => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    assert.strictEqual((await run(["--version"])).out, `toolspan v${version}\n`)
  })

  it("writes completions for a shell", async () => {
    const { code, out } = await run(["--completions", "bash"])
    assert.strictEqual(code, 0)
    assert.include(out, "show")
  })
})
