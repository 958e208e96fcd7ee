/** From a job to the turns that the app makes and what answers each of them. */
import type { Job } from "./case-file.ts"
import { isProvider } from "./models.ts"
import type { Answer } from "./replay-server.ts"
import { copy, partsOf, type Turn, turnsOf } from "./turns.ts"
import {
  type Asked,
  type End,
  endOf,
  type Handler,
  handlerOf,
  largeResult,
  type ManualHandle,
  manualHandleOf,
  type Unknown,
  valuesOf
} from "./words.ts"

export interface Plan {
  readonly turns: ReadonlyArray<Turn>
  readonly stream: boolean
  /** The answers of the loopback server, for a provider client. */
  readonly answers: ReadonlyArray<Answer> | undefined
  /** The messages that a `Chat` starts with; absent where there is no `Chat`. */
  readonly chat: ReadonlyArray<any> | undefined
  /** Every turn has its own `IdGenerator` and model. */
  readonly separate: boolean
  readonly end: End
  readonly manual: ManualHandle | undefined
  readonly failureMode: "error" | "return"
  readonly anyParameters: boolean
  readonly anySuccess: boolean
  readonly handler: Handler
  readonly result: (() => unknown) | undefined
  readonly repeat: number
  /** How often the app's own values were looked into. */
  readonly asked: Asked
}

const resultOf = (job: Job, { params, result }: any, asked: Asked): (() => unknown) | undefined => {
  if (job.mode === "prompt" || job.mode === "parts" || result === undefined) return undefined
  if (result === "same set") return () => valuesOf(params, asked)
  if (typeof result === "string" && /\d+ MB/.test(result)) {
    let large: object | undefined
    return () => large ??= largeResult(result, asked)
  }
  return () => copy(result)
}

const answersOf = (job: Job, end: End): ReadonlyArray<Answer> => {
  const { payload, kind } = job.file
  const one = (payload: any): Answer =>
    kind === "stream" || job.mode === "streamText"
      ? {
        _tag: "stream",
        events: Array.isArray(payload) ? payload : payload.events,
        end: end._tag === "destroy" ? "destroy" : end._tag === "interrupt" ? "hang" : "close"
      }
      : { _tag: "response", body: payload }
  return Array.isArray(payload.turns) ? payload.turns.map(one) : [one(payload)]
}

const endsOf = (
  payload: any,
  unknown: Unknown
): ReadonlyArray<{ readonly label: string; readonly end: End }> => {
  if (!Array.isArray(payload.events)) {
    const words = `${payload.form ?? ""} ${payload.handler ?? ""}`
    const told = /consumer|is interrupted|interrupts the|time(s )?out|Stream\.take/.test(words)
      ? endOf(words)
      : undefined
    return [{ label: "", end: told ?? { _tag: "all" } }]
  }
  const first = payload.then === undefined
    ? { label: "", end: { _tag: "all" } as const }
    : { label: "", end: { _tag: "destroy" } as const }
  const rest = [payload.also_run ?? []].flat().flatMap((text: any) => {
    const words = typeof text === "string" ? text : JSON.stringify(text)
    const end = endOf(words)
    if (end === undefined) unknown.push(`also_run: ${words}`)
    return end === undefined ? [] : [{ label: ` (${words})`, end }]
  })
  return [first, ...rest]
}

const failureModeOf = ({ failureMode, form }: any, index: number): "error" | "return" => {
  if (Array.isArray(failureMode)) return failureMode[index] ?? failureMode[0]
  return failureMode ?? (/failureMode:? ?['"]?return/.test(form ?? "") ? "return" : "error")
}

const isReal = (job: Job) => isProvider(job.file.provider) && job.mode !== "prompt" && job.mode !== "parts"

// A provider's response is the payload itself: its keys are the provider's, not the runner's.
const settingsOf = (job: Job): any => {
  const { payload } = job.file
  return Array.isArray(payload) ||
      (isProvider(job.file.provider) && payload.turns === undefined && payload.events === undefined)
    ? {}
    : payload
}

/** The plans of a job, and the words of the case that this runner has no meaning for. */
export interface Plans {
  /** One, but for a stream with several ends. Only the first has to hold the whole block. */
  readonly plans: ReadonlyArray<{ readonly label: string; readonly plan: Plan }>
  readonly unknown: ReadonlyArray<string>
}

export const plansOf = (job: Job): Plans => {
  const unknown: Unknown = []
  const payload = settingsOf(job)
  const { form, handler } = payload
  const plans = endsOf(payload, unknown).map(({ end, label }) => {
    const asked: Asked = { count: 0 }
    const real = isReal(job)
    const { chat, turns } = turnsOf(job, payload, real ? undefined : partsOf(job, payload, asked))
    const plan: Plan = {
      turns,
      stream: job.mode === "streamText",
      answers: real ? answersOf(job, end) : undefined,
      chat,
      separate: Array.isArray(payload.steps),
      end,
      manual: manualHandleOf(form, job.block.text),
      failureMode: failureModeOf(payload, job.index),
      anyParameters: /parameters and success Schema\.Any/.test(form ?? ""),
      anySuccess: /success Schema\.Any/.test(form ?? ""),
      handler: handlerOf(handler, form, unknown),
      result: resultOf(job, payload, asked),
      repeat: typeof payload.repeat === "number" ? payload.repeat : 1,
      asked
    }
    return { label, plan }
  })
  return { plans, unknown: [...new Set(unknown)] }
}
