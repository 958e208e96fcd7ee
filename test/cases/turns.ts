/** The turns of an app: what each of them asks, and what a scripted model answers. */
import type { Job } from "./case-file.ts"
import type { Script } from "./models.ts"
import { type Asked, valuesOf } from "./words.ts"

export interface Turn {
  readonly prompt: unknown
  readonly options: Readonly<Record<string, unknown>>
  readonly conversation: string | undefined
  /** What a scripted model answers; absent for a provider client. */
  readonly script: Script | undefined
}

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 7 } }
const finish = (reason: string) => ({ type: "finish", reason, usage })
const okay = [{ type: "text", text: "ok" }, finish("stop")]

export const copy = <A>(value: A): A => structuredClone(value)

const scriptOf = (parts: ReadonlyArray<any>, oneChunk: boolean): Script => () =>
  oneChunk ? [copy(parts)] : parts.map((part) => [copy(part)])

/** What a scripted model answers in the job's own turns. */
export const partsOf = (job: Job, payload: any, asked: Asked): Script => {
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
    return () => [[{ type: "tool-call", id: "c1", name: tools[0], params: valuesOf(payload.params, asked) }], [
      finish("tool-calls")
    ]]
  }
  if (payload.result !== undefined) {
    return scriptOf(
      [{ type: "tool-call", id: "c1", name: tools[0], params: { key: "alpha" } }, finish("tool-calls")],
      false
    )
  }
  return scriptOf(okay, false)
}

const turn = (prompt: unknown, script: Script | undefined, options: object = {}, conversation?: string): Turn => ({
  prompt,
  script,
  options: options as Record<string, unknown>,
  conversation
})

const isMessages = (value: unknown): boolean => Array.isArray(value) && value.every((item) => "role" in Object(item))

/** The turns of a job; `chat`: the messages that their `Chat` starts with. */
export const turnsOf = (
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
    return {
      turns: payload.turns.map((_: unknown, i: number) => turn(i === 0 ? prompt : [], script, options)),
      chat: []
    }
  }
  if (payload.next !== undefined) {
    return {
      turns: [turn(prompt.slice(-1), script, options), turn(payload.next, script, options)],
      chat: prompt.slice(0, -1)
    }
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
