/** Runs a job and says what does not hold. */
import type { Block, ExpectedTurn, Job } from "./case-file.ts"
import { checkAlways } from "./check/always.ts"
import { checkNever } from "./check/never.ts"
import { checkSpans } from "./check/spans.ts"
import { checkText } from "./check/texts.ts"
import { checkViolations, toldBy } from "./check/violations.ts"
import { checkObserved } from "./observed.ts"
import { compareHost } from "./observation.ts"
import { type Plan, plansOf } from "./plan.ts"
import { type Ran, runPlan } from "./run.ts"
import { turnTraces } from "./trail.ts"
import { spanTree } from "./tree.ts"
import { runWire } from "./wire.ts"
import { sibling } from "./words.ts"

/** What came of a job. */
export interface Outcome {
  readonly failures: ReadonlyArray<string>
  /** Words of a block that no check stands for. */
  readonly onlyWords: ReadonlyArray<string>
  /** Words of the payload that this runner has no meaning for: the run is the plain one. */
  readonly unknown: ReadonlyArray<string>
  readonly tree: string
}

const promptParts = (plan: Plan): ReadonlyArray<any> =>
  plan.turns.flatMap((turn) => Array.isArray(turn.prompt) ? turn.prompt : []).concat(plan.chat ?? [])
    .flatMap((message) => Array.isArray(message.content) ? message.content : [])

const pendingIn = (plan: Plan): number => {
  const parts = promptParts(plan)
  const answered = new Set(
    parts.filter((part) => part.type === "tool-approval-response").map((part) => part.approvalId)
  )
  return parts.filter((part) => part.type === "tool-approval-request" && !answered.has(part.approvalId)).length
}

const checkPart = (
  expected: ExpectedTurn,
  ran: Ran,
  spans: Ran["trail"]["spans"],
  label: string
): ReadonlyArray<string> =>
  [
    ...checkViolations(expected.violations ?? [], toldBy(spans)),
    ...checkSpans(expected.spans ?? [], spans, ran.trail.spans),
    ...checkNever(expected.never ?? [], spans, ran.trail.logs)
  ].map((failure) => `${label}${failure}`)

const checkBlock = (block: Block, ran: Ran): ReadonlyArray<string> => {
  const { spans } = ran.trail
  if (block.turns === undefined) return checkPart(block, ran, spans, "")
  const traces = turnTraces(spans)
  const count = traces.length === block.turns.length
    ? []
    : [`turns: expected ${block.turns.length}, came ${traces.length}`]
  return [
    ...count,
    ...block.turns.flatMap((turn, i) =>
      checkPart(turn, ran, spans.filter((span) => span.traceId === traces[i]), `turn ${i + 1}: `)
    ),
    ...checkNever(block.never ?? [], spans, ran.trail.logs)
  ]
}

const texts = (block: Block): ReadonlyArray<string> =>
  [block.text, ...(block.turns ?? []).map((turn) => turn.text)].filter((text) => text !== undefined)

const checkTexts = (block: Block, ran: Ran, bare: Ran, plan: Plan) => {
  const context = {
    spans: ran.trail.spans,
    openCalls: ran.openCalls,
    handlerRuns: ran.handlerRuns,
    asked: { ours: ran.asked, theirs: bare.asked - bare.askedByHost },
    reasons: promptParts(plan).map((part) => part.reason).filter((reason) => typeof reason === "string"),
    sibling
  }
  return texts(block).map((text) => ({ text, ...checkText(text, context) }))
}

// With `CASES_BARE` toolspan is never switched on: then the runner's own world is compared with what the cases noted.
const bareOnly = process.env["CASES_BARE"] !== undefined

const runOne = async (job: Job, plan: Plan, whole: boolean): Promise<Omit<Outcome, "unknown">> => {
  const bare = await runPlan(job, plan, undefined)
  const theirs = [bare.observation]
  const more = async () => (await runPlan(job, plan, undefined)).observation
  const failures = new Set<string>(bareOnly ? checkObserved(job, bare) : [])
  const onlyWords = new Set<string>()
  let tree = ""
  for (let i = 0; i < plan.repeat; i++) {
    const ran = await runPlan(job, plan, job.block.content ?? "off")
    tree = spanTree(ran.trail.spans)
    const again = async () => (await runPlan(job, plan, job.block.content ?? "off")).observation
    const host = job.block.host === "same" ? await compareHost(ran.observation, theirs, more, again) : undefined
    if (host !== undefined) failures.add(host)
    const block = whole
      ? checkBlock(job.block, ran)
      : checkNever(job.block.never ?? [], ran.trail.spans, ran.trail.logs)
    for (
      const failure of [
        ...block,
        ...checkAlways(ran.trail, {
          ...ran,
          failed: ran.failed || plan.end._tag !== "all",
          pending: pendingIn(plan)
        })
      ]
    ) {
      failures.add(failure)
    }
    for (const { checked, failures: wrong, text } of whole ? checkTexts(job.block, ran, bare, plan) : []) {
      if (!checked) onlyWords.add(text)
      for (const failure of wrong) failures.add(failure)
    }
  }
  return { failures: [...failures], onlyWords: [...onlyWords], tree }
}

export const runJob = async (job: Job): Promise<Outcome> => {
  if (job.mode === "wire") return { failures: runWire(job), onlyWords: texts(job.block), unknown: [], tree: "" }
  const outcomes: Array<Omit<Outcome, "unknown">> = []
  const { plans, unknown } = plansOf(job)
  for (const [index, { label, plan }] of plans.entries()) {
    const outcome = await runOne(job, plan, index === 0)
    outcomes.push({ ...outcome, failures: outcome.failures.map((failure) => `${failure}${label}`) })
  }
  return {
    failures: outcomes.flatMap((outcome) => outcome.failures),
    onlyWords: outcomes.flatMap((outcome) => outcome.onlyWords),
    unknown,
    tree: outcomes.map((outcome) => outcome.tree).join("\n")
  }
}
