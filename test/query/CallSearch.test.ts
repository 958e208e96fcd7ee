import { assert, describe, it } from "@effect/vitest"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { api } from "../../src/query/api.ts"
import { CallPage, CallSearch } from "../../src/query/CallSearch.ts"
import { ViolationPage } from "../../src/query/Overview.ts"
import * as Query from "../../src/query/Query.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { attributes } from "../../src/semconv/registry.ts"
import { kinds } from "../../src/semconv/violation.ts"
import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { plainCall } from "./CallFixture.ts"

const contract = (key: string) => attributes.find((attribute) => attribute.key === key)!.values!

const faults = [...kinds, "unknown"]

/** The values that the OpenAPI document names for a parameter. */
const documented = (path: string, name: string): unknown => {
  const { components, paths } = OpenApi.fromApi(api)
  const { schema } = paths[path]!.get!.parameters.find((parameter) => parameter.name === name)!
  const { $ref } = schema as { readonly $ref?: string }
  const resolved = $ref === undefined ? schema : components.schemas[$ref.split("/").at(-1)!]!
  return (resolved as { readonly enum?: unknown }).enum
}

describe("filters by words of the contract", () => {
  it("are named in the OpenAPI document", () => {
    assert.deepStrictEqual(documented("/api/calls", "state"), [...contract(Attribute.toolspanApprovalState)])
    assert.deepStrictEqual(documented("/api/calls", "outcome"), [...contract(Attribute.toolspanOutcome)])
    assert.deepStrictEqual(documented("/api/calls", "violation"), faults)
    assert.deepStrictEqual(documented("/api/violations", "kind"), faults)
  })

  it("take these words and no others", () => {
    const decodes = (search: object) => Schema.decodeUnknownOption(CallSearch)(search)._tag === "Some"
    for (const state of contract(Attribute.toolspanApprovalState)) assert.isTrue(decodes({ state }))
    for (const outcome of contract(Attribute.toolspanOutcome)) assert.isTrue(decodes({ outcome }))
    for (const violation of faults) assert.isTrue(decodes({ violation }))
    for (const name of ["state", "outcome", "violation"]) {
      for (const word of ["", "nope", "Success", " success", "toString"]) assert.isFalse(decodes({ [name]: word }))
    }
  })
})

describe("what a newer toolspan has sent", () => {
  it.effect("is listed with words that this one does not know", () =>
    Effect.gen(function*() {
      const store = MemoryStore.make()
      const [decision, ...others] = plainCall("t1", {
        outcome: "postponed",
        values: { [Attribute.toolspanApprovalState]: "delegated" }
      })
      yield* store.append([decision!, ...others])
      const page = yield* Schema.encodeEffect(CallPage)(yield* Query.make(store).calls({}))
      assert.deepStrictEqual(page.calls.map(({ outcome, state }) => [state, outcome]), [["delegated", "postponed"]])
      const event = {
        time: 1n,
        name: "toolspan.violation",
        attributes: [{ key: Attribute.toolspanViolationKind, value: "new_kind" }],
        droppedAttributesCount: 0
      }
      yield* store.append([{ ...decision!, spanId: "00000000000000ff", events: [event] }])
      const { kinds, violations } = yield* Schema.encodeEffect(ViolationPage)(yield* Query.make(store).violations({}))
      assert.deepStrictEqual(violations.map(({ kind }) => kind), ["new_kind"])
      assert.deepStrictEqual(kinds.map(({ count, kind }) => [kind, count]), [["new_kind", 1]])
    }))
})
