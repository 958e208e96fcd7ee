import { assert, describe, it } from "@effect/vitest"
import * as Tracer from "effect/Tracer"
import * as fc from "fast-check"
import type { Link, Place, SpanWriter as Writer } from "../../src/lifecycle/SpanWriter.ts"
import type { ApprovalState, Identity, Outcome } from "../../src/lifecycle/ToolCall.ts"
import { TrackedCall } from "../../src/lifecycle/TrackedCall.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import * as Event from "../../src/semconv/event.ts"
import type { LinkType } from "../../src/semconv/link.ts"
import * as Violation from "../../src/semconv/violation.ts"
import * as SpanWriter from "../../src/spans/SpanWriter.ts"
import { checkRegistry } from "../cases/check/registry.ts"
import { checkTwins } from "../cases/check/twins.ts"
import { checkViolationCounts } from "../cases/check/violation-counts.ts"
import type { SpanRecord } from "../cases/trail.ts"
import * as RecordingTracer from "./RecordingTracer.ts"

const writer: Writer = SpanWriter.make()

const target = (number: number): Tracer.AnySpan =>
  Tracer.externalSpan({ traceId: "f".repeat(32), spanId: number.toString(16).padStart(16, "0") })

const link = (type: LinkType): Link => ({ type, to: target(1) })

const identity = (more: Partial<Identity> = {}): Identity => ({
  key: "c1",
  id: "c1",
  idSource: "provider",
  occurrence: 1,
  name: "lookup",
  requestedName: undefined,
  wireName: undefined,
  providerExecuted: false,
  ...more
})

const tracked = (more: Partial<Identity> = {}): TrackedCall =>
  new TrackedCall(identity(more), "c1", undefined, undefined)

const outcomes: ReadonlyArray<Outcome> = [
  "success",
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool",
  "denied",
  "interrupted",
  "not_started"
]
const failing: ReadonlySet<Outcome> = new Set(["failure", "invalid_parameters", "invalid_result", "unknown_tool"])
const approvalStates: ReadonlyArray<ApprovalState> = ["not_required", "pending", "approved", "denied", "abandoned"]

const placeOf = (tracer: Tracer.Tracer, more: Partial<Place>): Place => ({
  tracer,
  parent: undefined,
  sampled: true,
  silent: false,
  annotations: {},
  conversation: undefined,
  agent: undefined,
  content: { arguments: false, results: false, maxBytes: 2048, redact: undefined },
  ...more
} as Place)

/** Writes with a place of its own, and gives back what was written once every span has ended. */
const written = (write: (place: Place) => void, more: Partial<Place> = {}): ReadonlyArray<SpanRecord> => {
  const recording = RecordingTracer.make()
  write({
    tracer: recording.tracer,
    parent: undefined,
    sampled: true,
    silent: false,
    annotations: {},
    conversation: undefined,
    agent: undefined,
    content: { arguments: false, results: false, maxBytes: 2048, redact: undefined },
    metrics: undefined,
    ...more
  })
  assert.deepStrictEqual(recording.complaints, [])
  assert.deepStrictEqual(recording.open(), [])
  const { spans } = recording.trail()
  assert.deepStrictEqual([...checkRegistry(spans), ...checkTwins(spans), ...checkViolationCounts(spans)], [])
  return spans
}

const all = { arguments: true, results: true, maxBytes: 16, redact: undefined }

const optional = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<A | undefined> =>
  fc.option(arbitrary, { nil: undefined })

const anyIdentity = fc.record({
  key: fc.string({ minLength: 1 }),
  id: optional(fc.string()),
  idSource: fc.constantFrom("provider" as const, "synthesized" as const, "missing" as const),
  occurrence: fc.integer({ min: 1, max: 3 }),
  name: optional(fc.constantFrom("lookup", "wipe")),
  requestedName: optional(fc.string({ unit: "binary", minLength: 1, maxLength: 300 })),
  wireName: optional(fc.constantFrom("memory")),
  providerExecuted: fc.boolean()
})

