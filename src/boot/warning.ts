/** What toolspan says to the people who run the app: each sentence once, on stderr. */

interface Host {
  readonly execArgv?: ReadonlyArray<string>
  readonly emitWarning?: (text: string, options: { readonly type: string }) => void
  readonly getBuiltinModule?: (name: string) => unknown
}

const host = (): Host => (globalThis as { process?: Host }).process ?? {}

const said = new Set<string>()

const isNew = (text: string): boolean => said.size < said.add(text).size

/** Says `text` as a warning of the type `ToolspanWarning`, which `--no-warnings` silences; says nothing in a browser. */
export const warn = (text: string): void => {
  if (isNew(text)) host().emitWarning?.(text, { type: "ToolspanWarning" })
}

/** Says `text` at once: inside an `exit` handler a warning of the usual kind would never be printed. */
export const warnNow = (text: string): void => {
  if (!isNew(text) || host().execArgv?.includes("--no-warnings")) return
  const files = host().getBuiltinModule?.("node:fs") as typeof import("node:fs") | undefined
  try {
    files?.writeSync(2, `ToolspanWarning: ${text}\n`)
  } catch {
    // stderr may be closed or full: how the app ends matters more than a warning.
  }
}
