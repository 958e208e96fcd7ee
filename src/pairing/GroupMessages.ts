import * as Result from "effect/Result"
import type { AnsweredCall, GroupCall, ToolCallGroup } from "./ToolCallGroup.ts"
import { complete } from "./ToolCallGroup.ts"
import type { ToolCallGroupError } from "./ToolCallGroupError.ts"

/** The messages (entries, for Responses input) that a group makes in one form of history. */
export type Written = Result.Result<ReadonlyArray<object>, ToolCallGroupError>

const written =
  (write: (answered: ReadonlyArray<AnsweredCall>) => ReadonlyArray<object>) => (self: ToolCallGroup): Written =>
    Result.map(complete(self), write)

const text = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

const argumentsOf = (call: GroupCall): string => JSON.stringify(call.params ?? {})

/**
 * Writes a complete group as an assistant and a tool message of an encoded Effect `Prompt`.
 *
 * **Example** (An Effect prompt)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup, toPrompt } from "toolspan/pairing"
 *
 * const messages = Result.gen(function*() {
 *   const group = yield* ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }])
 *   return yield* toPrompt(yield* ToolCallGroup.answer(group, { id: "c1", isFailure: false, result: "v" }))
 * })
 *
 * Result.map(messages, (all) => all.length) // => Result.succeed(2)
 * ```
 */
export const toPrompt: (self: ToolCallGroup) => Written = written((answered) => [
  {
    role: "assistant",
    content: answered.map(({ call }) => ({
      type: "tool-call",
      id: call.id,
      name: call.name,
      params: call.params,
      providerExecuted: false
    }))
  },
  {
    role: "tool",
    content: answered.map(({ call, result }) => ({
      type: "tool-result",
      id: call.id,
      name: call.name,
      isFailure: result.isFailure,
      result: result.result,
      providerExecuted: false
    }))
  }
])

/**
 * Writes a complete group as two messages of an Anthropic Messages request.
 *
 * **Example** (An Anthropic request)
 *
 * ```ts
 * import { Result } from "effect"
 * import { toAnthropic, ToolCallGroup } from "toolspan/pairing"
 *
 * const messages = Result.gen(function*() {
 *   const group = yield* ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }])
 *   return yield* toAnthropic(yield* ToolCallGroup.answer(group, { id: "c1", isFailure: false, result: "v" }))
 * })
 *
 * Result.map(messages, (all) => all.length) // => Result.succeed(2)
 * ```
 */
export const toAnthropic: (self: ToolCallGroup) => Written = written((answered) => [
  {
    role: "assistant",
    content: answered.map(({ call }) => ({ type: "tool_use", id: call.id, name: call.name, input: call.params ?? {} }))
  },
  {
    role: "user",
    content: answered.map(({ call, result }) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: text(result.result),
      is_error: result.isFailure
    }))
  }
])

/**
 * Writes a complete group as messages of a chat completions request: one for the calls, one per result.
 *
 * **Example** (A chat completions request)
 *
 * ```ts
 * import { Result } from "effect"
 * import { toChatCompletions, ToolCallGroup } from "toolspan/pairing"
 *
 * const messages = Result.gen(function*() {
 *   const group = yield* ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }])
 *   return yield* toChatCompletions(yield* ToolCallGroup.answer(group, { id: "c1", isFailure: false, result: "v" }))
 * })
 *
 * Result.map(messages, (all) => all.length) // => Result.succeed(2)
 * ```
 */
export const toChatCompletions: (self: ToolCallGroup) => Written = written((answered) => [
  {
    role: "assistant",
    content: null,
    tool_calls: answered.map(({ call }) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: argumentsOf(call) }
    }))
  },
  ...answered.map(({ call, result }) => ({ role: "tool", tool_call_id: call.id, content: text(result.result) }))
])

/**
 * Writes a complete group as entries of a Responses request's input.
 *
 * **Example** (A Responses request)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup, toResponses } from "toolspan/pairing"
 *
 * const messages = Result.gen(function*() {
 *   const group = yield* ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }])
 *   return yield* toResponses(yield* ToolCallGroup.answer(group, { id: "c1", isFailure: false, result: "v" }))
 * })
 *
 * Result.map(messages, (all) => all.length) // => Result.succeed(2)
 * ```
 */
export const toResponses: (self: ToolCallGroup) => Written = written((answered) => [
  ...answered.map(({ call }) => ({
    type: "function_call",
    call_id: call.id,
    name: call.name,
    arguments: argumentsOf(call)
  })),
  ...answered.map(({ call, result }) => ({
    type: "function_call_output",
    call_id: call.id,
    output: text(result.result)
  }))
])