const anyPlace = fc.record({
  conversation: optional(fc.string({ minLength: 1 })),
  agent: optional(fc.string({ minLength: 1 })),
  content: fc.record({
    arguments: fc.boolean(),
    results: fc.boolean(),
    maxBytes: fc.nat(50),
    redact: fc.constantFrom(undefined, () => undefined, (value: unknown) => ({ value }))
  })
})

const anyFailure = optional(fc.record({
  mode: fc.constantFrom("error" as const, "return" as const),
  origin: fc.constantFrom("parameters" as const, "handler" as const, "result" as const)
}))

const anyApproval = fc.record({
  approval: fc.constantFrom(...approvalStates),
  approvalId: optional(fc.string({ minLength: 1 }))
})

const errorType = optional(fc.constantFrom("Boom", "_OTHER", "ToolNotFoundError"))

const value = optional(fc.anything())

describe("every stage span", () => {
  it("has only what the registry allows, with twins for its links, whatever the facts", () => {
    fc.assert(
      fc.property(
        anyIdentity,
        anyPlace,
        anyApproval,
        anyFailure,
        fc.record({
          deltas: optional(fc.nat()),
          bytes: optional(fc.nat()),
          incomplete: fc.boolean(),
          dropped: fc.nat(3),
          text: optional(fc.string({ minLength: 1 })),
          description: optional(fc.string({ unit: "binary", maxLength: 400 })),
          errorType,
          value,
          failureValue: value,
          linked: fc.boolean(),
          ambiguous: fc.boolean(),
          wait: optional(fc.double({ min: 0, max: 1e6, noNaN: true })),
          outcome: fc.constantFrom(...outcomes),
          origin: fc.constantFrom("handler", "provider", "denial", "prompt", "synthesized"),
          event: fc.constantFrom("requested", "resolved", "abandoned")
        }),
        (call, place, approval, failure, facts) => {
          const one = new TrackedCall(call as Identity, call.id, undefined, undefined)
          const { ambiguous, dropped: droppedArguments, outcome } = facts
          const spans = written((place) => {
            const decision = writer.openDecision(place, one, 1n)
            writer.endDecision(place, decision, one, {
              ...approval,
              deltas: facts.deltas,
              bytes: facts.bytes,
              incomplete: facts.incomplete,
              droppedArguments,
              wireItemId: facts.text,
              callerId: facts.text,
              errorType: facts.errorType,
              arguments: facts.value,
              argumentsText: facts.text
            }, 2n)
            writer.approval(place, one, {
              event: facts.event as "requested",
              state: approval.approval,
              approvalId: approval.approvalId ?? "ap1",
              waitSeconds: facts.wait,
              link: facts.linked ? link(facts.event === "requested" ? "decided_by" : "answers") : undefined,
              ambiguous,
              reason: facts.text
            }, 3n)
            const execution = writer.openExecution(place, one, {
              ...approval,
              description: facts.description,
              droppedArguments,
              links: facts.linked ? [link("decided_by"), link("approved_by")] : [],
              ambiguous,
              arguments: facts.value
            }, 4n)
            writer.preliminary(place, execution, one, 0, facts.value, 5n)
            writer.endExecution(place, execution, one, {
              approval: "not_required",
              outcome,
              errorType: facts.errorType,
              failure,
              preliminaries: 1,
              result: facts.value,
              failureValue: facts.failureValue
            }, 6n)
            writer.result(place, one, {
              outcome,
              origin: facts.origin as "handler",
              ...approval,
              failure,
              link: facts.linked ? link("result_of") : undefined,
              ambiguous,
              result: facts.value
            }, 7n)
          }, place)
          const name = call.name ?? "_unknown"
          assert.deepStrictEqual(spans.map((span) => span.name), [
            `tool_call ${name}`,
            `tool_approval ${name}`,
            `execute_tool ${name}`,
            `tool_result ${name}`
          ])
          assert.deepStrictEqual(spans.map((span) => span.status.error), [
            facts.errorType !== undefined,
            false,
            failing.has(outcome),
            failing.has(outcome)
          ])
          for (const span of spans) {
            assert.strictEqual(span.attributes[Attribute.genAiConversationId], place.conversation)
            assert.strictEqual(span.attributes[Attribute.genAiAgentName], place.agent)
            for (const text of Object.values(span.attributes)) {
              if (typeof text === "string") assert.isTrue(text.isWellFormed())
            }
          }
        }
      ),
      { numRuns: 500 }
    )
  })

  it("costs nothing of the content when it is off, and nothing at all when it is not sampled", () => {
    let read = 0
    const secret = new Proxy({}, {
      get: () => void read++,
      ownKeys: () => {
        read++
        return []
      }
    })
    const write = (place: Place) => {
      const call = tracked()
      const decision = writer.openDecision(place, call, 1n)
      writer.endDecision(place, decision, call, {
        approval: "not_required",
        approvalId: undefined,
        deltas: undefined,
        bytes: undefined,
        incomplete: false,
        droppedArguments: 0,
        wireItemId: undefined,
        callerId: undefined,
        errorType: undefined,
        arguments: secret,
        argumentsText: undefined
      }, 1n)
      const execution = writer.openExecution(place, call, {
        approval: "not_required",
        approvalId: undefined,
        description: undefined,
        droppedArguments: 0,
        links: [],
        ambiguous: false,
        arguments: secret
      }, 1n)
      writer.preliminary(place, execution, call, 0, secret, 1n)
      const end = {
        approval: "not_required" as const,
        outcome: "success" as const,
        errorType: undefined,
        failure: undefined
      }
      writer.endExecution(
        place,
        execution,
        call,
        { ...end, preliminaries: 1, result: secret, failureValue: secret },
        1n
      )
      writer.result(place, call, {
        outcome: "success",
        origin: "handler",
        approval: "not_required",
        approvalId: undefined,
        failure: undefined,
        link: undefined,
        ambiguous: false,
        result: secret
      }, 1n)
    }
    const spans = written(write)
    assert.strictEqual(spans.length, 3)
    const unsampled = RecordingTracer.make()
    write(placeOf(unsampled.tracer, { sampled: false, conversation: "conversation", agent: "agent", content: all }))
    assert.deepStrictEqual(unsampled.trail().spans.map((span) => [span.attributes, span.events]), [
      [{}, []],
      [{}, []],
      [{}, []]
    ])
    assert.deepStrictEqual(unsampled.open(), [])
    const silent = RecordingTracer.make()
    const parent = Tracer.externalSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), sampled: false })
    write(placeOf(silent.tracer, { sampled: false, silent: true, parent, content: all }))
    assert.deepStrictEqual(silent.trail().spans, [])
    assert.strictEqual(read, 0)
  })

  it("has what the app wants on each of its spans", () => {
    const [span] = written((place) => {
      const call = tracked()
      writer.approval(place, call, {
        event: "requested",
        state: "pending",
        approvalId: "ap1",
        waitSeconds: undefined,
        link: undefined,
        ambiguous: false,
        reason: undefined
      }, 1n)
    }, { annotations: { "app.user": "u1" } })
    assert.strictEqual(span?.attributes["app.user"], "u1")
  })
})

