import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BrokenHistory } from "../../src/pairing/BrokenHistory.ts"
import { check } from "../../src/pairing/Check.ts"
import * as Violation from "../../src/pairing/Violation.ts"
import { result, tool } from "./Prompt.ts"

const faults = (count: number) =>
  Array.from(
    { length: count },
    (_, part) => Violation.make("orphan_result", "wire", { key: `k${part}` }, { message: 2, part })
  )

const line = (part: number) => `orphan_result k${part} at message 2, part ${part}: ${Violation.advice.orphan_result}`

describe("BrokenHistory", () => {
  it("says what is broken, where, and how to mend it", () => {
    const error = new BrokenHistory({ violations: check([tool(result("c1"))]) })
    assert.strictEqual(error._tag, "BrokenHistory")
    assert.strictEqual(
      error.message,
      "The history was not sent, because 1 thing in it is broken:\n"
        + `orphan_result c1 at message 0, part 0: ${Violation.advice.orphan_result}`
    )
  })

  it("names the first five and counts the others", () => {
    const head = (count: number) => `The history was not sent, because ${count} things in it are broken:`
    assert.deepStrictEqual(new BrokenHistory({ violations: faults(5) }).message.split("\n"), [
      head(5),
      ...[0, 1, 2, 3, 4].map(line)
    ])
    assert.deepStrictEqual(new BrokenHistory({ violations: faults(7) }).message.split("\n"), [
      head(7),
      ...[0, 1, 2, 3, 4].map(line),
      "and 2 more"
    ])
  })

  it("uses the id where there is no key, and neither where there is none; a name it never says", () => {
    const at = { message: 1, part: 0 }
    const byId = Violation.make("renamed_tool", "wire", { id: "c1", name: "secret" }, at)
    const bare = Violation.make("missing_id", "wire", { name: "secret" }, at)
    const { message } = new BrokenHistory({ violations: [byId, bare] })
    assert.deepStrictEqual(message.split("\n").slice(1), [
      `renamed_tool c1 at message 1, part 0: ${Violation.advice.renamed_tool}`,
      `missing_id at message 1, part 0: ${Violation.advice.missing_id}`
    ])
  })

  it("can be written and read again", () => {
    const about = { id: "c", name: "n", key: "k", approvalId: "a", otherName: "o", truncated: true }
    const error = new BrokenHistory({
      violations: [Violation.make("renamed_tool", "turn", about, { message: 1, part: 2 })]
    })
    const text = JSON.stringify(Schema.encodeSync(BrokenHistory)(error))
    const again = Schema.decodeUnknownSync(BrokenHistory)(JSON.parse(text))
    assert.deepStrictEqual(again.violations, error.violations)
    assert.strictEqual(again.message, error.message)
  })
})
