import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SpanRow } from "../../src/otlp/SpanRow.ts"
import { type CallFilter, ListedCall } from "../../src/query/CallSearch.ts"
import { present } from "../../src/query/Fact.ts"
import * as Query from "../../src/query/Query.ts"
import { Story } from "../../src/query/Story.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { approvedCall, callValues, plainCall, turn } from "./CallFixture.ts"
import { origin, spanId, spanRow, traceId } from "./SpanBuilder.ts"

const ask = Effect.fn(function*(rows: ReadonlyArray<SpanRow>) {
  const store = MemoryStore.make()
  yield* store.append(rows)
  return Query.make(store)
})

const violation = (kind: string, key: string, at: number) => ({
  name: "toolspan.violation",
  at,
  attributes: {
    [Attribute.toolspanViolationKind]: kind,
    [Attribute.toolspanViolationScope]: "conversation",
    [Attribute.genAiToolCallId]: key,
    [Attribute.toolspanCallKey]: key
  }
})

describe("story", () => {
  for (const linkForm of ["both", "link", "twin"] as const) {
    it.effect(`tells an approved call over both of its traces (${linkForm})`, () =>
      Effect.gen(function*() {
        const query = yield* ask(approvedCall("t1", { linkForm, conversation: "demo" }))
        const { more, stories } = yield* query.story("t1", 20)
        assert.isFalse(more)
        assert.lengthOf(stories, 1)
        const [story] = stories
        assert.deepStrictEqual(story!.call, {
          key: "t1",
          id: "t1",
          tool: "send_email",
          known: true,
          providerExecuted: false,
          conversation: "demo",
          services: ["assistant"],
          state: "approved",
          outcome: "success",
          origin: "handler",
          model: "claude-x",
          decidedAt: origin,
          startedAt: origin - 210_000_000n,
          endedAt: origin + 42_494_000_000n,
          approvalWaitMillis: 42_300,
          executionMillis: 183.4,
          executions: 1,
          traces: [traceId("ask"), traceId("go")]
        })
        const [decision] = story!.decisions
        assert.strictEqual(decision?.provider, "anthropic")
        assert.strictEqual(decision?.paramsDeltas, 12)
        assert.strictEqual(decision?.chat?.spanId, spanId("ask/chat"))
        assert.strictEqual(decision?.turn?.name, "LanguageModel.generateText")
        assert.deepStrictEqual(story!.approvals.map(({ event, waitMillis }) => [event, waitMillis]), [
          ["requested", undefined],
          ["resolved", 42_300]
        ])
        assert.deepStrictEqual(story!.executions.map(({ inside, outcome, turn }) => [inside, outcome, turn?.spanId]), [
          [3, "success", spanId("go/turn")]
        ])
        assert.deepStrictEqual(story!.consumers.map(({ model, span }) => [span.spanId, model]), [
          [spanId("go/chat"), "claude-x"]
        ])
        assert.deepStrictEqual(story!.traces.map((trace) => trace.spans.map(({ depth, role }) => `${depth} ${role}`)), [
          ["0 turn", "1 chat", "2 decision", "1 approval"],
          ["0 turn", "1 approval", "1 execution", "2 inside", "2 inside", "3 inside", "1 result", "1 consumer"]
        ])
      }))
  }

  it.effect("is the same when it is asked for by key", () =>
    Effect.gen(function*() {
      const rows = approvedCall("t1", { conversation: "demo" }).map((row) => ({
        ...row,
        attributes: row.attributes.map((attribute) =>
          attribute.key === Attribute.toolspanCallKey ? { ...attribute, value: "t1#2" } : attribute
        )
      }))
      const query = yield* ask(rows)
      const byKey = yield* query.story("t1#2", 20)
      assert.lengthOf(byKey.stories, 1)
      assert.deepStrictEqual(byKey, yield* query.story("t1", 20))
    }))

  it.effect("finds the turn that used the result in a trace that nothing else of the call is in", () =>
    Effect.gen(function*() {
      const query = yield* ask(plainCall("t1"))
      const { stories } = yield* query.story("t1", 20)
      assert.deepStrictEqual(stories[0]!.traces.map((trace) => trace.traceId), [traceId("a"), traceId("b")])
      assert.deepStrictEqual(stories[0]!.consumers.map(({ span }) => span.spanId), [spanId("b/chat")])
    }))

  it.effect("tells calls that only share an id apart, the newest first, and says when there are more", () =>
    Effect.gen(function*() {
      const query = yield* ask([
        ...plainCall("call_0"),
        ...plainCall("call_0", { a: "c", b: "d", at: 60_000, tool: "calendar" })
      ])
      const all = yield* query.story("call_0", 20)
      assert.deepStrictEqual(all.stories.map(({ call }) => call.tool), ["calendar", "weather"])
      assert.isFalse(all.more)
      const one = yield* query.story("call_0", 1)
      assert.deepStrictEqual(one.stories.map(({ call }) => call.tool), ["calendar"])
      assert.isTrue(one.more)
    }))

  it.effect("has nothing to tell of an unknown id, a prefix, or another case", () =>
    Effect.gen(function*() {
      const query = yield* ask(plainCall("call_0"))
      for (const id of ["call_", "CALL_0", "call_0 ", "", "%", "call\\_0"]) {
        assert.deepStrictEqual(yield* query.story(id, 20), { stories: [], more: false })
      }
    }))

  it.effect("leaves the other spans of a trace out and counts them", () =>
    Effect.gen(function*() {
      const other = spanRow({ label: "a/other", parent: "a/turn", name: "something else", at: 0, took: 5 })
      const query = yield* ask([...plainCall("t1"), other])
      const { stories } = yield* query.story("t1", 20)
      assert.deepStrictEqual(stories[0]!.traces.map((trace) => trace.hidden), [1, 0])
    }))

  it.effect("is told of a call whose decision and whose parents never arrived", () =>
    Effect.gen(function*() {
      const rows = plainCall("t1").filter(({ name }) =>
        name.startsWith("execute_tool") || name.startsWith("tool_result")
      )
      const { stories } = yield* (yield* ask(rows)).story("t1", 20)
      assert.deepStrictEqual(
        stories.map(({ decisions, executions, results }) => [decisions.length, executions.length, results.length]),
        [[0, 1, 1]]
      )
      assert.strictEqual(stories[0]!.call.model, undefined)
    }))

  it.effect("ends where the parents of a trace run in a circle", () =>
    Effect.gen(function*() {
      const attributes = { ...callValues("t1", "weather"), [Attribute.toolspanStage]: "execution" }
      const query = yield* ask([
        spanRow({ label: "a/one", parent: "a/two", name: "execute_tool weather", at: 0, attributes }),
        spanRow({ label: "a/two", parent: "a/one", name: "loop", at: 0 }),
        spanRow({ label: "a/self", parent: "a/self", name: "self", at: 0, attributes })
      ])
      const { stories } = yield* query.story("t1", 20)
      assert.deepStrictEqual(stories.flatMap((story) => story.traces.flatMap((trace) => trace.spans)).length, 3)
    }))

  it.effect("is JSON that its schema reads back", () =>
    Effect.gen(function*() {
      const query = yield* ask(approvedCall("t1", { chatEvents: [violation("duplicate_result", "t1", 42_507)] }))
      const { stories } = yield* query.story("t1", 20)
      const json = JSON.stringify(yield* Schema.encodeEffect(Story)(stories[0]!))
      assert.deepStrictEqual(yield* Schema.decodeUnknownEffect(Story)(JSON.parse(json)), stories[0])
    }))
})

