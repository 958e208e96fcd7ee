/** What a case says in words: what its handler does, how its values are built, how the app ends a turn. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** Words that the runner has no meaning for; they are told with the verdict. */
export type Unknown = Array<string>

const taggedError = (text: string): unknown => {
  const tag = /_tag['"`]?: ?['"`](\w+)/.exec(text)?.[1] ?? /\b[A-Z]\w*(?:Failure|Error)\b/.exec(text)?.[0] ??
    "DemoFailure"
  const message = /message[^'"`]*['"`]([^'"`]+)/.exec(text)?.[1] ??
    [...text.matchAll(/['"`]([^'"`]+)['"`]/g)].map((match) => match[1]).find((words) => words !== tag)
  if (/no message/.test(text) || message === undefined) {
    return new (class extends Data.TaggedError(tag)<{}> {})()
  }
  return new (class extends Data.TaggedError(tag)<{ readonly message: string }> {})({ message })
}

/** What a handler does with its argument; `preliminary` reports a result before the last one. */
export type Handler = (
  answer: string,
  preliminary: (result: string) => Effect.Effect<void>
) => Effect.Effect<unknown, unknown>

const quoted = (text: string): string | undefined => /[`'"“]([^`'"”]+)[`'"”]/.exec(text)?.[1]

const steps = (text: string): ReadonlyArray<string> | undefined => {
  const match = /preliminary results? `(.*?)(\d+)` … `(.*?)(\d+)`/.exec(text)
  if (match === null) return undefined
  const [, prefix = "", first, , last] = match
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${prefix}${Number(first) + i}`)
}

/** The handler that `payload.handler` or `payload.form` describes; the plain one when neither does. */
export const handlerOf = (handler: string | undefined, form: string | undefined, unknown: Unknown): Handler => {
  const text = handler ?? (/\bhandlers?\b/.test(form ?? "") ? form! : "")
  const delay = /(\d+) ?ms/.exec(text)?.[1]
  const wait = delay === undefined ? Effect.void : Effect.sleep(`${Number(delay)} millis`)
  const reported = steps(text)
  if (/fails?\b/.test(text)) {
    return () => Effect.andThen(wait, Effect.fail(taggedError(text.slice(text.search(/fails?\b/)))))
  }
  if (/\b(dies|defect|throws)\b/.test(text)) {
    return () => Effect.andThen(wait, Effect.die(new Error(quoted(text) ?? "defect")))
  }
  if (/never (returns|ends|completes|finishes|answers)|waits? for ever/.test(text)) return () => Effect.never
  if (/interrupts itself/.test(text)) return () => Effect.interrupt
  if (/returns? (a number|\d+|a value (that|which)|something (that|which))/.test(text)) return () => Effect.as(wait, 42)
  if (reported !== undefined) {
    return (answer, preliminary) =>
      Effect.forEach(reported, preliminary, { discard: true }).pipe(Effect.andThen(wait), Effect.as(answer))
  }
  const returned = /returns `([^`]*)`/.exec(text)?.[1]
  if (returned !== undefined && !/returns `result`/.test(text)) return () => Effect.as(wait, returned)
  if (handler !== undefined && delay === undefined) unknown.push(`handler: ${handler}`)
  return (answer) => Effect.as(wait, answer)
}

/** How many times the app's values were asked to turn themselves into JSON or text. */
export interface Asked {
  count: number
}

const leaf = (text: string, self: unknown, asked: Asked): unknown => {
  if (text.startsWith("BigInt(")) return BigInt(quoted(text)!)
  if (text === "new Date(0)") return new Date(0)
  if (text.startsWith("new Uint8Array(")) return new Uint8Array(JSON.parse(/\[.*\]/.exec(text)![0]))
  if (text.startsWith("new Map(")) return new Map(JSON.parse(/\[.*\]/.exec(text)![0]))
  if (text.startsWith("new Set(")) return new Set(JSON.parse(/\[.*\]/.exec(text)![0]))
  if (text.startsWith("new Error(")) return new Error(quoted(text))
  if (text.startsWith("Symbol(")) return Symbol(quoted(text))
  if (text === "NaN") return Number.NaN
  if (/^-?Infinity$/.test(text)) return Number(text)
  if (text === "undefined") return undefined
  if (text.includes("=>")) return () => 1
  if (text.startsWith("circular reference")) return self
  const fail = () => {
    asked.count++
    throw new Error("the app's own code was called")
  }
  if (text.includes("getter throws")) return Object.defineProperty({}, "value", { enumerable: true, get: fail })
  if (text.includes("toJSON throws")) return { toJSON: fail }
  if (text.startsWith("{") || text.startsWith("[")) return JSON.parse(text)
  return text
}

/** The sibling that stands beside each value of a described set. */
export const sibling = "plain-sibling"

/** An object of the described values, each with a plain sibling string beside it. */
export const valuesOf = (described: Readonly<Record<string, string>>, asked: Asked): Record<string, unknown> => {
  const values: Record<string, unknown> = {}
  for (const [key, text] of Object.entries(described)) {
    values[key] = leaf(text, values, asked)
    values[`${key}_sibling`] = `${sibling}-${key}`
  }
  return values
}

const megabytes = (count: number, text: string): string => text.repeat(Math.ceil(count * 1_048_576 / text.length))

/** A result of the size that the words say, as an object that counts how often its keys are listed. */
export const largeResult = (text: string, asked: Asked): object => {
  const sizes = [...text.matchAll(/(\d+) MB/g)].map((match) => Number(match[1]))
  // The emoji stands across byte 2,048 of the JSON text, whatever comes before it, for one of the four offsets.
  const emoji = ["", "a", "ab", "abc"].map((pad) => pad + "😀".repeat(600)).join("|")
  const result = { emoji, text: megabytes(sizes[0]!, "lorem ipsum "), image: megabytes(sizes[1] ?? 0, "QUJDREVG") }
  return new Proxy(result, {
    ownKeys: (target) => {
      asked.count++
      return Reflect.ownKeys(target)
    }
  })
}

/** A `handle` call that the app makes itself after the turn. */
export interface ManualHandle {
  readonly name: string | undefined
  readonly copy: boolean
  /** `own`: the id of the decided call. */
  readonly id: string | undefined
}

/** The `handle` call that the words tell, if they do; those of the block win over those of the payload. */
export const manualHandleOf = (form: string | undefined, block: string | undefined): ManualHandle | undefined => {
  const instead = /handle\("([^"]+)", (a copy of )?the params(?:, "([^"]+)")?\)/.exec(block ?? "")
  if (instead !== null) return { name: instead[1], copy: instead[2] !== undefined, id: instead[3] }
  const told = /toolkit\.handle\(name, (a copy of )?(?:the )?params(, id)?\)/.exec(form ?? "")
  if (told === null) return undefined
  return { name: undefined, copy: told[1] !== undefined, id: told[2] === undefined ? undefined : "own" }
}

/** How a turn ends early: what the consumer or the server does. */
export type End =
  | { readonly _tag: "all" }
  | { readonly _tag: "destroy" }
  | { readonly _tag: "close" }
  | { readonly _tag: "interrupt"; readonly after: number }
  | { readonly _tag: "take"; readonly parts: number }

/** The end that words tell; `undefined` when they tell none. */
export const endOf = (text: string): End | undefined => {
  if (/interrupt|abort|cancel|timeout|race/i.test(text)) {
    return { _tag: "interrupt", after: Number(/(\d+) ?ms/.exec(text)?.[1] ?? 50) }
  }
  if (/break|takes? |stops? (reading|early|after)|Stream\.take/i.test(text)) {
    return { _tag: "take", parts: Number(/(\d+)/.exec(text)?.[1] ?? 1) }
  }
  if (/clean|FIN\b|without an? error|\[DONE\]|half/i.test(text)) return { _tag: "close" }
  if (/destroy|reset|socket|dies|dead|kill|cut/i.test(text)) return { _tag: "destroy" }
  if (/close|clean|end|finish|EOF/i.test(text)) return { _tag: "close" }
  return undefined
}
