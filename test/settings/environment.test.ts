import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FastCheck from "fast-check"
import { definitions } from "../../src/settings/definition.ts"
import * as Environment from "../../src/settings/environment.ts"
import { defaults, merge, Settings } from "../../src/settings/settings.ts"

const inForce = (env: Record<string, string>) => merge({}, Environment.read(env).input, defaults)

describe("environment", () => {
  it("an empty environment gives the defaults and no warning", () => {
    assert.deepStrictEqual(inForce({}), defaults)
    assert.deepStrictEqual(Environment.read({}).warnings, [])
  })

  it("reads every variable", () => {
    assert.deepStrictEqual(
      inForce({
        TOOLSPAN_DISABLED: "true",
        TOOLSPAN_CONTENT: "arguments",
        TOOLSPAN_CONTENT_MAX_BYTES: "100",
        TOOLSPAN_CARRIER: "in-band",
        TOOLSPAN_GUARD: "strict",
        TOOLSPAN_METRICS: "true",
        TOOLSPAN_MAX_OPEN_CALLS: "7",
        TOOLSPAN_OPEN_CALL_TTL: "30m"
      }),
      {
        enabled: false,
        content: { arguments: true, results: false, maxBytes: 100, redact: undefined },
        carrier: "in-band",
        guard: "strict",
        metrics: true,
        maxOpenCalls: 7,
        openCallTtlMillis: 1_800_000
      }
    )
  })

  it("either switch disables, whatever the other says", () => {
    assert.isFalse(inForce({ OTEL_SDK_DISABLED: "TRUE" }).enabled)
    assert.isFalse(inForce({ OTEL_SDK_DISABLED: "true", TOOLSPAN_DISABLED: "false" }).enabled)
    assert.isFalse(inForce({ OTEL_SDK_DISABLED: "false", TOOLSPAN_DISABLED: "1" }).enabled)
    assert.isTrue(inForce({ OTEL_SDK_DISABLED: "false", TOOLSPAN_DISABLED: "0" }).enabled)
  })

  it("TOOLSPAN_CONTENT beats the switch of the conventions", () => {
    const key = definitions.captureMessageContent.name
    assert.deepInclude(inForce({ [key]: "true" }).content, { arguments: true, results: true })
    assert.deepInclude(inForce({ [key]: "false" }).content, { arguments: false, results: false })
    assert.deepInclude(inForce({ [key]: "true", TOOLSPAN_CONTENT: "off" }).content, {
      arguments: false,
      results: false
    })
    assert.deepInclude(inForce({ [key]: "true", TOOLSPAN_CONTENT: "results" }).content, {
      arguments: false,
      results: true
    })
  })

  it.each([["250", 250], ["250ms", 250], ["1.5 s", 1500], ["2m", 120_000], ["24H", 86_400_000], ["7d", 604_800_000]])(
    "a time to live of %s is %i ms",
    (text, millis) => {
      assert.strictEqual(inForce({ TOOLSPAN_OPEN_CALL_TTL: text }).openCallTtlMillis, millis)
    }
  )

  it.each([
    ["TOOLSPAN_CONTENT", "foo"],
    ["TOOLSPAN_CONTENT_MAX_BYTES", "-1"],
    ["TOOLSPAN_CONTENT_MAX_BYTES", "1.5"],
    ["TOOLSPAN_MAX_OPEN_CALLS", "0"],
    ["TOOLSPAN_MAX_OPEN_CALLS", "NaN"],
    ["TOOLSPAN_OPEN_CALL_TTL", "-5m"],
    ["TOOLSPAN_OPEN_CALL_TTL", "0"],
    ["TOOLSPAN_OPEN_CALL_TTL", "a day"],
    ["TOOLSPAN_CARRIER", "pigeon"],
    ["TOOLSPAN_GUARD", "on"],
    ["TOOLSPAN_DISABLED", "maybe"]
  ])("%s=%s is the default and one warning that names it", (name, value) => {
    const reading = Environment.read({ [name]: value })
    assert.deepStrictEqual(merge({}, reading.input, defaults), defaults)
    assert.lengthOf(reading.warnings, 1)
    assert.include(reading.warnings[0], `${name}=${value}`)
  })

  it("an empty value counts as absent", () => {
    const env = Object.fromEntries(Object.values(definitions).map((definition) => [definition.name, " "]))
    assert.deepStrictEqual(Environment.read(env).warnings, [])
    assert.deepStrictEqual(inForce(env), defaults)
  })

  it("any text in any variable gives settings within their bounds, never a throw", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...Object.values(definitions)),
        FastCheck.oneof(FastCheck.string(), FastCheck.integer().map(String), FastCheck.double().map(String)),
        (definition, text) => {
          const settings = inForce({ [definition.name]: text })
          return settings.maxOpenCalls > 0 && settings.openCallTtlMillis > 0 && settings.content.maxBytes > 0 &&
            Number.isFinite(settings.openCallTtlMillis)
        }
      )
    )
  })

  it("an environment that may not be read is an empty one", () => {
    const denied = new Proxy({}, {
      get: () => {
        throw new Error("denied")
      }
    })
    assert.deepStrictEqual(merge({}, Environment.read(denied).input, defaults), defaults)
  })

  it("runs without a process", () => {
    const process = Object.getOwnPropertyDescriptor(globalThis, "process")!
    try {
      Object.defineProperty(globalThis, "process", { value: undefined, configurable: true, writable: true })
      assert.deepStrictEqual(Environment.variables(), {})
    } finally {
      Object.defineProperty(globalThis, "process", process)
    }
  })
})

describe("merge", () => {
  it("code beats environment beats default, each setting by itself", () => {
    const environment = Environment.read({
      TOOLSPAN_CONTENT: "all",
      TOOLSPAN_CONTENT_MAX_BYTES: "10",
      TOOLSPAN_GUARD: "strict"
    })
    const redact = () => "x"
    const settings = merge(
      { content: { results: false, redact }, guard: undefined, maxOpenCalls: 3 },
      environment.input,
      defaults
    )
    assert.deepStrictEqual(settings, {
      ...defaults,
      content: { arguments: true, results: false, maxBytes: 10, redact },
      guard: "strict",
      maxOpenCalls: 3
    })
  })

  it("takes content by name in code", () => {
    assert.deepStrictEqual(merge({ content: "results" }, { content: "all" }, defaults).content, {
      ...defaults.content,
      results: true
    })
  })
})

describe("Settings", () => {
  it.effect("is a reference: a default without being provided, replaced where provided", () =>
    Effect.gen(function*() {
      const before = yield* Settings
      assert.deepStrictEqual(before, defaults)
      const within = yield* Effect.provideService(Effect.service(Settings), Settings, { ...defaults, enabled: false })
      assert.isFalse(within.enabled)
      assert.strictEqual(Context.get(Context.empty(), Settings), before)
    }))
})
