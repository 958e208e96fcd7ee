/** Copies of effect on disk: where the app's own one is, and which versions are known to work. */

/** The first version that is tested, and the first one that is not any more. A new effect release changes these. */
export const testedRange = { from: "4.0.0-rc.112", below: "4.2.0" } as const

const parse = (version: string): readonly [number, number, number, number] | undefined => {
  const match = /^(\d+)\.(\d+)\.(\d+)(?:-[a-z]+\.(\d+))?/.exec(version)
  if (match === null) return undefined
  const [, major, minor, patch, pre] = match
  return [Number(major), Number(minor), Number(patch), pre === undefined ? Number.POSITIVE_INFINITY : Number(pre)]
}

const isBefore = (left: readonly number[], right: readonly number[]): boolean => {
  const at = left.findIndex((value, index) => value !== right[index])
  return at !== -1 && left[at]! < right[at]!
}

/** Whether toolspan was tested with this version of effect; earlier and later ones are not touched. */
export const isTested = (version: string): boolean => {
  const [own, from, below] = [parse(version), parse(testedRange.from), parse(testedRange.below)]
  if (own === undefined || from === undefined || below === undefined) return false
  // A prerelease of the first untested version is untested too.
  return !isBefore(own, from) && isBefore(own.slice(0, 3), below.slice(0, 3)) && !version.includes("-beta.")
}

/** A module of the runtime itself, without an import that a browser could not resolve; `undefined` where it has none. */
export const builtin = <A>(name: string): A | undefined =>
  (globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }).process?.getBuiltinModule?.(name) as
    | A
    | undefined

/** The version of the package whose folder has the URL `root` (it ends in a slash), `undefined` when that cannot be read. */
export const versionAt = (root: string): string | undefined => {
  try {
    const text = builtin<typeof import("node:fs")>("node:fs")?.readFileSync(new URL("package.json", root), "utf8")
    return text === undefined ? undefined : (JSON.parse(text) as { version?: string }).version
  } catch {
    return undefined
  }
}

/** The version of the effect that toolspan itself imports, `undefined` where there are no files to read it from. */
export const ownVersion = (): string | undefined => {
  try {
    // `effect/Version` exists from 4.1 on only.
    return versionAt(import.meta.resolve("effect/package.json"))
  } catch {
    return undefined
  }
}
