import * as Loose from "./Loose.ts"
import type { Mending } from "./Mending.ts"
import * as MissingResult from "./MissingResult.ts"
import type { PairedCall } from "./Pairing.ts"

type Entry = Readonly<Record<string, unknown>>

/** What makes a decoded part or message one: keys such as `~effect/ai/Prompt/Part`, which differ between the lines. */
const brands = (source: object | undefined): Entry =>
  source === undefined ? {} : Object.fromEntries(Object.entries(source).filter(([key]) => key.startsWith("~")))

/** A turn that is tried again gets the answers of the first try, so that they are known to be the same. */
const answers = new WeakMap<object, Entry>()

const answerTo = (call: PairedCall): Entry => {
  const known = answers.get(call.source)
  if (known !== undefined) return known
  const answer = {
    ...brands(call.source),
    type: "tool-result",
    id: (call.source as Entry)["id"],
    name: call.name,
    isFailure: true,
    result: MissingResult.value,
    providerExecuted: call.providerExecuted,
    options: {}
  }
  answers.set(call.source, answer)
  return answer
}

// What the provider ran it answers in the same message.
const ownAnswers = (calls: ReadonlyArray<PairedCall>): ReadonlyMap<number, Entry> =>
  new Map(calls.filter((call) => call.providerExecuted).map((call) => [call.part, answerTo(call)]))

const contentOf = (
  content: ReadonlyArray<unknown>,
  dropped: ReadonlySet<number> | undefined,
  own: ReadonlyMap<number, Entry>
): ReadonlyArray<unknown> =>
  content.flatMap((part, index) => {
    if (dropped?.has(index) === true) return []
    const answer = own.get(index)
    return answer === undefined ? [part] : [part, answer]
  })

const isTool = (value: unknown): boolean =>
  Loose.record(value)?.["role"] === "tool" && Array.isArray(Loose.record(value)?.["content"])

const messagesOf = (source: ReadonlyArray<unknown>, { answered, dropped }: Mending): ReadonlyArray<unknown> => {
  const messages: Array<unknown> = []
  let due: ReadonlyArray<Entry> = []
  source.forEach((message, index) => {
    const calls = answered.get(index) ?? []
    const lost = dropped.get(index)
    const carries = due.length > 0 && isTool(message)
    if (due.length > 0 && !carries) messages.push(toolMessage(source, due))
    const own = ownAnswers(calls)
    if (own.size === 0 && lost === undefined && !carries) messages.push(message)
    else {
      const before = Loose.list(Loose.record(message)?.["content"])
      const content = [...contentOf(before, lost, own), ...(carries ? due : [])]
      if (content.length > 0) messages.push({ ...(message as object), content })
    }
    due = calls.filter((call) => !call.providerExecuted).map(answerTo)
  })
  if (due.length > 0) messages.push(toolMessage(source, due))
  return messages
}

const toolMessage = (source: ReadonlyArray<unknown>, content: ReadonlyArray<Entry>): Entry => ({
  ...brands(source.find((one) => Loose.record(one) !== undefined) as object | undefined),
  role: "tool",
  content,
  options: {}
})

/** An Effect prompt, or a list of its messages, as it is with the mending done; decoded stays decoded. */
export const write = (prompt: unknown, mending: Mending): unknown => {
  if (Array.isArray(prompt)) return messagesOf(prompt, mending)
  const content = messagesOf(Loose.list((prompt as Entry)["content"]), mending)
  return Object.assign(Object.create(Object.getPrototypeOf(prompt)), prompt, { content })
}
