import * as Context from "effect/Context"
import { assert, describe, it } from "vitest"
import { installServiceHook, installServiceHookOn } from "../../src/boot/serviceHook.ts"

class Bakery extends Context.Service<Bakery, { readonly bread: number }>()("test/Bakery") {}

/** A copy of effect's `Context`, as far as services go. */
const copy = (freeze = false) => {
  const prototype = { of: (service: unknown) => service }
  if (freeze) Object.freeze(prototype)
  return {
    Service: (key: string) =>
      Object.assign(Object.create(Object.create(prototype)), { key }) as {
        key: string
        of: (service: unknown) => unknown
      }
  }
}

describe("installServiceHook", () => {
  it("gives each service made by `of` to the wrapper with its key", () => {
    const wrapped = { bread: 2 }
    const original = Bakery.of
    const prototype = Object.getPrototypeOf(Object.getPrototypeOf(Bakery))
    try {
      assert.isTrue(installServiceHook(Context, (key, service) => key === "test/Bakery" ? wrapped : service))
      assert.strictEqual(Bakery.of({ bread: 1 }), wrapped)
      class Other extends Context.Service<Other, { readonly bread: number }>()("test/Other") {}
      const other = { bread: 3 }
      assert.strictEqual(Other.of(other), other)
    } finally {
      prototype.of = original
    }
  })

  it("leaves a detached `of` what it was", () => {
    const context = copy()
    installServiceHook(context, () => "wrapped")
    const { of } = context.Service("a")
    assert.strictEqual(of("service"), "service")
  })

  it("is installed once for a copy, whoever asks, and for each copy by itself", () => {
    const one = copy()
    const two = copy()
    const add = (key: string, service: unknown) => `${String(service)}+${key}`
    assert.isTrue(installServiceHook(one, add))
    assert.isTrue(installServiceHook(one, add))
    assert.isTrue(installServiceHookOn(one.Service("b"), add))
    assert.strictEqual(one.Service("a").of("service"), "service+a")
    assert.strictEqual(two.Service("a").of("service"), "service")
    assert.isTrue(installServiceHook(two, add))
    assert.strictEqual(two.Service("a").of("service"), "service+a")
  })

  it("says when it cannot be installed, and breaks nothing", () => {
    const frozen = copy(true)
    assert.isFalse(installServiceHook(frozen, () => "wrapped"))
    assert.strictEqual(frozen.Service("a").of("service"), "service")
    assert.isFalse(installServiceHookOn({}, () => "wrapped"))
  })
})
