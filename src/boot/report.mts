/**
 * Preloaded by `toolspan doctor -- node app.js`, on Bun and Deno too: tells from inside a program what toolspan meets there.
 *
 * Writes one JSON file a process into the folder of TOOLSPAN_DOCTOR_REPORT, at its end and while it runs; prints nothing,
 * listens to no signal and keeps nothing alive.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isMainThread } from "node:worker_threads"
import { isLauncher } from "./application.ts"
import { builtin, versionAt } from "./effectCopy.ts"
import type { LoadedCopy, ProgramReport } from "./programReport.ts"

/** How often a running program is written down: one that is killed leaves what was known a second before. */
const everyMillis = 1000

const PACKAGE = /^(file:.*\/node_modules\/(effect|@opentelemetry\/api|toolspan)\/)/

const AI_MODULE = /\/effect\/dist\/(unstable\/)?ai\/(LanguageModel|Toolkit)\.js$/

const names = ["effect", "@opentelemetry/api", "toolspan"] as const

/** What a value holds under a key, whatever it is. */
const inside = (value: unknown, ...keys: ReadonlyArray<PropertyKey>): unknown => {
  let at: unknown = value
  for (const key of keys) at = (at as Record<PropertyKey, unknown> | null | undefined)?.[key]
  return at
}

/** The answer of a method; `undefined` where there is none. */
const asked = (value: unknown, method: string, ...args: ReadonlyArray<unknown>): unknown => {
  const found = inside(value, method)
  return typeof found === "function" ? Reflect.apply(found, value, args) : undefined
}

const global = (name: string): unknown => inside(globalThis, Symbol.for(name))

const registerHooks = builtin<Partial<typeof import("node:module")>>("node:module")?.registerHooks

const roots = new Map<string, string>()

/** Whether effect's AI modules were linked before toolspan's hooks stood. */
let linkedEarly = false

const meet = (url: string): void => {
  const match = PACKAGE.exec(url)
  if (match !== null) roots.set(match[1]!, names.find((name) => name === match[2]) ?? match[2]!)
}

/** Bun has no module hooks, but its `require` knows every module that was loaded, a stand-in and its original too. */
const lookBack = (): void => {
  const paths = Object.keys(createRequire(import.meta.url).cache)
  for (const path of paths) {
    meet(pathToFileURL(path).href)
    if (AI_MODULE.test(path.replaceAll("\\", "/")) && !paths.some((other) => other.startsWith(`${path}?`))) {
      linkedEarly = true
    }
  }
}

/** The module of a copy of effect that the program has loaded; nothing new is loaded for it. */
const moduleOf = (root: string, name: string): unknown => {
  try {
    return createRequire(new URL("package.json", root))(`effect/${name}`)
  } catch {
    return undefined
  }
}

const hasServiceHook = (root: string): boolean => {
  const service = asked(moduleOf(root, "Context"), "Service", "toolspan/doctor")
  return inside(service, "of", Symbol.for("toolspan/serviceHook")) === true
}

const hasDefaultTracer = (root: string): boolean => {
  const context = moduleOf(root, "Context")
  const tracer = asked(context, "get", asked(context, "empty"), inside(moduleOf(root, "Tracer"), "Tracer"))
  return inside(tracer, Symbol.for("toolspan/tracerDefault")) === true
}

const copies = (): ReadonlyArray<LoadedCopy> =>
  [...roots].flatMap(([root, name]) => {
    const version = versionAt(root)
    return version === undefined ? [] : [{
      name,
      version,
      folder: fileURLToPath(root),
      serviceHook: name === "effect" && hasServiceHook(root),
      defaultTracer: name === "effect" && hasDefaultTracer(root)
    }]
  })

const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

const count = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

const classOf = (value: unknown): string | undefined => text(inside(value, "constructor", "name"))

const report = (ended: boolean, exitCode: number | undefined): ProgramReport => {
  const api = global("opentelemetry.js.api.1")
  const counters = inside(global("toolspan/observation/1"), "counters")
  const provider = inside(api, "trace")
  return {
    pid: process.pid,
    program: process.argv[1],
    node: process.versions.node,
    ended,
    exitCode,
    copies: copies(),
    moduleHook: global("toolspan/moduleHook") !== undefined,
    linkedEarly,
    provider: classOf(asked(provider, "getDelegate") ?? provider),
    contextManager: classOf(inside(api, "context")),
    apiVersion: text(inside(api, "version")),
    turns: count(inside(counters, "turns")),
    executions: count(inside(counters, "executions")),
    internalErrors: count(inside(counters, "internalErrors"))
  }
}

const write = (folder: string, ended: boolean, exitCode?: number): void => {
  try {
    if (registerHooks === undefined) lookBack()
    const file = join(folder, `${process.pid}.json`)
    writeFileSync(`${file}.part`, JSON.stringify(report(ended, exitCode)))
    renameSync(`${file}.part`, file)
  } catch {
    // The folder is gone or full: the program is not to notice.
  }
}

const folder = process.env["TOOLSPAN_DOCTOR_REPORT"]
if (folder !== undefined && isMainThread && !isLauncher()) {
  mkdirSync(folder, { recursive: true })
  registerHooks?.({
    load: (url, context, nextLoad) => {
      meet(url)
      if (AI_MODULE.test(url.split("?", 1)[0]!) && global("toolspan/moduleHook") === undefined) linkedEarly = true
      return nextLoad(url, context)
    }
  })
  process.on("exit", (code) => write(folder, true, code))
  setInterval(() => write(folder, false), everyMillis).unref()
}
