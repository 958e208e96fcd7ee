/** The language model of a run: scripted, or a provider package over loopback HTTP. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { ai } from "./ai.ts"
import { current } from "./instrumentation.ts"
import { canonical } from "./observation.ts"

/** The chunks that a model answers with, built anew for each request. */
export type Script = () => ReadonlyArray<ReadonlyArray<any>>

const streamed = (part: any): ReadonlyArray<any> => {
  if (part.type !== "text") return [part]
  const { text, type: _, ...rest } = part
  return [
    { ...rest, type: "text-start", id: "text-0" },
    { type: "text-delta", id: "text-0", delta: text },
    { type: "text-end", id: "text-0" }
  ]
}

/** What a scripted model was asked, and what it told. */
export interface Asked {
  readonly prompts: Array<string>
  /** Per request: does the answer tell the usage? */
  readonly usage: Array<boolean>
}

/** A model that answers with a script. In streamText there are 2 ms between its chunks. */
export const scriptedModel = (script: Script, asked: Asked): Effect.Effect<any> => {
  const answer = (options: any) => {
    const chunks = script()
    asked.prompts.push(
      canonical([options.prompt.content, options.tools.map((tool: any) => tool.name), options.toolChoice])
    )
    asked.usage.push(chunks.flat().some((part) => part.type === "finish" && part.usage !== undefined))
    return chunks
  }
  const hooks = {
    generateText: (options: any) => Effect.sync(() => answer(options).flat()),
    streamText: (options: any) =>
      Stream.suspend(() =>
        Stream.fromIterable(answer(options).map((chunk) => chunk.flatMap(streamed))).pipe(
          Stream.rechunk(1),
          Stream.mapEffect((chunk, index) =>
            index === 0 ? Effect.succeed(chunk) : Effect.as(Effect.sleep("2 millis"), chunk)
          ),
          Stream.flatMap((chunk) => Stream.fromArray(chunk))
        )
      )
  }
  return Effect.map(
    ai.LanguageModel.make(current().provider(hooks) as any),
    (service) => current().languageModel(service)
  )
}

const packages: Readonly<
  Record<string, { readonly name: string; readonly module: string; readonly model: string; readonly path: string }>
> = {
  "openai-compat": { name: "@effect/ai-openai-compat", module: "OpenAi", model: "compat-1", path: "/v1" },
  openai: { name: "@effect/ai-openai", module: "OpenAi", model: "gpt-x", path: "/v1" },
  anthropic: { name: "@effect/ai-anthropic", module: "Anthropic", model: "claude-x", path: "" }
}

/** Whether the case is about a real provider client. */
export const isProvider = (provider: string): boolean => packages[provider] !== undefined

/** The provider's own model and client, talking to `url`. */
export const providerModel = (provider: string, url: string): Effect.Effect<any> =>
  Effect.gen(function*() {
    const { model, module, name, path } = packages[provider]!
    const fetchClient = "effect/unstable/http/FetchHttpClient"
    const { [`${module}Client`]: client, [`${module}LanguageModel`]: languageModel, http } = yield* Effect.promise(
      async () => ({
        ...(await import(name)),
        http: (await import(fetchClient)).layer as Layer.Layer<never>
      })
    )
    const service = yield* client.make({ apiKey: Redacted.make("key"), apiUrl: url + path }).pipe(Effect.provide(http))
    const made = yield* languageModel.make({ model }).pipe(
      Effect.provideService(client[`${module}Client`], current().client(service))
    )
    return current().languageModel(made)
  }) as Effect.Effect<any>

/** The provider-defined tools of a real client, by the names that cases use. */
export const providerTools = async (provider: string): Promise<Readonly<Record<string, any>>> => {
  if (provider !== "anthropic") return {}
  const name = packages[provider]!.name
  const { AnthropicTool } = await import(name)
  return {
    AnthropicMemory: AnthropicTool.Memory_20250818({}),
    web_search: AnthropicTool.WebSearch_20250305({}),
    code_execution: AnthropicTool.CodeExecution_20250825({})
  }
}