describe("content", () => {
  const facts = { approval: "not_required" as const, approvalId: undefined, ambiguous: false }

  it("is cut and marked on each span, with the size of the whole result", () => {
    const long = "a".repeat(30)
    const [decision, execution, result] = written((place) => {
      const call = tracked()
      const span = writer.openDecision(place, call, 1n)
      writer.endDecision(place, span, call, {
        ...facts,
        deltas: undefined,
        bytes: undefined,
        incomplete: false,
        droppedArguments: 0,
        wireItemId: undefined,
        callerId: undefined,
        errorType: undefined,
        arguments: { key: long },
        argumentsText: undefined
      }, 1n)
      const run = writer.openExecution(place, call, {
        ...facts,
        description: undefined,
        droppedArguments: 0,
        links: [],
        arguments: "short"
      }, 1n)
      writer.preliminary(place, run, call, 0, long, 1n)
      writer.endExecution(place, run, call, {
        approval: "not_required",
        outcome: "success",
        errorType: undefined,
        failure: undefined,
        preliminaries: 1,
        result: "short",
        failureValue: undefined
      }, 1n)
      writer.result(place, call, {
        ...facts,
        outcome: "success",
        origin: "handler",
        failure: undefined,
        link: undefined,
        result: long
      }, 1n)
    }, { content: all })
    const cutArguments = "{\"key\":\"aaaaaaaa"
    const cutResult = `"${"a".repeat(15)}`
    assert.strictEqual(decision?.attributes[Attribute.genAiToolCallArguments], cutArguments)
    assert.strictEqual(decision?.attributes[Attribute.toolspanContentTruncated], true)
    assert.strictEqual(execution?.attributes[Attribute.genAiToolCallArguments], "\"short\"")
    assert.strictEqual(execution?.attributes[Attribute.genAiToolCallResult], "\"short\"")
    assert.strictEqual(execution?.attributes[Attribute.toolspanContentTruncated], true)
    assert.deepStrictEqual(execution?.events.map((event) => event.attributes), [
      { [Attribute.toolspanPreliminaryIndex]: 0, [Attribute.genAiToolCallResult]: cutResult }
    ])
    assert.strictEqual(result?.attributes[Attribute.genAiToolCallResult], cutResult)
    assert.strictEqual(result?.attributes[Attribute.toolspanResultBytes], 32)
    assert.strictEqual(result?.attributes[Attribute.toolspanContentTruncated], true)
  })

  it("of arguments and results is allowed apart", () => {
    for (const allowed of ["arguments", "results"] as const) {
      const [execution] = written((place) => {
        const call = tracked()
        const run = writer.openExecution(place, call, {
          ...facts,
          description: undefined,
          droppedArguments: 0,
          links: [],
          arguments: "a"
        }, 1n)
        writer.endExecution(place, run, call, {
          approval: "not_required",
          outcome: "failure",
          errorType: "Boom",
          failure: { mode: "return", origin: "handler" },
          preliminaries: 0,
          result: "r",
          failureValue: "f"
        }, 1n)
      }, { content: { ...all, arguments: allowed === "arguments", results: allowed === "results" } })
      const { attributes } = execution!
      assert.deepStrictEqual(
        [Attribute.genAiToolCallArguments, Attribute.genAiToolCallResult, Attribute.errorMessage].map((key) =>
          attributes[key]
        ),
        allowed === "arguments" ? ["\"a\"", undefined, undefined] : [undefined, "\"r\"", "\"f\""]
      )
    }
  })
})

