/** Reaches every service that is made through the static `of` of its class, on any runtime and without a loader. */

const Mark = Symbol.for("toolspan/serviceHook")

/** What a service is replaced with: `key` is the key of its class. Answers the service itself when it is none of ours. */
export type ServiceWrapper = (key: string, service: unknown) => unknown

interface Prototype {
  of: ((this: unknown, service: unknown) => unknown) & { [Mark]?: true }
}

const prototypeOf = (serviceClass: object): Prototype | undefined => {
  for (let at: object | null = serviceClass; at !== null; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, "of") && typeof (at as Prototype).of === "function") return at as Prototype
  }
  return undefined
}

/**
 * Makes the `of` that all service classes of one copy of effect share give its services to `wrap`.
 *
 * `serviceClass` is any class of that copy. A second call for the same copy, from this or another copy of
 * toolspan, changes nothing. Answers whether the hook is in place.
 */
export const installServiceHookOn = (serviceClass: object, wrap: ServiceWrapper): boolean => {
  const prototype = prototypeOf(serviceClass)
  if (prototype === undefined) return false
  const original = prototype.of
  if (original[Mark] === true) return true
  const hooked: Prototype["of"] = function(this: unknown, service: unknown): unknown {
    const made = original.call(this, service)
    // Called detached there is no class, and so no key to know the service by.
    const key = (this as { readonly key?: unknown } | null | undefined)?.key
    return typeof key === "string" ? wrap(key, made) : made
  }
  hooked[Mark] = true
  try {
    prototype.of = hooked
  } catch {
    return false
  }
  return prototype.of === hooked
}

/** As `installServiceHookOn`, given the `Context` module of a copy of effect. */
export const installServiceHook = (
  contextModule: { readonly Service: (key: string) => object },
  wrap: ServiceWrapper
): boolean => installServiceHookOn(contextModule.Service("toolspan/ServiceHook"), wrap)
