/** One fault in the list. */
import { Inert } from "./Inert.tsx"
import { words } from "./Look.ts"
import { toCall, toConversation, toTrace } from "./Route.ts"
import * as Time from "./Time.ts"
import type { ListedViolationJson } from "./Wire.ts"

/** When, what, on which call, and who reported it. */
export const ViolationRow = ({ violation }: { readonly violation: ListedViolationJson }) => {
  const { at, conversation, explanation, id, key, kind, service, span, tool } = violation
  return (
    <li class="violation">
      <span class="c-time" title={`${Time.day(at, true)} ${Time.clock(at)}`}>{Time.moment(at)}</span>
      <div>
        <p>
          <strong class="bad">
            <Inert text={words(kind)} max={60} />
          </strong>
          {tool !== undefined && (
            <span class="mono tool">
              <Inert text={tool} max={80} />
            </span>
          )}
          {key !== undefined && (
            <a class="mono" href={toCall({ key, ...(conversation === undefined ? {} : { conversation }) })}>
              <Inert text={id ?? key} max={80} />
            </a>
          )}
        </p>
        <p class="soft">{explanation}</p>
        <p class="faint facts">
          told by{" "}
          <a href={toTrace(span.traceId, span.spanId)}>
            <Inert text={span.name} max={80} />
          </a>
          {service !== undefined && (
            <>
              {" "}of <Inert text={service} max={60} />
            </>
          )}
          {conversation !== undefined && (
            <>
              {" "}in{" "}
              <a href={toConversation(conversation)}>
                <Inert text={conversation} max={60} />
              </a>
            </>
          )}
        </p>
      </div>
    </li>
  )
}
