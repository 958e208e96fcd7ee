// The model of a provider package; its client asks the page's own server.
import { AnthropicClient, AnthropicLanguageModel } from "@effect/ai-anthropic"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as FetchHttpClient from "effect/http/FetchHttpClient"

export const model = (by) =>
  by(
    AnthropicLanguageModel.layer({ model: "claude-haiku-4-5", config: { max_tokens: 64 } }).pipe(
      Layer.provide(by(AnthropicClient.layer({ apiKey: Redacted.make("replay"), apiUrl: location.origin }))),
      Layer.provide(FetchHttpClient.layer)
    )
  )
