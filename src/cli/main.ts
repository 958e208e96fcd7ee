#!/usr/bin/env node
/** The `toolspan` command. It looks at the versions first and loads the rest only where that can run. */
import { createRequire } from "node:module"
import process from "node:process"
import { missingRequirement } from "./Requirement.ts"

const effectVersion = (): string | undefined => {
  try {
    return String(createRequire(import.meta.url)("effect/package.json").version)
  } catch {
    return undefined
  }
}

const missing = missingRequirement({ node: process.versions.node, effect: effectVersion() })

if (missing !== undefined) {
  process.stderr.write(`${missing}\n`)
  process.exitCode = 2
} else {
  // Node 22 warns that its SQLite is experimental, and each Node that NO_COLOR is ignored where FORCE_COLOR is set, which is
  // not so here: no news for a user of this command.
  process.removeAllListeners("warning")
  process.on("warning", (warning) => {
    if (!/SQLite|NO_COLOR/.test(warning.message)) process.stderr.write(`${warning.name}: ${warning.message}\n`)
  })
  void import("./Program.ts").then(({ start }) => start(process.argv.slice(2)))
}
