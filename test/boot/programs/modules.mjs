// Installs the module hooks with wrappers that leave a trace, then imports effect's AI modules in every way.
import { createRequire } from "node:module"
import { installHooks } from "../../../src/boot/moduleHook.ts"
const seen = []
const note = (name) => (value) => (seen.push(name), value)
const wrappers = { wrapProvider: note("provider"), wrapLanguageModel: note("model"), wrapToolkit: note("toolkit") }
const skipped = []
const first = installHooks(wrappers, (version) => skipped.push(version))
const second = installHooks({
  wrapProvider: note("twice"),
  wrapLanguageModel: note("twice"),
  wrapToolkit: note("twice")
})
const index = await import("effect/ai")
const LanguageModel = await import("effect/ai/LanguageModel")
const Toolkit = await import("effect/ai/Toolkit")
const Effect = await import("effect/Effect")
const Stream = await import("effect/Stream")
const required = createRequire(import.meta.url)("effect/ai/LanguageModel")
const loaded = seen.splice(0)
Toolkit.merge(Toolkit.make(), Toolkit.empty)
const toolkits = seen.splice(0)
const service = await Effect.runPromise(
  LanguageModel.make({ generateText: () => Effect.succeed([]), streamText: () => Stream.empty })
)
process.stdout.write(JSON.stringify({
  first,
  second,
  skipped,
  loaded,
  toolkits,
  models: seen,
  same: [
    index.LanguageModel.make === LanguageModel.make,
    index.Toolkit.make === Toolkit.make,
    required.make === LanguageModel.make
  ],
  exports: Object.keys(LanguageModel).includes("streamText") && typeof service.generateText === "function"
}))
