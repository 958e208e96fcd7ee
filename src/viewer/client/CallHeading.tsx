/** What a call is: tool, outcome, id, and where it belongs. */
import { Copy } from "./Copy.tsx"
import { Inert } from "./Inert.tsx"
import { tone, words } from "./Look.ts"
import { toCall, toCalls, toConversation } from "./Route.ts"
import * as Time from "./Time.ts"
import type { StoryJson } from "./Wire.ts"

/** As a shell takes it. */
const quoted = (text: string): string => /^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The top of a call's page. */
export const CallHeading = ({ story }: { readonly story: StoryJson }) => {
  const { call, violations } = story
  const asked = call.state !== undefined && call.state !== "not_required"
  const model = story.decisions[0]?.model ?? call.model
  return (
    <header class="call-head">
      <div class="call-title">
        <h1 class={call.known ? "" : "unknown"}>
          <Inert text={call.tool} max={120} />
        </h1>
        {asked && (
          <span class={`badge ${tone(call.state)}`}>
            <Inert text={words(call.state ?? "")} max={40} />
          </span>
        )}
        {call.outcome !== undefined && call.outcome !== call.state && (
          <span class={`badge ${tone(call.outcome)}`}>
            <Inert text={words(call.outcome)} max={40} />
          </span>
        )}
        {violations.length > 0 && <span class="badge bad">{Time.count(violations.length, "fault")}</span>}
        <span class="actions">
          <Copy label="Copy id" text={call.id ?? call.key} what="the id" />
          <Copy label="Copy link" text={() => location.origin + toCall(call)} what="the address of this page" />
          <Copy
            label="Copy command"
            text={`toolspan show ${quoted(call.id ?? call.key)}`}
            what="the command that shows this call"
          />
        </span>
      </div>
      <dl class="call-facts">
        <div>
          <dt>Id</dt>
          <dd class="mono">
            {call.id === undefined ? <span class="faint">none</span> : <Inert text={call.id} max={120} />}
          </dd>
        </div>
        {call.key !== call.id && (
          <div>
            <dt>Key</dt>
            <dd class="mono">
              <Inert text={call.key} max={120} />
            </dd>
          </div>
        )}
        {call.conversation !== undefined && (
          <div>
            <dt>Conversation</dt>
            <dd>
              <a href={toConversation(call.conversation)}>
                <Inert text={call.conversation} max={80} />
              </a>
            </dd>
          </div>
        )}
        {call.agent !== undefined && (
          <div>
            <dt>Agent</dt>
            <dd>
              <Inert text={call.agent} max={80} />
            </dd>
          </div>
        )}
        {model !== undefined && (
          <div>
            <dt>Model</dt>
            <dd>
              <Inert text={model} max={80} />
            </dd>
          </div>
        )}
        {call.services.length > 0 && (
          <div>
            <dt>Service</dt>
            <dd>
              {call.services.map((service, index) => (
                <>
                  {index > 0 && ", "}
                  <a href={toCalls({ service })}>
                    <Inert text={service} max={60} />
                  </a>
                </>
              ))}
            </dd>
          </div>
        )}
        <div>
          <dt>When</dt>
          <dd>{Time.day(call.startedAt, true)}, {Time.clock(call.startedAt)}</dd>
        </div>
      </dl>
    </header>
  )
}