describe("violations of a story", () => {
  it.effect("are those that its own turns report of it, in the order of time", () =>
    Effect.gen(function*() {
      const query = yield* ask(approvedCall("t1", {
        chatEvents: [
          violation("renamed_tool", "t1", 42_600),
          violation("duplicate_result", "t1", 42_510),
          violation("orphan_result", "t9", 42_511)
        ]
      }))
      const { stories } = yield* query.story("t1", 20)
      assert.deepStrictEqual(stories.map(({ violations }) => violations.map(({ kind }) => kind)), [[
        "duplicate_result",
        "renamed_tool"
      ]])
      assert.strictEqual(stories[0]!.violations[0]!.span.spanId, spanId("go/chat"))
    }))

  it.effect("go to the call of their own trace when another call has the same id", () =>
    Effect.gen(function*() {
      const at = 60_000
      const chat = turn("d", at + 400, 700, { events: [violation("duplicate_result", "call_0", at + 401)] }).map(
        spanRow
      )
      const second = plainCall("call_0", { a: "d", b: "e", at })
      const query = yield* ask([...plainCall("call_0"), ...chat, ...second])
      const { stories } = yield* query.story("call_0", 20)
      assert.deepStrictEqual(stories.map(({ call, violations }) => [call.traces, violations.length]), [
        [[traceId("d")], 1],
        [[traceId("a")], 0]
      ])
    }))

  it.effect("make a story of their own where they could mean two calls", () =>
    Effect.gen(function*() {
      const result = (label: string, at: number, conversation: string) =>
        spanRow({
          label,
          name: "tool_result weather",
          at,
          attributes: {
            ...callValues("call_0", "weather"),
            [Attribute.toolspanStage]: "result",
            [Attribute.genAiConversationId]: conversation
          }
        })
      const chat = spanRow({
        label: "a/chat",
        name: "chat",
        at: 5,
        attributes: { [Attribute.genAiOperationName]: "chat" },
        events: [violation("orphan_result", "call_0", 6)]
      })
      const query = yield* ask([result("a/one", 0, "x"), result("a/two", 1, "y"), chat])
      const { stories } = yield* query.story("call_0", 20)
      assert.deepStrictEqual(stories.map((story) => [story.results.length, story.violations.length]), [
        [1, 0],
        [1, 0],
        [0, 1]
      ])
    }))
})

