/** What the steps of an account are made of. */
import type { ComponentChildren } from "preact"
import { Inert } from "./Inert.tsx"
import { toTrace } from "./Route.ts"
import * as Time from "./Time.ts"
import type { SpanRefJson } from "./Wire.ts"

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

/** One step: when, its sign, what happened. */
export const Step = ({ at, children, kind, look = "", title }: {
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

/** A link to a span in its trace. */
export const To = ({ children, span }: { readonly span: SpanRefJson; readonly children?: ComponentChildren }) => (
  <a href={toTrace(span.traceId, span.spanId)}>{children ?? <Inert text={span.name} max={80} />}</a>
)

/** The turn that it happened in. */
export const InTurn = ({ turn }: { readonly turn: SpanRefJson | undefined }) =>
  turn === undefined ? null : (
    <>
      {" "}in{" "}
      <To span={turn}>
        <Inert text={turn.name} max={80} />
      </To>
    </>
  )

/** Who asked, or who read the result. */
export const Model = (
  { model, provider }: { readonly model?: string | undefined; readonly provider?: string | undefined }
) => (
  <strong>
    <Inert text={model ?? provider ?? "A model"} max={80} />
  </strong>
)
