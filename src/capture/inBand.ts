/** The in-band carrier in a history: read by the turn, and gone before a provider sees it. */
import * as Carrier from "../lifecycle/carrier.ts"
import * as Stamp from "./Stamp.ts"

interface Part {
  readonly type?: unknown
  readonly options?: Readonly<Record<string, unknown>>
}

interface Message {
  readonly content?: unknown
}

/** The carrier that a part of a history has, whatever it is. */
export const of = (part: object): unknown => (part as Part).options?.[Carrier.field]

// The same message is cleaned to the same object each time: the host recognises the messages it has sent by identity.
const cleanMessages = Stamp.make<object>()

const hasCarrier = (part: unknown): part is Part & { readonly options: Readonly<Record<string, unknown>> } =>
  typeof part === "object" && part !== null && of(part) !== undefined

const cleanPart = (part: unknown): unknown => {
  if (!hasCarrier(part)) return part
  const { [Carrier.field]: _, ...options } = part.options
  return Object.assign(Object.create(Object.getPrototypeOf(part)), part, { options })
}

const cleanMessage = (message: unknown): unknown => {
  const content = (message as Message | undefined)?.content
  if (!Array.isArray(content) || !content.some(hasCarrier)) return message
  const known = cleanMessages.get(message)
  if (known !== undefined) return known
  const clean = Object.assign(Object.create(Object.getPrototypeOf(message)), message, {
    content: content.map(cleanPart)
  })
  cleanMessages.put(message, clean)
  return clean
}

/** A prompt without carriers: the same prompt when it has none, else a copy of what changes. */
export const clean = (prompt: unknown): unknown => {
  const messages: unknown = Array.isArray(prompt) ? prompt : (prompt as Message | undefined)?.content
  if (!Array.isArray(messages)) return prompt
  const cleaned = messages.map(cleanMessage)
  if (cleaned.every((message, index) => message === messages[index])) return prompt
  return Array.isArray(prompt)
    ? cleaned
    : Object.assign(Object.create(Object.getPrototypeOf(prompt)), prompt, { content: cleaned })
}
