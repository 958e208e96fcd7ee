/** The copies of a package that a program in a folder can come to load, read from disk. */
import { existsSync, readdirSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { versionAt } from "./effectCopy.ts"

/** A package on disk. */
export interface Copy {
  readonly version: string
  /** Its folder, links resolved. */
  readonly folder: string
}

const copyAt = (folder: string): Copy | undefined => {
  if (!existsSync(join(folder, "package.json"))) return undefined
  const real = realpathSync(folder)
  const version = versionAt(pathToFileURL(`${real}/`).href)
  return version === undefined ? undefined : { version, folder: real }
}

const modulesAbove = (folder: string): ReadonlyArray<string> => {
  const own = join(folder, "node_modules")
  const parent = dirname(folder)
  return parent === folder ? [own] : [own, ...modulesAbove(parent)]
}

/** The copy that a program in this folder imports. */
export const copyFor = (folder: string, name: string): Copy | undefined => {
  for (const modules of modulesAbove(folder)) {
    const copy = copyAt(join(modules, name))
    if (copy !== undefined) return copy
  }
  return undefined
}

const entriesOf = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The folders of the packages in a `node_modules`, those of a scope included. */
const packagesIn = (modules: string): ReadonlyArray<string> =>
  entriesOf(modules).flatMap((entry) =>
    entry.startsWith("@")
      ? entriesOf(join(modules, entry)).map((name) => join(modules, entry, name))
      : entry.startsWith(".")
      ? []
      : [join(modules, entry)]
  )

/** Where pnpm keeps the packages themselves. */
const pnpmStore = (modules: string): ReadonlyArray<string> =>
  entriesOf(join(modules, ".pnpm")).map((entry) => join(modules, ".pnpm", entry))

/**
 * Every copy of a package that is installed for this folder, that of the folder itself first: in its `node_modules` and
 * those above, and inside the packages there, one deep.
 */
export const copiesFor = (folder: string, name: string): ReadonlyArray<Copy> => {
  const copies = new Map<string, Copy>()
  const add = (copy: Copy | undefined): void => {
    if (copy !== undefined && !copies.has(copy.folder)) copies.set(copy.folder, copy)
  }
  for (const modules of modulesAbove(folder)) {
    add(copyAt(join(modules, name)))
    for (const owner of [...packagesIn(modules), ...pnpmStore(modules)]) add(copyAt(join(owner, "node_modules", name)))
  }
  return [...copies.values()]
}
