import * as Result from "effect/Result"
import type { PairedCall, Pairing } from "./Pairing.ts"
import { ToolCallGroupError } from "./ToolCallGroupError.ts"

/** One call that a decision made. */
export interface GroupCall {
  readonly id: string
  readonly name: string
  /** The encoded arguments. */
  readonly params: unknown
}

/** The result of one call. */
export interface GroupResult {
  readonly id: string
  /** The tool's name; checked against the call's when given. */
  readonly name?: string
  readonly isFailure: boolean
  /** The encoded result. */
  readonly result: unknown
}

const TypeId: unique symbol = Symbol.for("toolspan/pairing/ToolCallGroup")

/**
 * The calls of one decision with the results they have so far; only this module can make one, so every id is there
 * once, every name is there, and every result has its call.
 */
export interface ToolCallGroup {
  readonly [TypeId]: typeof TypeId
  readonly calls: ReadonlyArray<GroupCall>
  /** By the id of the call. */
  readonly results: ReadonlyMap<string, GroupResult>
}

const refuse = (reason: ToolCallGroupError["reason"], id: string): Result.Result<never, ToolCallGroupError> =>
  Result.fail(new ToolCallGroupError({ reason, id }))

const group = (calls: ReadonlyArray<GroupCall>, results: ReadonlyMap<string, GroupResult>): ToolCallGroup => ({
  [TypeId]: TypeId,
  calls,
  results
})

const refusalOf = (
  calls: ReadonlyMap<string, GroupCall>,
  results: ReadonlyMap<string, GroupResult>,
  result: GroupResult
): ToolCallGroupError["reason"] | undefined => {
  const call = calls.get(result.id)
  if (call === undefined) return "orphan_result"
  if (results.has(result.id)) return "duplicate_result"
  const { name } = result
  return name !== undefined && name !== "" && name !== call.name ? "renamed_tool" : undefined
}

const byId = (self: ToolCallGroup): ReadonlyMap<string, GroupCall> => new Map(self.calls.map((call) => [call.id, call]))

/**
 * Makes a group of the calls of one decision, each still without a result.
 *
 * Fails with `no_calls`, `empty_id`, `empty_name` or `duplicate_id`.
 *
 * **Example** (A group that is complete once every call is answered)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup } from "toolspan/pairing"
 *
 * const written = Result.gen(function*() {
 *   const asked = yield* ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }])
 *   const answered = yield* ToolCallGroup.answer(asked, { id: "c1", isFailure: false, result: "v" })
 *   return yield* ToolCallGroup.complete(answered)
 * })
 *
 * Result.isSuccess(written) // => true
 * ```
 */
export const make = (calls: ReadonlyArray<GroupCall>): Result.Result<ToolCallGroup, ToolCallGroupError> => {
  if (calls.length === 0) return refuse("no_calls", "")
  const ids = new Set<string>()
  for (const call of calls) {
    if (call.id === "") return refuse("empty_id", "")
    if (call.name === "") return refuse("empty_name", call.id)
    if (ids.has(call.id)) return refuse("duplicate_id", call.id)
    ids.add(call.id)
  }
  return Result.succeed(group([...calls], new Map()))
}

/**
 * The group with these results too; the given group stays as it is.
 *
 * Fails with `orphan_result`, `duplicate_result` or `renamed_tool`, and then takes none of them.
 *
 * **Example** (Every call answered)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup } from "toolspan/pairing"
 *
 * const group = Result.getOrThrow(ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }]))
 * const answered = ToolCallGroup.answer(group, { id: "c1", isFailure: false, result: "v" })
 *
 * Result.map(answered, ToolCallGroup.open) // => Result.succeed([])
 * ```
 */
export const answer = (
  self: ToolCallGroup,
  ...results: ReadonlyArray<GroupResult>
): Result.Result<ToolCallGroup, ToolCallGroupError> => answerAll(self, results)

