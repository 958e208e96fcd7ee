/**
 * What the provider packages of the older line get for `LanguageModel`: the module itself, but `make` shows its hooks
 * to toolspan first. An app gets the same from toolspan's module hooks.
 */
import { ai } from "./ai.ts"
import { current } from "./instrumentation.ts"

// @ts-ignore: a module of the older line
export * from "effect/unstable/ai/LanguageModel"

export const make: typeof ai.LanguageModel.make = (params) => ai.LanguageModel.make(current().provider(params))
