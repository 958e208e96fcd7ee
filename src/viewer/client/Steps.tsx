/** The account of a call, step by step. */
import { originText } from "../../query/originText.ts"
import { Content, ContentCut } from "./Content.tsx"
import { Executed } from "./ExecutionStep.tsx"
import { Inert } from "./Inert.tsx"
import { tone, words } from "./Look.ts"
import { InTurn, Model, Step, To } from "./Step.tsx"
import * as Time from "./Time.ts"
import type { ApprovalJson, ConsumerJson, DecisionJson, ResultJson, StoryJson } from "./Wire.ts"

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
          {" "}
          <To span={decision.chat} />
        </>
      )}
    </p>
    <Content label="arguments" text={decision.arguments} />
    <ContentCut cut={decision.contentCut} />
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

const Resulted = ({ at, faults, result, told }: {
  readonly result: ResultJson
  readonly faults: StoryJson["violations"]
  readonly at: number
  /** The step before has shown the same text. */
  readonly told: boolean
}) => (
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
            , <Inert text={originText({ origin: result.origin, outcome: result.outcome, faults })} />
          </>
        )}
        {result.bytes !== undefined && `, ${Time.bytes(result.bytes)}`}
      </>
    }
  >
    {!told && <Content label="result" text={result.result} />}
    {!told && <ContentCut cut={result.contentCut} />}
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
      {story.results.map((result) => (
        <Resulted
          result={result}
          at={since(result.at)}
          faults={story.violations}
          told={story.executions.some((execution) => execution.result === result.result)}
        />
      ))}
      {story.results.length > 0 && story.consumers.length === 0 && nothing("No turn has read the result yet")}
      {story.consumers.map((consumer) => <Used consumer={consumer} at={since(consumer.at)} />)}
    </ol>
  )
}
