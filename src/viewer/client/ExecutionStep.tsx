/** One run of the handler, with the app's own spans inside. */
import { Content, ContentCut } from "./Content.tsx"
import { Inert } from "./Inert.tsx"
import { insideOf } from "./InsideSpans.ts"
import { tone, words } from "./Look.ts"
import { toTrace } from "./Route.ts"
import { InTurn, Step, To } from "./Step.tsx"
import * as Time from "./Time.ts"
import type { ExecutionJson, StoryJson } from "./Wire.ts"

const outcomeText = ({ errorType, failureMode, failureOrigin, outcome }: ExecutionJson): string => {
  if (outcome === undefined) return errorType === undefined ? "its outcome is not told" : `failed with ${errorType}`
  const cause = errorType === undefined ? "" : ` with ${errorType}`
  const origin = failureOrigin === undefined || outcome !== "failure" ? "" : ` in its ${words(failureOrigin)}`
  const returned = failureMode === "return" && outcome !== "success" ? ", handed to the model as a result" : ""
  return `${words(outcome)}${cause}${origin}${returned}`
}

/** Spans inside a run that are shown with it; the trace has the others. */
const insideShown = 8

const Inside = ({ execution, story }: { readonly story: StoryJson; readonly execution: ExecutionJson }) => {
  const spans = insideOf(story, execution)
  if (spans.length === 0) return null
  const from = Time.millisOf(execution.at)
  const whole = Math.max(execution.durationMillis, 0.001)
  const depth = Math.min(...spans.map((span) => span.depth))
  return (
    <ol class="inside">
      {spans.slice(0, insideShown).map((span) => {
        const left = Math.min(99, Math.max(0, (Time.millisOf(span.start) - from) / whole * 100))
        return (
          <li key={span.spanId} class={span.failed ? "failed" : ""}>
            <a
              href={toTrace(execution.span.traceId, span.spanId)}
              style={{ paddingLeft: `${Math.min(span.depth - depth, 6) * 12}px` }}
            >
              <Inert text={span.name} max={80} />
            </a>
            <span class="inside-axis">
              <i style={{ left: `${left}%`, width: `${Math.min(100 - left, span.durationMillis / whole * 100)}%` }} />
            </span>
            <span class="span-took">{Time.duration(span.durationMillis)}</span>
          </li>
        )
      })}
      {execution.inside > insideShown && (
        <li>
          <To span={execution.span}>{Time.count(execution.inside - insideShown, "more span")}</To>
        </li>
      )}
    </ol>
  )
}

/** The run, its outcome, and what the app did inside. */
export const Executed = ({ at, execution, name, story }: {
  readonly execution: ExecutionJson
  readonly at: number
  readonly name: string
  readonly story: StoryJson
}) => (
  <Step
    kind="execution"
    look={tone(execution.outcome)}
    at={at}
    title={
      <>
        <To span={execution.span}>{name}</To> for <strong>{Time.duration(execution.durationMillis)}</strong>:{" "}
        <span class={tone(execution.outcome)}>
          <Inert text={outcomeText(execution)} max={200} />
        </span>
        <InTurn turn={execution.turn} />
      </>
    }
  >
    {execution.preliminary !== undefined && (
      <p class="step-facts">{Time.count(execution.preliminary, "preliminary result")}</p>
    )}
    <Inside execution={execution} story={story} />
    {story.decisions.every((decision) => decision.arguments !== execution.arguments) && (
      <Content label="arguments" text={execution.arguments} />
    )}
    <Content label="result" text={execution.result} />
    <Content label="error" text={execution.errorMessage} />
    <ContentCut cut={execution.contentCut} />
  </Step>
)
