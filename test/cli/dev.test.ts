import { existsSync, rmSync, statSync, symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { plainCall } from "../query/CallFixture.ts"
import { otlpJson } from "../query/SpanBuilder.ts"
import { dev, run, temporaryFolder } from "./CommandProcess.ts"

const token = "0123456789abcdef-the-token"

const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: otlpJson(plainCall("t1"))
  })

describe("dev", { timeout: 30_000 }, () => {
  it("says how much it keeps unless told otherwise", async () => {
    using folder = temporaryFolder()
    await using receiver = await dev(["--port", "0", "--data", folder.path], { TOOLSPAN_MAX_AGE: undefined })
    assert.include(receiver.welcome, "\nup to 1 GiB, for 7 days; then what came first makes room.\n")
  })

  it("listens where exporters send to unless told otherwise, or says who has that port", async () => {
    using folder = temporaryFolder()
    const outcome = await dev(["--data", folder.path]).catch((error: Error) => error)
    if (outcome instanceof Error) return assert.match(outcome.message, /^dev ended with 2: Port 4318 is in use by /)
    await using receiver = outcome
    assert.strictEqual(receiver.url, "http://127.0.0.1:4318")
    assert.include(receiver.welcome, "\n  node --import toolspan/register app.js\n")
    assert.strictEqual((await post(receiver.url)).status, 200)
  })

  it("serves what it has taken at the address that it names", async () => {
    using folder = temporaryFolder()
    await using receiver = await dev(["--port", "0", "--data", folder.path])
    assert.include(receiver.welcome, `Look at ${receiver.url}\n`)
    assert.strictEqual((await post(receiver.url)).status, 200)
    const page = await (await fetch(`${receiver.url}/api/calls`)).json() as { readonly total: number }
    assert.strictEqual(page.total, 1)
    assert.strictEqual((await fetch(`${receiver.url}/openapi.json`)).status, 200)
    const other = { origin: "http://localhost:3000" }
    assert.strictEqual((await post(receiver.url, other)).status, 403)
  })

  it("is the only one on its file, until it ends in whatever way", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    const link = join(folder.path, "link.db")
    symlinkSync(file, link)
    await using first = await dev(["--port", "0", "--data", folder.path])
    assert.strictEqual((await post(first.url)).status, 200)
    for (const data of [folder.path, file, link]) {
      const { code, err, out } = await run(["dev", "--port", "0", "--data", data])
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(
        err,
        /(traces|link)\.db is kept by another toolspan dev already \(process \d+\)\. Use that one, stop it, or: toolspan dev --port 0 --data \.\/traces\.db\n$/
      )
    }
    assert.strictEqual((await run(["find", "--data", folder.path])).code, 0)
    await first.stop("SIGKILL")
    await using second = await dev(["--port", "0", "--data", link])
    const page = await (await fetch(`${second.url}/api/calls`)).json() as { readonly total: number }
    assert.strictEqual(page.total, 1)
  })

  it("has what it acknowledged when its log is deleted, and it is killed a moment later", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    await using receiver = await dev(["--port", "0", "--data", file])
    assert.strictEqual((await post(receiver.url)).status, 200)
    rmSync(`${file}-wal`)
    rmSync(`${file}-shm`)
    // The look of each second finds it; nothing is asked of the server meanwhile.
    while (!existsSync(`${file}-wal`)) await new Promise((resolve) => setTimeout(resolve, 20))
    const { out } = await receiver.stop("SIGKILL")
    assert.lengthOf(out.match(/The log of .*traces\.db was deleted while it was open: nothing is lost/g) ?? [], 1)
    const found = await run(["find", "--data", file, "--json"])
    assert.strictEqual(found.code, 0)
    assert.include(found.out, "\"t1\"")
  })

  it("says once that its file was cut while it ran, sets it aside, and takes what comes", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    await (await dev(["--port", "0", "--data", file])).stop()
    await using receiver = await dev(["--port", "0", "--data", file])
    assert.strictEqual((await post(receiver.url)).status, 200)
    truncateSync(file, 5_000)
    assert.strictEqual((await post(receiver.url)).status, 200)
    const page = await (await fetch(`${receiver.url}/api/calls`)).json() as { readonly total: number }
    assert.strictEqual(page.total, 1)
    const { code, err, out } = await receiver.stop()
    assert.deepStrictEqual([code, err], [0, ""])
    const told = out.match(
      /traces\.db is damaged \(it, or its log, was cut while it was open\)\. It was set aside as (.*),/
    )
    assert.strictEqual(out.split("is damaged").length, 2)
    assert.strictEqual(statSync(told![1]!).size, 5_000)
    assert.isTrue(existsSync(`${told![1]}-wal`))
  })

  it("keeps within the limits that it is given", async () => {
    using folder = temporaryFolder()
    const limits = ["--max-size", "2MiB", "--max-age", "12h"]
    await using receiver = await dev(["--port", "0", "--data", folder.path, ...limits])
    assert.include(receiver.welcome, "\nup to 2 MiB, for 12 hours; then what came first makes room.\n")
    assert.strictEqual((await post(receiver.url)).status, 200)
    // The fixture's calls are of a March long ago: the first sweep takes them.
    for (;;) {
      const { dropped } = await (await fetch(`${receiver.url}/api/stats`)).json() as {
        readonly dropped: { readonly calls: number }
      }
      if (dropped.calls === 1) break
    }
  })

  it("takes limits and token from the environment", async () => {
    using folder = temporaryFolder()
    const environment = { TOOLSPAN_MAX_SIZE: "none", TOOLSPAN_MAX_AGE: "none", TOOLSPAN_TOKEN: token }
    await using receiver = await dev(["--port", "0", "--data", folder.path], environment)
    assert.include(receiver.welcome, "\nwithout a limit.\n")
    assert.include(receiver.welcome, "OTEL_EXPORTER_OTLP_HEADERS=")
    assert.notInclude(receiver.welcome, token)
    assert.strictEqual((await post(receiver.url)).status, 401)
    assert.strictEqual((await post(receiver.url, { authorization: `Bearer ${token}` })).status, 200)
  })

  it("lets pages of other ports in when it is told to", async () => {
    using folder = temporaryFolder()
    await using receiver = await dev(["--port", "0", "--data", folder.path, "--cors"])
    const answer = await post(receiver.url, { origin: "http://localhost:3000" })
    assert.strictEqual(answer.headers.get("access-control-allow-origin"), "http://localhost:3000")
  })

  it("does not start for other machines without a token, and says what to do", async () => {
    using folder = temporaryFolder()
    const { code, err, out } = await run(["dev", "--host", "0.0.0.0", "--port", "0", "--data", folder.path])
    assert.deepStrictEqual([code, out], [2, ""])
    assert.match(err, /^Other machines reach 0\.0\.0\.0, .*TOOLSPAN_TOKEN.*--host away\n$/)
  })

  it("does not start with a token that can be guessed, and does not print it", async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, "traces.db")
    for (const wrong of ["secret", "with a space in the middle", "ümlaut-ümlaut-ümlaut"]) {
      const { code, err, out } = await run(["dev", "--port", "0", "--data", file], { TOOLSPAN_TOKEN: wrong })
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, /16 to 256 characters/)
      assert.notInclude(err, wrong)
    }
    assert.isFalse(existsSync(file))
  })

  for (const flags of [["--max-size", "1KB"], ["--max-age", "soon"], ["--host", "a b"], ["--host", ""]]) {
    it(`says what is wrong with ${flags.join(" ")}`, async () => {
      const { code, err, out } = await run(["dev", "--port", "0", ...flags])
      assert.deepStrictEqual([code, out], [2, ""])
      assert.match(err, new RegExp(`${flags[0]}.*Expected`))
    })
  }
})
