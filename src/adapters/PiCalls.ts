/** The calls of one pi turn, and how far pi has come with each: its events name a call by its id alone. */
import type { Execution, RecordedCall, Refusal } from "../recorder/index.ts"

/** One call of an assistant message. */
export interface PiCall {
  /** As pi has it, `call|item` included. */
  readonly id: string
  /** The block of the assistant message: hooks give it, and it tells equal ids apart. */
  readonly block: object
  readonly reference: RecordedCall | Refusal
  /** The hook before the call was asked. */
  asked: boolean
  /** The hook blocked the call, or failed. */
  blocked: boolean
  execution: Execution | undefined
  /** Pi is done with it. */
  ended: boolean
  /** Its result message was told. */
  told: boolean
}

/** Calls of one id go through each stage in the order of the message. */
export class PiCalls {
  readonly #calls: Array<PiCall> = []

  add(id: string, block: object, reference: RecordedCall | Refusal): void {
    const stages = { asked: false, blocked: false, execution: undefined, ended: false, told: false }
    this.#calls.push({ id, block, reference, ...stages })
  }

  ofBlock(block: object): PiCall | undefined {
    return this.#calls.find((call) => call.block === block)
  }

  /** The next call of this id that may run; without a hook of ours that was asked, the next that has not run. */
  toRun(id: string): PiCall | undefined {
    const waiting = this.#calls.filter((call) => call.id === id && call.execution === undefined && !call.blocked)
    return waiting.find((call) => call.asked) ?? waiting[0]
  }

  toEnd(id: string): PiCall | undefined {
    return this.#calls.find((call) => call.id === id && !call.ended)
  }

  toAnswer(id: string): PiCall | undefined {
    return this.#calls.find((call) => call.id === id && !call.told)
  }
}