describe("caps", () => {
  it("20 violation events, and the full count and kinds", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Violation.kinds), { maxLength: 60 }), (kinds) => {
        const [span] = written((place) => {
          const chat = writer.openChat(place, "m1", 1n)
          writer.violations(
            place,
            chat,
            kinds.map((kind, index) => ({ kind, scope: "conversation", id: `c${index}`, otherName: undefined })),
            2n
          )
          writer.endChat(place, chat, noFacts, 3n)
        })
        const events = span!.events.filter((event) => event.name === Event.violation)
        assert.strictEqual(events.length, Math.min(kinds.length, 20))
        assert.strictEqual(span!.attributes[Attribute.toolspanViolationCount] ?? 0, kinds.length)
        assert.deepStrictEqual(
          span!.attributes[Attribute.toolspanViolationKinds] ?? [],
          [...new Set(kinds)].toSorted()
        )
      }),
      { numRuns: 200 }
    )
  })

  it("128 consumes links", () => {
    for (const count of [0, 1, 128, 129, 500]) {
      const [span] = written((place) => {
        const chat = writer.openChat(place, undefined, 1n)
        writer.consume(chat, Array.from({ length: count }, (_, index) => target(index + 1)), count > 128)
        writer.endChat(place, chat, { ...noFacts, consumed: count }, 3n)
      })
      assert.strictEqual(span!.name, "chat")
      assert.strictEqual(span!.links.length, Math.min(count, 128))
      assert.strictEqual(span!.attributes[Attribute.toolspanToolCallsConsumed], count)
      assert.strictEqual(span!.attributes[Attribute.toolspanLinkAmbiguous], count > 128 ? true : undefined)
    }
  })

  it("32 preliminary events, and the full count", () => {
    const [span] = written((place) => {
      const call = tracked()
      const run = writer.openExecution(place, call, {
        approval: "not_required",
        approvalId: undefined,
        description: undefined,
        droppedArguments: 0,
        links: [],
        ambiguous: false,
        arguments: undefined
      }, 1n)
      for (let index = 0; index < 50; index++) writer.preliminary(place, run, call, index, index, 2n)
      writer.endExecution(place, run, call, {
        approval: "not_required",
        outcome: "success",
        errorType: undefined,
        failure: undefined,
        preliminaries: 50,
        result: undefined,
        failureValue: undefined
      }, 3n)
    })
    assert.deepStrictEqual(
      span!.events.map((event) => event.attributes[Attribute.toolspanPreliminaryIndex]),
      Array.from({ length: 32 }, (_, index) => index)
    )
    assert.strictEqual(span!.attributes[Attribute.toolspanPreliminaryCount], 50)
  })
})

