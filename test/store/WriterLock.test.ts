import * as fs from "node:fs"
import * as path from "node:path"
import process from "node:process"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as SqliteStore from "../../src/store/SqliteStore.ts"
import * as WriterLock from "../../src/store/WriterLock.ts"
import { row } from "./rows.ts"
import { temporaryFolder } from "./temporaryFolder.ts"

const file = Effect.map(temporaryFolder, (folder) => path.join(folder, "new", "spans.db"))

describe("the lock of a store's file", () => {
  it.effect("is one writer's, who is named to the next, until its scope ends", () =>
    Effect.gen(function*() {
      const path = yield* file
      yield* Effect.scoped(Effect.gen(function*() {
        yield* WriterLock.take({ path })
        const error = yield* Effect.flip(Effect.scoped(WriterLock.take({ path })))
        assert.strictEqual(error._tag, "StoreKept")
        assert.strictEqual(
          error.message,
          `${path} is kept by another toolspan dev already (process ${process.pid}). `
            + "Use that one, stop it, or: toolspan dev --port 0 --data ./traces.db"
        )
      }))
      yield* WriterLock.take({ path })
    }))

  it.effect("is the same for every way to the file, a link to one that is not there yet included", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const real = path.join(folder, "spans.db")
      const link = path.join(folder, "link.db")
      fs.symlinkSync(real, link)
      fs.symlinkSync(folder, path.join(folder, "there"))
      yield* WriterLock.take({ path: link })
      for (const way of [real, link, path.join(folder, "there", "spans.db")]) {
        assert.strictEqual((yield* Effect.flip(Effect.scoped(WriterLock.take({ path: way }))))._tag, "StoreKept")
      }
      yield* WriterLock.take({ path: path.join(folder, "other.db") })
    }))

  it.effect("does not hinder readers or the writer itself", () =>
    Effect.gen(function*() {
      const path = yield* file
      yield* WriterLock.take({ path })
      const store = yield* SqliteStore.make({ path })
      yield* store.append([row(1)])
      const reader = yield* SqliteStore.makeReader({ path })
      assert.strictEqual((yield* reader.stats).spans, 1)
    }))

  it.effect("leaves nothing beside another program's file, and names it", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryFolder
      const theirs = path.join(folder, "theirs.db")
      const database = new DatabaseSync(theirs)
      database.exec("create table diary (day)")
      database.close()
      const error = yield* Effect.flip(Effect.scoped(WriterLock.take({ path: theirs })))
      assert.strictEqual(error._tag, "StoreCorrupt")
      assert.deepStrictEqual(fs.readdirSync(folder), ["theirs.db"])
    }))

  it.effect("that cannot be made is said, and hinders nobody", () =>
    Effect.gen(function*() {
      const path = yield* file
      fs.mkdirSync(`${path}.lock`, { recursive: true })
      const messages: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => {
        messages.push(String(message))
      })
      yield* Effect.provide(WriterLock.take({ path }), Logger.layer([logger]))
      assert.lengthOf(messages, 1)
      assert.match(messages[0]!, /cannot be locked .*would not be noticed/)
      assert.deepStrictEqual(fs.readdirSync(`${path}.lock`), [])
    }))
})
