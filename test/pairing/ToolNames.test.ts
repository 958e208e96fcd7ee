import { assert, describe, it } from "@effect/vitest"
import * as ToolNames from "../../src/pairing/ToolNames.ts"

const names = ToolNames.of([
  { name: "AnthropicMemory", wireName: "memory" },
  { name: "lookup" },
  { name: "lookup", wireName: "other" },
  { name: "Second", wireName: "memory" }
])

describe("the names of tools", () => {
  it("are looked up either way, the first tool of a name having it", () => {
    assert.strictEqual(names.byName.get("lookup")?.wireName, undefined)
    assert.strictEqual(names.byWireName.get("memory")?.name, "AnthropicMemory")
    assert.strictEqual(names.byWireName.get("lookup")?.name, "lookup")
  })

  it("mean one tool when they are equal or its two names", () => {
    const same = ToolNames.sameTool(names)
    assert.isTrue(same("AnthropicMemory", "memory"))
    assert.isTrue(same("memory", "AnthropicMemory"))
    assert.isTrue(same("nobody", "nobody"))
    assert.isFalse(same("nobody", "somebody"))
    assert.isFalse(same("nobody", "lookup"))
    assert.isFalse(same("lookup", "memory"))
  })

  it("have a right form on each side", () => {
    assert.strictEqual(ToolNames.wireNameFor(names, "AnthropicMemory"), "memory")
    assert.isUndefined(ToolNames.wireNameFor(names, "memory"))
    assert.isUndefined(ToolNames.wireNameFor(names, "nobody"))
    assert.strictEqual(ToolNames.toolkitNameFor(names, "memory"), "AnthropicMemory")
    assert.isUndefined(ToolNames.toolkitNameFor(names, "AnthropicMemory"))
    assert.isUndefined(ToolNames.toolkitNameFor(names, "nobody"))
  })
})
