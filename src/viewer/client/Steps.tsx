/** The account of a call, step by step. */
import type { ComponentChildren } from "preact"
import { Content } from "./Content.tsx"
import { Inert } from "./Inert.tsx"
import { originText, tone, words } from "./Look.ts"
import { toTrace } from "./Route.ts"
import * as Time from "./Time.ts"
import type {
  ApprovalJson,
  ConsumerJson,
  DecisionJson,
  ExecutionJson,
  ResultJson,
  SpanRefJson,
  StoryJson,
  StorySpanJson
} from "./Wire.ts"

type Kind = "decision" | "approval" | "pause" | "execution" | "result" | "consumer" | "nothing"

const signs: Readonly<Record<Kind, string>> = {
  decision: "◆",
  approval: "◇",
  pause: "",
  execution: "▶",
  result: "●",
  consumer: "○",
  nothing: "·"
}

const Step = ({ at, children, kind, look = "", title }: {
  readonly kind: Kind
  /** Milliseconds from the decision. */
  readonly at?: number
  readonly look?: string
  readonly title: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <li class={look === "" ? `step ${kind}` : `step ${kind} is-${look}`}>
    <span class="step-at">{at === undefined ? "" : Time.offset(at)}</span>
    <span class="step-rail" aria-hidden="true">
      <i>{signs[kind]}</i>
    </span>
    <div class="step-text">
      <div class="step-title">{title}</div>
      {children}
    </div>
  </li>
)

const To = ({ children, span }: { readonly span: SpanRefJson; readonly children?: ComponentChildren }) => (
  <a href={toTrace(span.traceId, span.spanId)}>{children ?? <Inert text={span.name} max={80} />}</a>
)

const InTurn = ({ turn }: { readonly turn: SpanRefJson | undefined }) =>
  turn === undefined ? null : (
    <>
      {" "}in{" "}
      <To span={turn}>
        <Inert text={turn.name} max={80} />
      </To>
    </>
  )

const Model = (
  { model, provider }: { readonly model?: string | undefined; readonly provider?: string | undefined }
) => (
  <strong>
    <Inert text={model ?? provider ?? "A model"} max={80} />
  </strong>
)

const Decided = (
  { at, decision, known }: { readonly decision: DecisionJson; readonly at: number; readonly known: boolean }
) => (
  <Step
    kind="decision"
    at={at}
    title={
      <>
        <Model model={decision.model} provider={decision.provider} /> asked for it
        <InTurn turn={decision.turn} />
        {!known && <span class="bad">, but the toolkit has no such tool</span>}
        {decision.incomplete && <span class="wait">; its stream ended before the call was whole</span>}
      </>
    }
  >
    <p class="step-facts">
      {[
        ...(decision.paramsBytes === undefined ? [] : [`${Time.bytes(decision.paramsBytes)} of arguments`]),
        ...(decision.paramsDeltas === undefined
          ? []
          : [
            `streamed in ${Time.count(decision.paramsDeltas, "piece")} over ${Time.duration(decision.durationMillis)}`
          ])
      ].join(" · ")}
      {decision.chat !== undefined && (
        <>
          <To span={decision.chat} />
        </>
      )}
    </p>
    <Content label="arguments" text={decision.arguments} />
  </Step>
)

const answerText = ({ event, state }: ApprovalJson): string => {
  if (event === "abandoned") return "Never answered: the conversation went on without it"
  return state === "approved" || state === "denied" ? `A human ${state} it` : `Answered: ${words(state ?? "?")}`
}

const approvalSteps = (story: StoryJson, since: (at: string) => number) => {
  const asked = story.approvals.some(({ event }) => event === "requested")
  const answered = story.approvals.some(({ event }) => event !== "requested")
  const waits = (text: string, look: string) => <Step kind="pause" look={look} title={text} />
  return [
    ...(asked || !answered ? [] : [waits("asked elsewhere", "open")]),
    ...story.approvals.flatMap((approval) =>
      approval.event === "requested"
        ? [
          <Step
            kind="approval"
            at={since(approval.at)}
            title={
              <>
                Approval was <To span={approval.span}>asked for</To>
              </>
            }
          />
        ]
        : [
          ...(approval.waitMillis === undefined
            ? []
            : [waits(`${Time.duration(approval.waitMillis)} until the answer`, tone(approval.state))]),
          <Step
            kind="approval"
            look={tone(approval.state)}
            at={since(approval.at)}
            title={<To span={approval.span}>{answerText(approval)}</To>}
          >
            <Content label="reason" text={approval.reason} />
          </Step>
        ]
    ),
    ...(asked && !answered ? [waits("no answer yet", "open")] : [])
  ]
}

const outcomeText = ({ errorType, failureMode, failureOrigin, outcome }: ExecutionJson): string => {
  if (outcome === undefined) return errorType === undefined ? "its outcome is not told" : `failed with ${errorType}`
  const cause = errorType === undefined ? "" : ` with ${errorType}`
  const origin = failureOrigin === undefined || outcome !== "failure" ? "" : ` in its ${words(failureOrigin)}`
  const returned = failureMode === "return" && outcome !== "success" ? ", handed to the model as a result" : ""
  return `${words(outcome)}${cause}${origin}${returned}`
}

/** Spans inside a run that are shown with it; the trace has the others. */
const insideShown = 8

const insideOf = (story: StoryJson, { span }: ExecutionJson): ReadonlyArray<StorySpanJson> => {
  const spans = story.traces.find(({ traceId }) => traceId === span.traceId)?.spans ?? []
  const at = spans.findIndex(({ spanId }) => spanId === span.spanId)
  const depth = spans[at]?.depth ?? 0
  const end = spans.findIndex((inner, index) => index > at && inner.depth <= depth)
  return at < 0 ? [] : spans.slice(at + 1, end < 0 ? undefined : end)
}

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

const Executed = ({ at, execution, name, story }: {
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
    <Content label="arguments" text={execution.arguments} />
    <Content label="result" text={execution.result} />
    <Content label="error" text={execution.errorMessage} />
  </Step>
)

const Resulted = ({ at, result }: { readonly result: ResultJson; readonly at: number }) => (
  <Step
    kind="result"
    look={tone(result.outcome)}
    at={at}
    title={
      <>
        <To span={result.span}>Result</To>
        {result.outcome !== undefined && (
          <>
            :{" "}
            <span class={tone(result.outcome)}>
              <Inert text={words(result.outcome)} />
            </span>
          </>
        )}
        {result.origin !== undefined && (
          <>
            , <Inert text={originText(result.origin)} />
          </>
        )}
        {result.bytes !== undefined && `, ${Time.bytes(result.bytes)}`}
      </>
    }
  >
    <Content label="result" text={result.result} />
  </Step>
)

const Used = ({ at, consumer }: { readonly consumer: ConsumerJson; readonly at: number }) => (
  <Step
    kind="consumer"
    at={at}
    title={
      <>
        <Model model={consumer.model} /> <To span={consumer.span}>read the result</To>
        <InTurn turn={consumer.turn} />
      </>
    }
  />
)

const whyNotRun = ({ decidedAt, outcome, providerExecuted, state }: StoryJson["call"]): string => {
  if (providerExecuted) return "No execution here: the provider ran the tool itself"
  if (state === "denied") return "No execution: it was denied"
  if (state === "pending") return "No execution yet: it waits for the answer"
  if (state === "abandoned") return "No execution: the approval was never answered"
  if (outcome === "not_started") return "No execution: the turn ended before the handler could start"
  return decidedAt === undefined ? "The execution was not seen" : "No execution was seen"
}

/** From the decision to the turn that used the result; what is missing is said. */
export const Steps = ({ story }: { readonly story: StoryJson }) => {
  const { call } = story
  const origin = Time.millisOf(call.decidedAt ?? call.startedAt)
  const since = (at: string) => Time.millisOf(at) - origin
  const nothing = (text: string) => <Step kind="nothing" title={text} />
  return (
    <ol class="steps">
      {story.decisions.length === 0 &&
        nothing("The decision was not seen: the turn that asked for it is not in this store")}
      {story.decisions.map((decision) => <Decided decision={decision} at={since(decision.at)} known={call.known} />)}
      {approvalSteps(story, since)}
      {story.executions.length === 0 && nothing(whyNotRun(call))}
      {story.executions.map((execution, index) => (
        <Executed
          execution={execution}
          at={since(execution.at)}
          name={index === 0 ? call.known ? "The handler ran" : "It was tried" : `The handler ran again (${index + 1})`}
          story={story}
        />
      ))}
      {story.results.map((result) => <Resulted result={result} at={since(result.at)} />)}
      {story.results.length > 0 && story.consumers.length === 0 && nothing("No turn has read the result yet")}
      {story.consumers.map((consumer) => <Used consumer={consumer} at={since(consumer.at)} />)}
    </ol>
  )
}