describe("find", () => {
  const rows = [
    ...plainCall("t1"),
    ...plainCall("t2", { a: "c", b: "d", at: 1000, tool: "calendar", outcome: "failure" }),
    ...approvedCall("t3")
  ]

  it.effect("lists each call once, by its first span, the newest first", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      assert.deepStrictEqual((yield* query.calls({ limit: 10 })).calls.map(({ id }) => id), ["t2", "t1", "t3"])
      assert.deepStrictEqual((yield* query.calls({ limit: 2 })).calls.map(({ id }) => id), ["t2", "t1"])
    }))

  it.effect("filters by what is true of the whole call", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      const ids = (filter: CallFilter) =>
        Effect.map(query.calls({ ...filter, limit: 10 }), ({ calls }) => calls.map(({ id }) => id))
      assert.deepStrictEqual(yield* ids({ id: "t1" }), ["t1"])
      assert.deepStrictEqual(yield* ids({ tool: "send_email" }), ["t3"])
      assert.deepStrictEqual(yield* ids({ outcome: "failure" }), ["t2"])
      assert.deepStrictEqual(yield* ids({ outcome: "success" }), ["t1", "t3"])
      assert.deepStrictEqual(yield* ids({ state: "approved" }), ["t3"])
      assert.deepStrictEqual(yield* ids({ state: "not_required", tool: "calendar" }), ["t2"])
      // The decision was pending once; the call is not.
      assert.deepStrictEqual(yield* ids({ state: "pending" }), [])
      assert.deepStrictEqual(yield* ids({ id: "t1", outcome: "failure" }), [])
    }))

  it.effect("goes on by cursor, and counts all", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 300 }, (_, index) =>
        plainCall(`m${index}`, { a: `a${index}`, b: `b${index}`, at: 10_000 + index }))
      const query = yield* ask([...rows, ...many.flat()])
      const whole = yield* query.calls({ limit: 1000 })
      assert.lengthOf(whole.calls, 303)
      assert.strictEqual(whole.total, 303)
      assert.notProperty(whole, "next")
      const failed = yield* query.calls({ outcome: "failure", limit: 5 })
      assert.deepStrictEqual(
        failed.calls.map(({ id }) =>
          id
        ),
        ["t2"]
      )
      assert.lengthOf((yield* query.calls({ state: "pending", limit: 5 })).calls, 0)
      const first = yield* query.calls({ limit: 200 })
      const second = yield* query.calls({ limit: 200, ...present("cursor", first.next) })
      assert.deepStrictEqual([...first.calls, ...second.calls], whole.calls)
    }))

  it.effect("knows the model without reading the whole trace, and a wrong cursor", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      const { calls, next } = yield* query.calls({ limit: 1 })
      assert.deepStrictEqual(calls.map(({ faults, model }) => [model, faults]), [["claude-x", 0]])
      for (const cursor of ["", "nonsense", `${next}x`, "newest.n1.1.1", "newest.m1e999.1", "slowest.m1.1"]) {
        assert.strictEqual((yield* Effect.flip(query.calls({ cursor })))._tag, "WrongCursor")
      }
      assert.strictEqual(
        (yield* Effect.flip(query.calls({ ...present("cursor", next), sort: "oldest" })))._tag,
        "WrongCursor"
      )
    }))

  it.effect("is JSON that its schema reads back", () =>
    Effect.gen(function*() {
      const { calls } = yield* (yield* ask(rows)).calls({ limit: 10 })
      const json = JSON.stringify(yield* Effect.forEach(calls, (call) => Schema.encodeEffect(ListedCall)(call)))
      const back = yield* Schema.decodeUnknownEffect(Schema.Array(ListedCall))(JSON.parse(json))
      assert.deepStrictEqual(back, calls)
    }))
})

