import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpApiClient from "effect/http-api/HttpApiClient"
import * as DevServer from "../../src/cli/DevServer.ts"
import { api } from "../../src/query/api.ts"
import { TraceStore } from "../../src/store/TraceStore.ts"
import { plainCall } from "../query/CallFixture.ts"
import { send } from "../receive/client.ts"
import * as RemoteStore from "../store/RemoteStore.ts"
import * as TempoStandIn from "../store/TempoStandIn.ts"

it.effect("A question that a team's store does not answer is 501 and says why, the others are answered", () =>
  Effect.gen(function*() {
    const { push, url } = yield* TempoStandIn.make
    const store = Context.get(
      yield* RemoteStore.make(`tempo=${url}?hours=1000000`, (_, rows) => Effect.sync(() => push(rows))),
      TraceStore
    )
    yield* store.append(plainCall("t1"))
    const server = yield* DevServer.make({ store, port: 0, folder: "/nowhere" })
    const client = yield* HttpApiClient.make(api, { baseUrl: server.url }).pipe(Effect.provide(FetchHttpClient.layer))
    assert.deepInclude(yield* client.calls({ query: {} }), { total: 1 })
    assert.lengthOf((yield* client.story({ params: { key: "t1" }, query: {} })).stories, 1)
    const refused = yield* Effect.flip(client.stats())
    assert.strictEqual(refused._tag, "CannotAnswer")
    for (const path of ["/api/stats", "/api/live"]) {
      const { status, text } = yield* send(server.port, { method: "GET", path })
      assert.strictEqual(status, 501, path)
      const error = JSON.parse(text) as { readonly _tag: string; readonly reason: string; readonly instead: string }
      assert.strictEqual(error._tag, "CannotAnswer")
      assert.match(error.reason, /it does not/)
      assert.notStrictEqual(error.instead, "")
    }
  }))
