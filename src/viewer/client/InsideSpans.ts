/** The app's own spans inside a run. */
import type { ExecutionJson, StoryJson, StorySpanJson } from "./Wire.ts"

/** The spans below the run's, in tree order. */
export const insideOf = (story: StoryJson, { span }: ExecutionJson): ReadonlyArray<StorySpanJson> => {
  const spans = story.traces.find(({ traceId }) => traceId === span.traceId)?.spans ?? []
  const at = spans.findIndex(({ spanId }) => spanId === span.spanId)
  const depth = spans[at]?.depth ?? 0
  const end = spans.findIndex((inner, index) => index > at && inner.depth <= depth)
  return at < 0 ? [] : spans.slice(at + 1, end < 0 ? undefined : end)
}
