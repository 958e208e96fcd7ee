/** From a job to the turns that the app makes and what answers each of them. */
import type { Job } from "./case-file.ts"
import type { Script } from "./models.ts"
import { isProvider } from "./models.ts"
import type { Answer } from "./replay-server.ts"
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

export interface Turn {
  readonly prompt: unknown
  readonly options: Readonly<Record<string, unknown>>
  readonly conversation: string | undefined
  /** What a scripted model answers; absent for a provider client. */
  readonly script: Script | undefined
}

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

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }
const finish = (reason: string) => ({ type: "finish", reason, usage })
const okay = [{ type: "text", text: "ok" }, finish("stop")]

const copy = <A>(value: A): A => structuredClone(value)

const scriptOf = (parts: ReadonlyArray<any>, oneChunk: boolean): Script => () =>
  oneChunk ? [copy(parts)] : parts.map((part) => [copy(part)])

const partsOf = (job: Job, payload: any, asked: Asked): Script => {
  const { tools } = job.file
  if (job.mode === "parts") return scriptOf(job.file.effect_parts ?? okay, false)
  if (job.mode === "prompt") return scriptOf(okay, false)
  if (Array.isArray(payload.chunks)) return () => copy(payload.chunks).map((chunk: any) => [chunk].flat())
  if (Array.isArray(payload.parts)) return scriptOf(payload.parts, /\bone chunk\b/.test(payload.form ?? ""))
  if (Array.isArray(payload.ids)) {
    const call = (id: string) => ({ type: "tool-call", id, name: tools[0], params: { key: "alpha" } })
    return scriptOf([...payload.ids.map(call), finish("tool-calls")], false)
  }
  if (payload.params !== undefined && typeof payload.params === "object") {
    return () => [[{ type: "tool-call", id: "c1", name: tools[0], params: valuesOf(payload.params, asked) }], [finish("tool-calls")]]
  }
  if (payload.result !== undefined) {
    return scriptOf([{ type: "tool-call", id: "c1", name: tools[0], params: { key: "alpha" } }, finish("tool-calls")], false)
  }
  return scriptOf(okay, false)
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

const turn = (prompt: unknown, script: Script | undefined, options: object = {}, conversation?: string): Turn => ({
  prompt,
  script,
  options: options as Record<string, unknown>,
  conversation
})

const isMessages = (value: unknown): boolean => Array.isArray(value) && value.every((item) => "role" in Object(item))

const turnsOf = (
  job: Job,
  payload: any,
  script: Script | undefined
): { turns: ReadonlyArray<Turn>; chat?: ReadonlyArray<any> } => {
  if (job.mode === "prompt") return { turns: [turn(job.file.effect_prompt, script)] }
  if (job.mode === "parts") return { turns: [turn("go", script)] }
  const options = payload.options ?? {}
  const prompt = payload.prompt ?? "go"
  if (Array.isArray(payload.steps)) {
    const named = job.index === 0
    return {
      turns: payload.steps.map((step: any) =>
        turn(step.prompt ?? "go", scriptOf(step.parts, false), step.options, named ? step.conversation : undefined)
      )
    }
  }
  if (Array.isArray(payload.turns)) {
    return { turns: payload.turns.map((_: unknown, i: number) => turn(i === 0 ? prompt : [], script, options)), chat: [] }
  }
  if (payload.next !== undefined) {
    return { turns: [turn(prompt.slice(-1), script, options), turn(payload.next, script, options)], chat: prompt.slice(0, -1) }
  }
  if (payload.turn1 !== undefined) {
    const first = payload.turn1
    const parts = isMessages(first) ? undefined : Array.isArray(first) ? first : first.parts
    const asked = isMessages(first) ? first : first.prompt ?? "go"
    return {
      turns: [
        turn(asked, scriptOf(parts ?? okay, false), first.options ?? options),
        turn(payload.turn2_prompt ?? prompt, script, options)
      ]
    }
  }
  return { turns: [turn(prompt, script, options)] }
}

const endsOf = (
  payload: any,
  unknown: Unknown
): ReadonlyArray<{ readonly label: string; readonly end: End }> => {
  if (!Array.isArray(payload.events)) {
    const words = `${payload.form ?? ""} ${payload.handler ?? ""}`
    const told = /consumer|is interrupted|interrupts the|time(s )?out|Stream\.take/.test(words) ? endOf(words) : undefined
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
  return Array.isArray(payload) || (isProvider(job.file.provider) && payload.turns === undefined && payload.events === undefined)
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