// Histories may have more results than a call can have arguments.
const answerAll = (
  self: ToolCallGroup,
  results: ReadonlyArray<GroupResult>
): Result.Result<ToolCallGroup, ToolCallGroupError> => {
  const calls = byId(self)
  const all = new Map(self.results)
  for (const result of results) {
    const reason = refusalOf(calls, all, result)
    if (reason !== undefined) return refuse(reason, result.id)
    all.set(result.id, result)
  }
  return Result.succeed(group(self.calls, all))
}

/**
 * The calls that have no result yet, in their order.
 *
 * **Example** (A call that waits)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup } from "toolspan/pairing"
 *
 * const group = Result.getOrThrow(ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }]))
 *
 * ToolCallGroup.open(group).map((call) => call.id) // => ["c1"]
 * ```
 */
export const open = (self: ToolCallGroup): ReadonlyArray<GroupCall> =>
  self.calls.filter((call) => !self.results.has(call.id))

/**
 * The group with one marked failure for each call that has no result: what a provider accepts when a run was lost.
 *
 * **Example** (A run that was lost)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup } from "toolspan/pairing"
 *
 * const group = Result.getOrThrow(ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }]))
 * const answered = ToolCallGroup.answerRest(group, () => ({ error: "the run was lost" }))
 *
 * answered.results.get("c1")?.isFailure // => true
 * ```
 */
export const answerRest = (self: ToolCallGroup, failure: (call: GroupCall) => unknown): ToolCallGroup => {
  const all = new Map(self.results)
  for (const call of open(self)) all.set(call.id, { id: call.id, isFailure: true, result: failure(call) })
  return group(self.calls, all)
}

/** A call with its result. */
export interface AnsweredCall {
  readonly call: GroupCall
  readonly result: GroupResult
}

/**
 * Every call with its result, in the order of the calls; fails with `unanswered_call` while one has none.
 *
 * **Example** (A call without its result)
 *
 * ```ts
 * import { Result } from "effect"
 * import { ToolCallGroup } from "toolspan/pairing"
 *
 * const group = Result.getOrThrow(ToolCallGroup.make([{ id: "c1", name: "lookup", params: { key: "alpha" } }]))
 *
 * Result.isFailure(ToolCallGroup.complete(group)) // => true
 * ```
 */
export const complete = (self: ToolCallGroup): Result.Result<ReadonlyArray<AnsweredCall>, ToolCallGroupError> => {
  const answered: Array<AnsweredCall> = []
  for (const call of self.calls) {
    const result = self.results.get(call.id)
    if (result === undefined) return refuse("unanswered_call", call.id)
    answered.push({ call, result })
  }
  return Result.succeed(answered)
}

const groupCall = (call: PairedCall): GroupCall => ({ id: call.id ?? "", name: call.name, params: call.params })

/**
 * The calls of one message of a paired history as a group, with the results that they have; provider-executed calls
 * are not part of it. Fails where the message is broken.
 *
 * **Example** (A group out of a history)
 *
 * ```ts
 * import { Result } from "effect"
 * import { fromPrompt, pair, ToolCallGroup } from "toolspan/pairing"
 *
 * const history = pair(fromPrompt([
 *   { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "lookup", params: { key: "alpha" } }] }
 * ]))
 *
 * Result.map(ToolCallGroup.fromPairing(history, 0), ToolCallGroup.open) // => the call c1, which has no result
 * ```
 */
export const fromPairing = (
  pairing: Pairing,
  message: number
): Result.Result<ToolCallGroup, ToolCallGroupError> => {
  const calls = pairing.calls.filter((call) => call.message === message && !call.providerExecuted)
  return Result.flatMap(make(calls.map(groupCall)), (made) =>
    answerAll(
      made,
      calls.flatMap((call) =>
        call.results.map((result): GroupResult => ({
          id: call.id ?? "",
          isFailure: result.isFailure,
          result: result.result,
          ...(result.name === undefined ? undefined : { name: result.name })
        }))
      )
    ))
}
