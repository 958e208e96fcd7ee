import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ContentPlace, ContentSettings } from "../../src/settings/settings.ts"
import * as Content from "../../src/spans/content.ts"

const settings = (more: Partial<ContentSettings> = {}): ContentSettings => ({
  arguments: true,
  results: true,
  maxBytes: 2048,
  redact: undefined,
  ...more
})

const place: ContentPlace = { tool: "lookup", kind: "result" }

const text = (value: unknown, more: Partial<ContentSettings> = {}): string =>
  Content.make(value, settings(more), place).text

const parsed = (value: unknown): unknown => JSON.parse(text(value, { maxBytes: 1_000_000 }))

const bytes = (value: string): number => new TextEncoder().encode(value).length

describe("a value as text", () => {
  it("is its JSON where JSON can say it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const written = Content.make(value, settings({ maxBytes: 1_000_000 }), place)
        assert.strictEqual(written.text, JSON.stringify(value))
        assert.isFalse(written.truncated)
        assert.strictEqual(written.bytes, bytes(written.text))
      }),
      { numRuns: 1000 }
    )
  })

  it("never throws, is JSON, and knows its size, whatever the value", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withObjectString: true,
          withSparseArray: true,
          withTypedArray: true,
          withBoxedValues: true,
          withUnicodeString: true
        }),
        (value) => {
          const written = Content.make(value, settings({ maxBytes: 1_000_000 }), place)
          JSON.parse(written.text)
          assert.strictEqual(written.bytes, bytes(written.text))
        }
      ),
      { numRuns: 2000 }
    )
  })

  it("has a marker for each leaf that JSON cannot say, and the rest whole", () => {
    const cyclic: Record<string, unknown> = { name: "a" }
    cyclic["self"] = cyclic
    cyclic["list"] = [cyclic]
    const shared = { x: 1 }
    assert.deepStrictEqual(
      parsed({
        big: 12345678901234567890n,
        cyclic,
        twice: [shared, shared],
        date: new Date(0),
        noDate: new Date(Number.NaN),
        view: new Uint8Array(3),
        buffer: new ArrayBuffer(5),
        map: new Map<unknown, unknown>([["a", 1n], [shared, new Set([2])]]),
        numbers: [Number.NaN, Number.POSITIVE_INFINITY, -0],
        none: undefined,
        run: () => 1,
        symbol: Symbol("secret"),
        error: new TypeError("wrong")
      }),
      {
        big: "12345678901234567890",
        cyclic: { name: "a", self: "[circular]", list: ["[circular]"] },
        twice: [{ x: 1 }, { x: 1 }],
        date: "1970-01-01T00:00:00.000Z",
        noDate: "[Invalid Date]",
        view: "[Uint8Array 3 bytes]",
        buffer: "[ArrayBuffer 5 bytes]",
        map: [["a", "1"], [{ x: 1 }, [2]]],
        numbers: ["[NaN]", "[Infinity]", 0],
        none: "[undefined]",
        run: "[function]",
        symbol: "[symbol]",
        error: { message: "wrong" }
      }
    )
  })

  it("is written although the app's own code throws", () => {
    const bad = {
      get throws(): never {
        throw new Error("getter")
      },
      badJson: {
        toJSON(): never {
          throw new Error("toJSON")
        }
      },
      badGetter: {
        kept: 1,
        get toJSON(): never {
          throw new Error("toJSON getter")
        }
      },
      noFunction: { toJSON: "[function]" },
      itself: {
        kept: 2,
        toJSON() {
          return this
        }
      },
      told: { toJSON: () => ({ told: true }) },
      proxy: new Proxy({}, {
        ownKeys() {
          throw new Error("ownKeys")
        }
      }),
      kept: 3
    }
    assert.deepStrictEqual(parsed(bad), {
      throws: "[unreadable]",
      badJson: "[unreadable]",
      badGetter: { kept: 1, toJSON: "[unreadable]" },
      noFunction: { toJSON: "[function]" },
      itself: { kept: 2, toJSON: "[function]" },
      told: { told: true },
      proxy: "[unreadable]",
      kept: 3
    })
    assert.strictEqual(text(bad.proxy), "\"[unreadable]\"")
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    assert.strictEqual(text({ proxy }), "{\"proxy\":\"[unreadable]\"}")
  })

  it("ends where a value is too deep", () => {
    let deep: unknown = "bottom"
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    assert.include(text(deep, { maxBytes: 10_000 }), "[too deep]")
    let fair: unknown = "bottom"
    for (let depth = 0; depth < 200; depth++) fair = { next: fair }
    assert.include(text(fair, { maxBytes: 10_000 }), "bottom")
  })

  it("leaves the app's value as it was", () => {
    const value = Object.freeze({ list: Object.freeze([1, Object.freeze({ a: new Map([[1, 2]]) })]) })
    text(value)
    assert.deepStrictEqual(value, { list: [1, { a: new Map([[1, 2]]) }] })
  })
})

describe("the cap", () => {
  it("counts UTF-8 bytes, cuts no character in two and keeps the full size", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.nat(90), (value, maxBytes) => {
        const whole = JSON.stringify(value)
        const written = Content.make(value, settings({ maxBytes }), place)
        assert.strictEqual(written.bytes, bytes(whole))
        assert.strictEqual(written.truncated, bytes(whole) > maxBytes)
        assert.isAtMost(bytes(written.text), maxBytes)
        assert.isTrue(whole.startsWith(written.text))
        assert.isTrue(written.text.isWellFormed())
        // The longest such prefix: the next character would not fit.
        const next = Array.from(whole.slice(written.text.length))[0]
        if (next !== undefined) assert.isAbove(bytes(written.text + next), maxBytes)
      }),
      { numRuns: 3000 }
    )
  })

  it("holds for 5 MB, and for a cap of nothing", () => {
    const written = Content.make("é".repeat(2_500_000), settings(), place)
    assert.deepStrictEqual([bytes(written.text), written.truncated, written.bytes], [2047, true, 5_000_002])
    for (const maxBytes of [0, -1, 0.5]) {
      assert.deepStrictEqual(Content.make("abc", settings({ maxBytes }), place), {
        text: "",
        truncated: true,
        bytes: 5
      })
    }
  })
})

describe("the redactor", () => {
  it("sees the value and its place before anything else does", () => {
    const seen: Array<unknown> = []
    const value = {
      get secret(): never {
        throw new Error("read")
      }
    }
    const redact = (given: unknown, where: ContentPlace) => {
      seen.push(given === value, where)
      return "replaced"
    }
    assert.strictEqual(text(value, { redact }), "\"replaced\"")
    assert.deepStrictEqual(seen, [true, place])
  })

  it("leaves a mark where it removes the value, throws, or removes a part of it", () => {
    const expected = { text: "[redacted]", truncated: false, bytes: 10 }
    const boom = (): never => {
      throw new Error("secret")
    }
    assert.deepStrictEqual(Content.make("secret", settings({ redact: () => undefined }), place), expected)
    assert.deepStrictEqual(Content.make("secret", settings({ redact: boom }), place), expected)
    assert.strictEqual(
      text({ user: "u", password: "secret" }, { redact: (value) => ({ ...value as object, password: undefined }) }),
      "{\"user\":\"u\",\"password\":\"[redacted]\"}"
    )
  })

  it("is capped too", () => {
    const redact = () => "x".repeat(5_000)
    const written = Content.make("short", settings({ redact, maxBytes: 100 }), place)
    assert.deepStrictEqual([written.text.length, written.truncated, written.bytes], [100, true, 5_002])
  })
})
