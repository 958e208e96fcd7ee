/** Who answers at an address that speaks OpenAI's API: the names are those of the GenAI conventions. */

const known: ReadonlyArray<readonly [suffix: string, name: string]> = [
  ["openai.azure.com", "azure.ai.openai"],
  ["ai.azure.com", "azure.ai.inference"],
  ["cohere.ai", "cohere"],
  ["cohere.com", "cohere"],
  ["deepseek.com", "deepseek"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["aiplatform.googleapis.com", "gcp.vertex_ai"],
  ["groq.com", "groq"],
  ["mistral.ai", "mistral_ai"],
  ["perplexity.ai", "perplexity"],
  ["x.ai", "x_ai"],
  ["api.anthropic.com", "anthropic"]
]

const hostOf = (url: string): string => /^[a-z]+:\/\/(?:[^/?#@]*@)?([^/?#:]+)/i.exec(url)?.[1]?.toLowerCase() ?? ""

/**
 * The provider behind a URL. An address that is not well known counts as `openai`: the conventions name the API that
 * a client speaks, and say that whoever stands behind it can be another.
 */
export const ofOpenAiUrl = (url: string | undefined): string => {
  const host = url === undefined ? "" : hostOf(url)
  if (/^bedrock(?:-runtime|-mantle)?[.-].*\.(?:amazonaws\.com|api\.aws)$/.test(host)) return "aws.bedrock"
  if (host.endsWith("-aiplatform.googleapis.com")) return "gcp.vertex_ai"
  return known.find(([suffix]) => host === suffix || host.endsWith(`.${suffix}`))?.[1] ?? "openai"
}
