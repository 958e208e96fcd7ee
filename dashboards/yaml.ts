/** Just enough YAML to write files that people read. */

/** Anything that a YAML file can hold. */
export type Value = string | number | boolean | ReadonlyArray<Value> | { readonly [key: string]: Value }

const plain = /^[A-Za-z][\w./-]*$/

const scalar = (value: string | number | boolean): string =>
  typeof value === "string" && !(plain.test(value) && !/^(true|false|null|yes|no|on|off)$/i.test(value))
    ? JSON.stringify(value)
    : String(value)

/** YAML in block form; every string that is more than a word is quoted as JSON quotes it, which YAML reads alike. */
export const yaml = (value: Value, indent = ""): string => {
  if (typeof value !== "object") return `${scalar(value)}\n`
  const inner = `${indent}  `
  const entries = Array.isArray(value)
    ? value.map((each) => `${indent}- ${yaml(each, inner).trimStart()}`)
    : Object.entries(value).map(([key, each]) =>
      typeof each === "object" ? `${indent}${key}:\n${yaml(each, inner)}` : `${indent}${key}: ${yaml(each)}`
    )
  return entries.join("")
}
