/** What the host did in a run, in a form that two runs can be compared in. */
import { createHash } from "node:crypto"

/** What a run did, but for its telemetry. Every field is text that is equal when the host behaved equally. */
export interface Observation {
  /** Of each turn: the exit, and the parts in their order. */
  readonly exits: ReadonlyArray<string>
  readonly parts: ReadonlyArray<ReadonlyArray<string>>
  /** The tool, the parameters and the id of each run of a handler. */
  readonly handlerRuns: ReadonlyArray<string>
  /** What reached the model. */
  readonly prompts: ReadonlyArray<string>
}

const hash = (text: string) => createHash("sha1").update(text).digest("base64")

const scalar = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "string": {
      const text = value.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1")
      return text.length > 10_000 ? `"${text.length} characters, ${hash(text)}"` : JSON.stringify(text)
    }
    case "bigint":
      return `${value}n`
    case "function":
      return "<function>"
    case "symbol":
    case "number":
    case "boolean":
    case "undefined":
      return String(value)
  }
  return value === null ? "null" : undefined
}

// Times, and the ids of spans that a client puts into its request's headers.
const ignored = new Set(["stack", "timestamp", "traceparent", "tracestate", "b3"])

const properties = (value: object): Array<[string, () => unknown]> => {
  const found: Array<[string, () => unknown]> = []
  for (const key of Object.keys(value)) {
    if (ignored.has(key)) continue
    const property = Object.getOwnPropertyDescriptor(value, key)
    found.push([key, () => property?.get === undefined ? property?.value : Symbol("getter")])
  }
  if (value instanceof Error) {
    found.push(["name", () => value.name], ["message", () => value.message], ["cause", () => value.cause])
  }
  return found.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** A value as text: equal texts for values that an app cannot tell apart. No code of the value is run. */
export const canonical = (value: unknown): string => {
  const open: Array<object> = []
  const write = (value: unknown): string => {
    const text = scalar(value)
    if (text !== undefined) return text
    const object = value as object
    const depth = open.indexOf(object)
    if (depth >= 0) return `<${open.length - depth} up>`
    open.push(object)
    const written = writeObject(object)
    open.pop()
    return written
  }
  const writeObject = (object: object): string => {
    if (Array.isArray(object)) return `[${object.map(write).join(",")}]`
    if (object instanceof Date) return `<date ${object.getTime()}>`
    if (ArrayBuffer.isView(object)) return `<bytes ${hash(Buffer.from(object.buffer).toString("hex"))}>`
    if (object instanceof Map) return `<map ${write([...object])}>`
    if (object instanceof Set) return `<set ${write([...object])}>`
    const name = object.constructor?.name
    const fields = properties(object).map(([key, read]) => `${JSON.stringify(key)}:${write(read())}`)
    return `${name === undefined || name === "Object" ? "" : name}{${fields.join(",")}}`
  }
  return write(value)
}

const difference = (ours: Observation, theirs: Observation): string => {
  for (const field of ["exits", "parts", "handlerRuns", "prompts"] as const) {
    const [a, b] = [theirs[field].map(String), ours[field].map(String)]
    for (let i = 0; i < Math.max(a.length, b.length); i++) {
      if (a[i] !== b[i]) return `${field}[${i}] was ${cut(a[i], b[i])} without us, ${cut(b[i], a[i])} with us`
    }
  }
  return "nothing"
}

// The text around the first character that differs.
const cut = (text: string | undefined, other: string | undefined): string => {
  if (text === undefined) return "absent"
  let same = 0
  while (same < text.length && text[same] === other?.[same]) same++
  return `${same > 60 ? "…" : ""}${text.slice(Math.max(0, same - 60), same + 160)}`
}

const key = (observation: Observation): string => JSON.stringify(observation)

// A result among the parts of other calls: when the pieces of a response arrive is up to the network and the machine.
const idOf = (part: string): string => /"id":("(?:[^"\\]|\\.)*")/.exec(part)?.[1] ?? ""
const byCall = (observation: Observation): string =>
  key({
    ...observation,
    parts: observation.parts.map((turn) =>
      turn.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : idOf(a) > idOf(b) ? 1 : 0))
    )
  })

/**
 * Compares a run with us to runs without us. `more` makes another run without us: five of them, and where those differ
 * among each other (handlers that race) twenty; one of theirs must be ours. A run that differs from them only in how the
 * parts of different calls lie among each other is a race that was seen once in some fifty runs without us too: then one
 * of five more runs with us (`again`) must be exactly one of theirs.
 */
export const compareHost = async (
  ours: Observation,
  theirs: Array<Observation>,
  more: () => Promise<Observation>,
  again?: () => Promise<Observation>
): Promise<string | undefined> => {
  const same = (one: Observation) => theirs.some((their) => key(their) === key(one))
  const races = () => new Set(theirs.map(key)).size > 1
  for (let tries = 0; tries < (races() ? 20 : 5) && !same(ours); tries++) theirs.push(await more())
  if (same(ours)) return undefined
  if (again !== undefined && theirs.some((their) => byCall(their) === byCall(ours))) {
    for (let tries = 0; tries < 5; tries++) if (same(await again())) return undefined
  }
  return `host: ${difference(ours, theirs[0]!)}`
}
