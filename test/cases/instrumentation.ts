/** How a run switches toolspan on: the one file of the runner that names toolspan's own functions. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Everything that a run wraps. */
export interface Instrumentation {
  readonly provider: <A>(hooks: A) => A
  readonly languageModel: <A>(service: A) => A
  readonly toolkit: <A>(toolkit: A) => A
  readonly client: <A>(service: A) => A
  readonly conversation: (id: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly layer: Layer.Layer<never>
  /** How many calls toolspan remembers; `undefined` when it does not say. */
  readonly openCalls: Effect.Effect<number | undefined>
}

/** The host by itself. */
export const off: Instrumentation = {
  provider: (hooks) => hooks,
  languageModel: (service) => service,
  toolkit: (toolkit) => toolkit,
  client: (service) => service,
  conversation: () => (effect) => effect,
  layer: Layer.empty,
  openCalls: Effect.succeed(undefined)
}

let active = off

/** The instrumentation of the run that is going on, for modules that cannot be handed it. */
export const current = (): Instrumentation => active

/** Makes it the current one. */
export const activate = (instrumentation: Instrumentation): void => {
  active = instrumentation
}

let generation = 0

/** Toolspan with a memory of its own, so that one run cannot pair with the calls of another. */
export const on = async (content: "off" | "all"): Promise<Instrumentation> => {
  // How the runner is tried on the host alone: most cases must fail then, and no host comparison may.
  if (process.env["CASES_BARE"] !== undefined) return off
  const url = new URL("../../src/index.ts", import.meta.url)
  url.searchParams.set("generation", String(++generation))
  const Toolspan: Record<string, any> = await import(url.href)
  const wrap = (name: string) => <A>(value: A): A => Toolspan[name] === undefined ? value : Toolspan[name](value)
  return {
    provider: wrap("provider"),
    languageModel: wrap("languageModel"),
    toolkit: wrap("toolkit"),
    client: wrap("client"),
    conversation: (id) => Toolspan["withConversation"](id),
    layer: Toolspan["layer"]({ content, isolated: true }),
    openCalls: Effect.map(Toolspan["stats"] ?? Effect.succeed({}), (stats: any) => stats.openCalls)
  }
}
