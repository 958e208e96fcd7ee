/** The guard's refusal as an error of the host: what `LanguageModel` and its callers expect to fail with. */
import * as Schema from "effect/Schema"
import { BrokenHistory } from "../pairing/BrokenHistory.ts"

/**
 * Brands of both effect lines: the AI modules have another path on each, so they cannot be imported; a class of the same
 * schema identifier with the brands is one of theirs to every guard and schema of theirs.
 */
const errorBrands = ["~effect/ai/AiError", "~effect/unstable/ai/AiError/AiError"] as const
const reasonBrands = ["~effect/ai/AiError/Reason", "~effect/unstable/ai/AiError/Reason"] as const

const branded = <A extends object>(error: A, brands: ReadonlyArray<string>): A => {
  for (const brand of brands) Object.defineProperty(error, brand, { value: brand })
  return error
}

class InvalidUserInput extends Schema.Error<InvalidUserInput>("effect/ai/AiError/InvalidUserInputError")({
  _tag: Schema.tag("InvalidUserInputError"),
  description: Schema.String
}) {
  get isRetryable(): boolean {
    return false
  }

  override get message(): string {
    return `Invalid user input: ${this.description}`
  }
}

class HostError extends Schema.Error<HostError>("effect/ai/AiError/AiError")({
  _tag: Schema.tag("AiError"),
  module: Schema.String,
  method: Schema.String,
  reason: InvalidUserInput
}) {
  override readonly cause = this.reason

  get isRetryable(): boolean {
    return this.reason.isRetryable
  }

  get retryAfter(): undefined {
    return undefined
  }

  override get message(): string {
    return `${this.module}.${this.method}: ${this.reason.message}`
  }
}

/** The host's error for a history that was refused; its reason's cause is the `BrokenHistory`. */
export const make = (broken: BrokenHistory, method: string): HostError => {
  const reason = branded(new InvalidUserInput({ description: broken.message }), reasonBrands)
  Object.defineProperty(reason, "cause", { value: broken })
  return branded(new HostError({ module: "Toolspan", method, reason }), errorBrands)
}

/** The refusal inside an error, or the error itself. */
export const toBrokenHistory = <E>(error: E): E | BrokenHistory => {
  const cause = (error as { readonly reason?: { readonly cause?: unknown } } | null | undefined)?.reason?.cause
  return cause instanceof BrokenHistory ? cause : error
}
