/** The app that this process runs: where it is, so that toolspan uses the copies of effect's packages that the app uses. */
import { pathToFileURL } from "node:url"
import { builtin } from "./effectCopy.ts"

/** Package managers run the app in a process of its own; what is preloaded into them too has nothing to do there. */
const LAUNCHER = /[\\/](npm|npx|pnpm|pnpx|yarn|yarnpkg|corepack)(-cli)?(\.c?js)?$/

/** Whether this process is a package manager that only starts the app. */
export const isLauncher = (): boolean => LAUNCHER.test(process.argv[1] ?? "")

const SHARED = /^(@effect\/opentelemetry|effect)(\/|$)/

const own = new URL("..", import.meta.url).href

const places = (): ReadonlyArray<string> => {
  const folder = pathToFileURL(`${process.cwd()}/`).href
  const entry = process.argv[1]
  return [...(entry === undefined ? [] : [pathToFileURL(entry).href]), new URL("toolspan.js", folder).href]
}

/**
 * Makes toolspan's own imports of `effect` and `@effect/opentelemetry` find the app's copies: those that the app's entry
 * sees, else those of the working folder, else toolspan's own. Both packages come from one place, since they fit together.
 * Where the runtime has no synchronous module hooks (Bun, Node before 22.15), toolspan's own copies are what is left.
 */
export const shareItsEffect = (): void => {
  const registerHooks = builtin<Partial<typeof import("node:module")>>("node:module")?.registerHooks
  if (registerHooks === undefined) return
  let place: string | undefined
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      const parent = context.parentURL
      if (parent === undefined || !parent.startsWith(own) || !SHARED.test(specifier)) {
        return nextResolve(specifier, context)
      }
      const from = (parentURL: string) => nextResolve(specifier, { ...context, parentURL })
      if (place !== undefined) return from(place)
      for (const candidate of places()) {
        try {
          const found = from(candidate)
          place = candidate
          return found
        } catch {
          // Not there: the next place, and in the end our own, where a failure is a true one.
        }
      }
      place = parent
      return nextResolve(specifier, context)
    }
  })
}
