/** The calls of one response, put together from whatever fragments a stream has, in bounded memory. */
import type { WireCall } from "./Wire.ts"
import { bytesOf } from "./Wire.ts"
import type { Parsed } from "./wireArguments.ts"
import * as WireArguments from "./wireArguments.ts"

/** Further calls of one response are not followed: no model asks for so many, but a broken server may. */
export const maximumCalls = 1_024

/** What names a call. */
export interface CallHead {
  readonly id: string | undefined
  readonly name: string
  readonly itemId?: string | undefined
  readonly callerId?: string | undefined
  readonly approval?: WireCall["approval"]
  readonly providerExecuted: boolean
}

/** A call whose fragments still come in. */
export class OpenCall {
  readonly startTime: bigint
  readonly #fragments: Array<string> = []
  #head: CallHead
  #otherName: string | undefined
  #length = 0
  #deltas = 0
  #bytes: number | undefined = 0
  #given: Parsed | undefined
  #whole: WireCall | undefined

  constructor(head: CallHead, startTime: bigint) {
    this.#head = head
    this.startTime = startTime
  }

  get head(): CallHead {
    return this.#head
  }

  get id(): string | undefined {
    return this.#head.id
  }

  get whole(): WireCall | undefined {
    return this.#whole
  }

  /** The text so far; `undefined` when it is too long to keep. */
  get text(): string | undefined {
    return this.#length > WireArguments.maximumLength ? undefined : this.#fragments.join("")
  }

  /** A later fragment may bring the name that the first one lacked, or another one. */
  named(name: unknown): void {
    if (typeof name !== "string" || name === "") return
    if (this.#head.name === "") this.#head = { ...this.#head, name }
    else if (name !== this.#head.name) this.#otherName ??= name
  }

  append(fragment: unknown): void {
    if (typeof fragment !== "string" || fragment === "") return
    this.#given = undefined
    this.#deltas++
    this.#bytes = (this.#bytes ?? 0) + bytesOf(fragment)
    this.#length += fragment.length
    if (this.#length <= WireArguments.maximumLength) this.#fragments.push(fragment)
    else this.#fragments.length = 0
  }

  /** Takes the whole arguments, in place of the fragments. */
  replace(head: CallHead, given: Parsed, bytes: number | undefined): void {
    this.#head = head
    this.#given = given
    if (bytes !== undefined || this.#deltas === 0) this.#bytes = bytes
  }

  /** The call is whole: the same object from here on, because a decision keeps the call that it was matched with. */
  finish(now: bigint): void {
    this.#whole ??= this.#make(true, now)
  }

  /** The call as it is now. */
  current(now: bigint): WireCall {
    return this.#whole ?? this.#make(false, now)
  }

  #make(complete: boolean, endTime: bigint): WireCall {
    const text = this.#given === undefined ? this.text : undefined
    const parsed = this.#given ?? (!complete || text === undefined
      ? WireArguments.given(undefined)
      : WireArguments.parse(text, "none"))
    return make(this.#head, parsed, {
      otherName: this.#otherName,
      deltas: this.#deltas,
      bytes: this.#bytes,
      complete,
      startTime: this.startTime,
      endTime
    })
  }
}

const make = (
  head: CallHead,
  parsed: Parsed,
  rest: Pick<WireCall, "otherName" | "deltas" | "bytes" | "complete" | "startTime" | "endTime">
): WireCall => ({
  id: head.id,
  name: head.name,
  itemId: head.itemId,
  callerId: head.callerId,
  approval: head.approval,
  providerExecuted: head.providerExecuted,
  ...parsed,
  ...rest
})

/** All calls of one response, in the order in which they began. */
export class WireCalls {
  readonly #calls: Array<WireCall | OpenCall> = []
  /** Calls that were not followed because there were too many. */
  dropped = 0

  /** Adds a call of a plain response. */
  add(head: CallHead, parsed: Parsed, bytes: number | undefined, now: bigint): void {
    if (this.#calls.length >= maximumCalls) {
      this.dropped++
      return
    }
    const rest = { otherName: undefined, deltas: undefined, bytes, complete: true, startTime: now, endTime: now }
    this.#calls.push(make(head, parsed, rest))
  }

  /** Begins a call of a stream; `undefined` when there are too many. */
  open(head: CallHead, now: bigint): OpenCall | undefined {
    if (this.#calls.length >= maximumCalls) {
      this.dropped++
      return undefined
    }
    const call = new OpenCall(head, now)
    this.#calls.push(call)
    return call
  }

  /** Every call that has begun is whole. */
  finish(now: bigint): void {
    for (const call of this.#calls) if (call instanceof OpenCall) call.finish(now)
  }

  whole(): ReadonlyArray<WireCall> {
    const whole: Array<WireCall> = []
    for (const call of this.#calls) {
      const done = call instanceof OpenCall ? call.whole : call
      if (done !== undefined) whole.push(done)
    }
    return whole
  }

  /** All calls; the unfinished ones end when their last event came. */
  all(lastEvent: bigint): ReadonlyArray<WireCall> {
    return this.#calls.map((call) => call instanceof OpenCall ? call.current(lastEvent) : call)
  }
}