const noFacts: Parameters<Writer["endChat"]>[2] = {
  provider: undefined,
  requestModel: undefined,
  responseModel: undefined,
  responseId: undefined,
  finishReasons: undefined,
  timeToFirstChunkSeconds: undefined,
  inputTokens: undefined,
  outputTokens: undefined,
  cacheReadTokens: undefined,
  cacheWriteTokens: undefined,
  reasoningTokens: undefined,
  decided: 0,
  consumed: 0,
  errorType: undefined,
  interrupted: false
}

describe("chat", () => {
  it("ends as an error, an interruption or well, and has what is known and no more", () => {
    const spans = written((place) => {
      writer.endChat(place, writer.openChat(place, "m1", 1n), { ...noFacts, errorType: "RateLimitError" }, 2n)
      writer.endChat(place, writer.openChat(place, "m1", 1n), { ...noFacts, interrupted: true }, 2n)
      writer.endChat(place, writer.openChat(place, "m1", 1n), {
        ...noFacts,
        provider: "p",
        requestModel: "m1",
        responseModel: "m1-1",
        responseId: "r1",
        finishReasons: ["stop"],
        timeToFirstChunkSeconds: 0.5,
        inputTokens: 5,
        outputTokens: 7,
        cacheReadTokens: 1,
        cacheWriteTokens: 2,
        reasoningTokens: 3,
        decided: 1,
        consumed: 2
      }, 2n)
    })
    assert.deepStrictEqual(spans.map((span) => span.name), ["chat m1", "chat m1", "chat m1"])
    assert.deepStrictEqual(spans.map((span) => span.status.error), [true, false, false])
    assert.notInclude(spans[0]!.status.message ?? "", "undefined")
    assert.deepStrictEqual(spans[1]!.attributes, {
      [Attribute.genAiOperationName]: "chat",
      [Attribute.genAiRequestModel]: "m1",
      [Attribute.toolspanToolCallsDecided]: 0,
      [Attribute.toolspanToolCallsConsumed]: 0
    })
    assert.strictEqual(Object.keys(spans[2]!.attributes).length, 14)
  })
})
