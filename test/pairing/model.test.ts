import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { check } from "../../src/pairing/Check.ts"
import type { HistoryFormat } from "../../src/pairing/Check.ts"
import type { Violation } from "../../src/pairing/Violation.ts"
import type { Encoded, PlainHistory, PlainMessage, PlainPart } from "./PlainHistory.ts"
import { anyHistory, encoders, formats, formatsWithServerTools, wellPaired } from "./PlainHistory.ts"
import { slowFaults } from "./SlowPairing.ts"

const told = (violations: ReadonlyArray<Violation>): ReadonlyArray<string> =>
  violations.map((one) => `${one.kind} ${one.id ?? "-"} ${one.key} @${one.message}.${one.part}`).toSorted()

const expected = (history: PlainHistory, encoded: Encoded, named: boolean): ReadonlyArray<string> =>
  slowFaults(history, named)
    .map((one) =>
      `${one.kind} ${one.id === undefined || one.id === "" ? "-" : one.id} ${one.key} @${
        encoded.positions[one.message]?.[one.part]
      }`
    )
    .toSorted()

// Responses keeps no border between neighbouring assistant or tool messages, so the test makes none.
const joined = (history: PlainHistory): PlainHistory => {
  const messages: Array<PlainMessage> = []
  for (const message of history) {
    const last = messages.at(-1)
    if (last !== undefined && last.role === message.role && message.role !== "user") {
      messages[messages.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] }
    } else {
      messages.push(message)
    }
  }
  return messages
}

describe("a history of any quality", () => {
  for (const format of formats) {
    it(`has the faults of the slow model as ${format}`, () => {
      fc.assert(
        fc.property(anyHistory, (any) => {
          const history = format === "responses" ? joined(any) : any
          const encoded = encoders[format](history)
          assert.deepStrictEqual(
            told(check(encoded.history, { format })),
            expected(history, encoded, format === "effect" || format === "pi")
          )
        }),
        { numRuns: 1000 }
      )
    })
  }

  it("is told in the order of the history", () => {
    fc.assert(fc.property(anyHistory, (history) => {
      const places = check(encoders.effect(history).history).map((one) => one.message * 1000 + one.part)
      assert.deepStrictEqual(places, places.toSorted((one, two) => one - two))
    }))
  })
})

describe("a well-paired history", () => {
  for (const format of formats) {
    it(`has no violation as ${format}`, () => {
      fc.assert(
        fc.property(wellPaired(formatsWithServerTools.includes(format)), (history) => {
          assert.deepStrictEqual(check(encoders[format](history).history), [])
        })
      )
    })
  }
})

interface Place {
  readonly message: number
  readonly part: number
}

/** Changes the parts around one call and its result; returns what has to be told, as `kind key @part`. */
interface Fault {
  readonly kind: string
  readonly formats: ReadonlyArray<HistoryFormat>
  readonly tools?: ReadonlyArray<{ readonly name: string; readonly wireName?: string }>
  readonly plant: (history: PlainHistory, call: Place, result: Place) => {
    readonly history: PlainHistory
    readonly at: Place
    readonly key: (key: string) => string
    readonly id?: "none"
  }
}

const edit = (
  history: PlainHistory,
  at: Place,
  change: (part: PlainPart) => ReadonlyArray<PlainPart>
): PlainHistory =>
  history.map((message, index) =>
    index === at.message
      ? { ...message, parts: message.parts.flatMap((part, i) => i === at.part ? change(part) : [part]) }
      : message
  )

const same = (key: string): string => key
const after = (at: Place): Place => ({ message: at.message, part: at.part + 1 })
const withId = (id: string | undefined) => (part: PlainPart): ReadonlyArray<PlainPart> =>
  part.kind === "text" ? [part] : [{ ...part, id }]
const withName = (name: string) => (part: PlainPart): ReadonlyArray<PlainPart> =>
  part.kind === "text" ? [part] : [{ ...part, name }]

const wires: ReadonlyArray<HistoryFormat> = ["anthropic", "chat-completions", "responses"]

const planted: ReadonlyArray<Fault> = [
  {
    kind: "unanswered_call",
    formats,
    plant: (history, call, result) => ({ history: edit(history, result, () => []), at: call, key: same })
  },
  {
    kind: "orphan_result",
    formats,
    plant: (history, call, result) => ({ history: edit(history, call, () => []), at: result, key: same })
  },
  {
    kind: "duplicate_result",
    formats,
    plant: (history, _, result) => ({
      history: edit(history, result, (part) => [part, { ...part }]),
      at: after(result),
      key: same
    })
  },
  {
    kind: "duplicate_id",
    formats,
    plant: (history, call) => ({
      history: edit(history, call, (part) => [part, { ...part }]),
      at: after(call),
      key: (key) => `${key}#2`
    })
  },
  {
    kind: "empty_id",
    formats,
    plant: (history, call, result) => ({
      history: edit(edit(history, call, withId("")), result, withId("")),
      at: call,
      key: () => "?1",
      id: "none"
    })
  },
  {
    kind: "missing_id",
    formats,
    plant: (history, call, result) => ({
      history: edit(edit(history, call, withId(undefined)), result, withId(undefined)),
      at: call,
      key: () => "?1",
      id: "none"
    })
  },
  {
    kind: "renamed_tool",
    formats: ["effect", "pi"],
    plant: (history, _, result) => ({ history: edit(history, result, withName("another")), at: result, key: same })
  },
  {
    kind: "wire_name_mismatch",
    formats: wires,
    tools: [{ name: "Memory", wireName: "memory" }, { name: "lookup" }],
    plant: (history, call) => ({ history: edit(history, call, withName("Memory")), at: call, key: same })
  },
  {
    kind: "argument_parse_error",
    formats: ["chat-completions", "responses"],
    plant: (history, call) => ({
      history: edit(history, call, (part) => part.kind === "call" ? [{ ...part, args: "{\"key\":\"al" }] : [part]),
      at: call,
      key: same
    })
  }
]

const places = (history: PlainHistory, kind: "call" | "result"): ReadonlyArray<Place & { readonly id: string }> =>
  history.flatMap(({ parts }, message) =>
    parts.flatMap((one, part) =>
      one.kind === kind && one.atProvider !== true ? [{ message, part, id: one.id ?? "" }] : []
    )
  )

const keyOf = (id: string): string => id.replace(/[%#]|^\?/g, (sign) => encodeURIComponent(sign))

describe("one planted fault", () => {
  for (const fault of planted) {
    for (const format of fault.formats) {
      it(`of kind ${fault.kind} is found as ${format}, and nothing else`, () => {
        fc.assert(fc.property(wellPaired(formatsWithServerTools.includes(format)), fc.nat(), (sound, choice) => {
          const calls = places(sound, "call")
          const call = calls[choice % calls.length]!
          const result = places(sound, "result").find((one) => one.id === call.id)!
          const { at, history, id, key } = fault.plant(sound, call, result)
          const encoded = encoders[format](history)
          const found = check(encoded.history, fault.tools === undefined ? {} : { tools: fault.tools })
          assert.deepStrictEqual(told(found), [
            `${fault.kind} ${id === "none" ? "-" : call.id} ${key(keyOf(call.id))} @${
              encoded.positions[at.message]?.[at.part]
            }`
          ])
          assert.isAbove(found[0]?.advice.length ?? 0, 20)
        }))
      })
    }
  }
})
