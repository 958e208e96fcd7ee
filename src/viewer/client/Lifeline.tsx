/** The life of a call on one axis: hours of waiting and milliseconds of work in one picture. */
import { insideOf } from "./InsideSpans.ts"
import { tone } from "./Look.ts"
import * as Time from "./Time.ts"
import type { ExecutionJson, StoryJson } from "./Wire.ts"

/** A span of the app inside a run, in parts of the run's time. */
interface Inner {
  readonly left: number
  readonly width: number
  readonly failed: boolean
}

interface Mark {
  readonly kind: "decision" | "wait" | "execution" | "result" | "consumer"
  readonly from: number
  readonly to: number
  readonly label: string
  readonly look: string
  readonly inside?: ReadonlyArray<Inner>
}

/** An axis on which every stretch of time has room: widths grow with the logarithm of the time. */
const axis = (marks: ReadonlyArray<Mark>): (at: number) => number => {
  const points = [...new Set(marks.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const weights = points.slice(1).map((point, index) => {
    const from = points[index]!
    const busy = marks.some((mark) => mark.from <= from && mark.to >= point && mark.to > mark.from)
    return (busy ? 1.6 : 0.5) + Math.log10(1 + point - from)
  })
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  let sum = 0
  const places = new Map(points.map((point, index) => [point, (sum += weights[index - 1] ?? 0) / (whole || 1)]))
  return (at) => (places.get(at) ?? 0) * 100
}

/** Spans inside a run that are drawn with it. */
const insideShown = 40

const innerOf = (story: StoryJson, execution: ExecutionJson): ReadonlyArray<Inner> => {
  const [from, whole] = [Time.millisOf(execution.at), Math.max(execution.durationMillis, 0.001)]
  return insideOf(story, execution).slice(0, insideShown).map(({ durationMillis, failed, start }) => {
    const left = Math.min(100, Math.max(0, (Time.millisOf(start) - from) / whole * 100))
    return { left, width: Math.min(100 - left, durationMillis / whole * 100), failed }
  })
}

const marksOf = (story: StoryJson): ReadonlyArray<Mark> => {
  const marks: Array<Mark> = []
  for (const { at, durationMillis } of story.decisions) {
    const to = Time.millisOf(at)
    marks.push({ kind: "decision", from: to - durationMillis, to, label: Time.duration(durationMillis), look: "" })
  }
  const asked = story.approvals.find(({ event }) => event === "requested")
  for (const answer of story.approvals.filter(({ event }) => event !== "requested")) {
    const to = Time.millisOf(answer.at)
    const wait = answer.waitMillis ?? (asked === undefined ? 0 : to - Time.millisOf(asked.at))
    marks.push({
      kind: "wait",
      from: asked === undefined ? to - wait : Time.millisOf(asked.at),
      to,
      label: `${answer.state === undefined ? "answered" : answer.state}, ${Time.duration(wait)}`,
      look: tone(answer.state)
    })
  }
  for (const execution of story.executions) {
    const { at, durationMillis, outcome } = execution
    const from = Time.millisOf(at)
    marks.push({
      kind: "execution",
      from,
      to: from + durationMillis,
      label: Time.duration(durationMillis),
      look: tone(outcome),
      inside: innerOf(story, execution)
    })
  }
  for (const { at, outcome } of story.results) {
    marks.push({ kind: "result", from: Time.millisOf(at), to: Time.millisOf(at), label: "result", look: tone(outcome) })
  }
  for (const { at } of story.consumers) {
    marks.push({ kind: "consumer", from: Time.millisOf(at), to: Time.millisOf(at), label: "used", look: "" })
  }
  const last = Math.max(...marks.map(({ to }) => to))
  if (asked !== undefined && !marks.some(({ kind }) => kind === "wait")) {
    const from = Time.millisOf(asked.at)
    marks.push({ kind: "wait", from, to: Math.max(last, from) + 30_000, label: "waits for an answer", look: "open" })
  }
  return marks.filter(({ from, to }) => Number.isFinite(from) && Number.isFinite(to) && to >= from)
}

const names = { decision: "Decision", wait: "Approval", execution: "Execution", result: "Result", consumer: "Used by" }
const lanes = ["decision", "wait", "execution", "result", "consumer"] as const

/** One lane for each stage that the call went through. */
export const Lifeline = ({ story }: { readonly story: StoryJson }) => {
  const marks = marksOf(story)
  if (marks.length < 2) return null
  const place = axis(marks)
  return (
    <figure class="lifeline" aria-label="The call's life">
      {lanes.map((lane) => {
        const here = marks.filter(({ kind }) => kind === lane)
        if (here.length === 0) return null
        return (
          <div key={lane} class={`lane ${lane}`}>
            <span class="lane-name">{names[lane]}</span>
            <span class="lane-axis">
              {here.map((mark, index) => {
                const [left, right] = [place(mark.from), place(mark.to)]
                const point = mark.from === mark.to
                return (
                  <span
                    key={index}
                    class={`mark ${point ? "point" : "bar"} ${mark.look} ${left > 100 - right ? "to-left" : ""}`}
                    style={{ left: `${left}%`, width: point ? "0" : `${Math.max(0.6, right - left)}%` }}
                  >
                    {mark.inside?.map(({ failed, left, width }, place) => (
                      <i key={place} class={failed ? "failed" : ""} style={{ left: `${left}%`, width: `${width}%` }} />
                    ))}
                    <span class="mark-label">{mark.label}</span>
                  </span>
                )
              })}
            </span>
          </div>
        )
      })}
      <figcaption>Not to scale: the longer something takes, the more its time is drawn together.</figcaption>
    </figure>
  )
}
