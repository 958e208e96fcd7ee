/** The calls of one pi turn, and how far pi has come with each: its events name a call by its id alone. */
import type { Execution, RecordedCall, Refusal } from "../recorder/index.ts"

/** A call of an assistant message, as it is decided. */
interface Decided {
  /** As pi has it, `call|item` included. */
  readonly id: unknown
  readonly name: unknown
  readonly reference: RecordedCall | Refusal
  /** Its arguments are no JSON. */
  readonly unreadable: boolean
}

/** One call of an assistant message. */
export interface PiCall extends Decided {
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

/** Calls of one id on their way through one stage. Who has passed it never comes back, so nobody is looked at twice. */
class Line {
  readonly #calls: ReadonlyArray<PiCall>
  readonly #passed: (call: PiCall) => boolean
  #first = 0

  constructor(calls: ReadonlyArray<PiCall>, passed: (call: PiCall) => boolean) {
    this.#calls = calls
    this.#passed = passed
  }

  /** The first that has not passed. */
  next(): PiCall | undefined {
    let call = this.#calls[this.#first]
    while (call !== undefined && this.#passed(call)) call = this.#calls[++this.#first]
    return call
  }
}

const hasRun = (call: PiCall): boolean => call.execution !== undefined || call.blocked

/** All calls of one id, in the order of the message. */
class SameId {
  readonly calls: Array<PiCall> = []
  readonly asked: Array<PiCall> = []
  readonly toRun = new Line(this.calls, hasRun)
  readonly askedToRun = new Line(this.asked, hasRun)
  readonly toEnd = new Line(this.calls, (call) => call.ended)
  readonly toAnswer = new Line(this.calls, (call) => call.told)
}

/** Calls of one id go through each stage in the order of the message. */
export class PiCalls {
  /** Hooks give the block of the assistant message: it tells equal ids apart. */
  readonly #byBlock = new Map<unknown, PiCall>()
  readonly #byId = new Map<unknown, SameId>()

  add(block: object, decided: Decided): void {
    if (this.#byBlock.has(block)) return
    const call: PiCall = {
      ...decided,
      asked: false,
      blocked: false,
      execution: undefined,
      ended: false,
      told: false
    }
    this.#byBlock.set(block, call)
    let same = this.#byId.get(call.id)
    if (same === undefined) this.#byId.set(call.id, same = new SameId())
    same.calls.push(call)
  }

  ofBlock(block: unknown): PiCall | undefined {
    return this.#byBlock.get(block)
  }

  /** The hook before this call is asked. */
  ask(call: PiCall): void {
    if (call.asked) return
    call.asked = true
    this.#byId.get(call.id)?.asked.push(call)
  }

  /** The next call of this id that may run; without a hook of ours that was asked, the next that has not run. */
  toRun(id: unknown): PiCall | undefined {
    const same = this.#byId.get(id)
    return same?.askedToRun.next() ?? same?.toRun.next()
  }

  toEnd(id: unknown): PiCall | undefined {
    return this.#byId.get(id)?.toEnd.next()
  }

  toAnswer(id: unknown): PiCall | undefined {
    return this.#byId.get(id)?.toAnswer.next()
  }
}