describe("the rest that can be asked", () => {
  const rows = [
    ...plainCall("t1", { values: { [Attribute.genAiConversationId]: "demo" } }),
    ...plainCall("t2", { a: "c", b: "d", at: 1000, tool: "calendar", outcome: "failure" }),
    ...approvedCall("t3", { conversation: "demo", chatEvents: [violation("duplicate_execution", "t3", 42_507)] })
  ]

  it.effect("gives a trace whole, with links both ways and over traces", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      const trace = yield* query.trace(traceId("go"))
      assert.deepStrictEqual(trace?.spans.map(({ depth, name }) => `${depth} ${name}`), [
        "0 LanguageModel.streamText",
        "1 tool_approval send_email",
        "1 execute_tool send_email",
        "2 compose message",
        "2 smtp deliver",
        "3 dns lookup mail.example.org",
        "1 tool_result send_email",
        "1 chat claude-x"
      ])
      const run = trace?.spans.find(({ role }) => role === "execution")
      assert.deepStrictEqual(run?.links.map(({ name, type }) => [type, name]), [
        ["decided_by", "tool_call send_email"],
        ["approved_by", "tool_approval send_email"]
      ])
      assert.deepStrictEqual(run?.linkedFrom.map(({ name, type }) => [type, name]), [
        ["result_of", "tool_result send_email"]
      ])
      assert.isUndefined(yield* query.trace("0".repeat(32)))
    }))

  it.effect("tells a conversation turn by turn", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      const told = yield* query.conversation("demo")
      assert.deepStrictEqual(
        told?.turns.map(({ calls, consumed, model }) => [calls.map(({ id }) => id), consumed, model]),
        [
          [["t3"], [], "claude-x"],
          [["t1"], [], "claude-x"],
          [[], ["t3"], "claude-x"]
        ]
      )
      assert.isUndefined(yield* query.conversation("nobody"))
    }))

  it.effect("counts tools, faults and all", () =>
    Effect.gen(function*() {
      const query = yield* ask(rows)
      const { tools } = yield* query.tools
      assert.deepInclude(tools.find(({ tool }) => tool === "calendar"), { calls: 1, failures: 1, p50: 180, p95: 180 })
      assert.deepInclude(tools.find(({ tool }) => tool === "send_email"), { waitP50: 42_300, pending: 0, faults: 1 })
      const page = yield* query.violations({ id: "t3" })
      assert.deepStrictEqual(page.violations.map(({ key, kind }) => [key, kind]), [["t3", "duplicate_execution"]])
      assert.strictEqual(page.total, 1)
      assert.lengthOf((yield* query.violations({ kind: "renamed_tool" })).violations, 0)
      assert.deepInclude(yield* query.stats, { calls: 3, violations: 1 })
    }))
})
