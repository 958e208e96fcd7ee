import { assert, describe, it } from "@effect/vitest"
import * as Reading from "../../src/query/SpanReading.ts"
import * as Attribute from "../../src/semconv/attribute.ts"
import { addressOf, type SpanDraft, spanId, spanRow, traceId } from "./SpanBuilder.ts"

const row = (draft: Partial<SpanDraft>) => spanRow({ label: "a/x", name: "x", at: 0, ...draft })

const target = { type: "decided_by", traceId: traceId("b/call"), spanId: spanId("b/call") } as const

describe("linksOf", () => {
  for (const linkForm of ["both", "link", "twin"] as const) {
    it(`knows each link once when ${linkForm === "both" ? "link and twin have" : `only the ${linkForm} has`} arrived`, () => {
      assert.deepStrictEqual(Reading.linksOf(row({ links: [["decided_by", "b/call"]], linkForm })), [target])
    })
  }

  it("reads the twin of a list, and a list that was written as JSON text", () => {
    const both = [addressOf("b/one"), addressOf("b/two")]
    const expected = ["b/one", "b/two"].map((label) => ({
      type: "consumes",
      traceId: traceId(label),
      spanId: spanId(label)
    }))
    for (const value of [both, JSON.stringify(both)]) {
      assert.deepStrictEqual<ReadonlyArray<unknown>>(
        Reading.linksOf(row({ attributes: { [Attribute.toolspanLinkConsumes]: value } })),
        expected
      )
    }
  })

  it("ignores links of other kinds and twins that are no addresses", () => {
    assert.deepStrictEqual(
      Reading.linksOf(row({
        links: [["follows" as "answers", "b/call"]],
        linkForm: "link",
        attributes: {
          [Attribute.toolspanLinkDecidedBy]: "not-an-address",
          [Attribute.toolspanLinkAnswers]: 5n,
          [Attribute.toolspanLinkConsumes]: [addressOf("b/call").toUpperCase(), 7n]
        }
      })),
      []
    )
  })
})

describe("stageOf", () => {
  it("takes an execute_tool span of another instrumentation as an execution", () => {
    assert.strictEqual(
      Reading.stageOf(row({ attributes: { [Attribute.genAiOperationName]: "execute_tool" } })),
      "execution"
    )
  })

  it("does not take over a stage that the contract does not have", () => {
    assert.strictEqual(
      Reading.stageOf(
        row({ attributes: { [Attribute.toolspanStage]: "party", [Attribute.genAiOperationName]: "execute_tool" } })
      ),
      undefined
    )
  })
})

describe("number", () => {
  it("reads integers and doubles, and nothing else", () => {
    const { attributes } = row({ attributes: { whole: 5n, part: 1.5, text: "5", nan: Number.NaN } })
    assert.deepStrictEqual(["whole", "part", "text", "nan", "absent"].map((key) => Reading.number(attributes, key)), [
      5,
      1.5,
      undefined,
      undefined,
      undefined
    ])
  })
})
