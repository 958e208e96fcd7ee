/** How a run switches toolspan on: the one file of the runner that names toolspan's own functions. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Toolspan from "../../src/index.ts"

/** Everything that a run wraps. */
export interface Instrumentation {
  readonly provider: <A>(hooks: A) => A
  readonly languageModel: <A>(service: A) => A
  readonly toolkit: <A>(toolkit: A) => A
  readonly client: <A>(service: A) => A
  readonly conversation: (id: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  readonly layer: Layer.Layer<never>
  /** What toolspan counted; `undefined` when it is left out. */
  readonly stats: Effect.Effect<Toolspan.Stats | undefined>
}

/** The host by itself. */
export const off: Instrumentation = {
  provider: (hooks) => hooks,
  languageModel: (service) => service,
  toolkit: (toolkit) => toolkit,
  client: (service) => service,
  conversation: () => (effect) => effect,
  layer: Layer.empty,
  stats: Effect.succeed(undefined)
}

let active = off

/** The instrumentation of the run that is going on, for modules that cannot be handed it. */
export const current = (): Instrumentation => active

/** Makes it the current one. */
export const activate = (instrumentation: Instrumentation): void => {
  active = instrumentation
}

/** Toolspan with a memory of its own, so that one run cannot pair with the calls of another. */
export const on = (content: "off" | "all"): Instrumentation => {
  // How the runner is tried on the host alone: most cases must fail then, and no host comparison may.
  if (process.env["CASES_BARE"] !== undefined) return off
  return {
    provider: Toolspan.provider,
    languageModel: Toolspan.languageModel,
    toolkit: Toolspan.toolkit,
    client: Toolspan.client,
    conversation: Toolspan.withConversation,
    layer: Toolspan.layer({ content, isolated: true }),
    stats: Toolspan.stats
  }
}
