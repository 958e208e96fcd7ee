/** One call, from its id: every span, in every trace, and where their links lead. */
import * as Column from "./columns.ts"
import type { Definition } from "./dashboard.ts"
import * as Panel from "./panels.ts"
import { traces } from "./queries.ts"
import * as Table from "./tables.ts"
import * as Variable from "./variables.ts"

const ask = "Put a tool call id into the box above, or choose a call below"
const oldest = { by: Column.start.title, descending: false }
const newest = { by: Column.start.title, descending: true }

const linked = [
  Column.start,
  Column.service,
  Column.stage,
  Column.name,
  Column.span,
  Column.linkedTrace,
  Column.linkedSpan,
  ...Column.twins
]

/** The dashboard. */
export const dashboard: Definition = {
  uid: Column.finder.uid,
  title: Column.finder.title,
  description: "Everything that is known of one tool call: put its id into the box.",
  from: "now-24h",
  refresh: "",
  variables: [
    Variable.tempoSource(),
    Variable.prometheusSource(),
    Variable.id(),
    Variable.conversation(),
    Variable.trace(),
    Variable.span(),
    Variable.service(),
    Variable.tool()
  ],
  rows: [
    {
      title: "The call",
      panels: [
        Table.spans(
          {
            title: "Story",
            description:
              "Every span of the call in order: decision, approval, execution, result, over all traces in the time range. A click on a span id shows its trace and links.",
            unit: "string",
            empty: ask
          },
          traces.story,
          [
            Column.start,
            Column.stage,
            Column.name,
            Column.service,
            Column.approval,
            Column.approvalEvent,
            Column.wait,
            Column.outcome,
            Column.origin,
            Column.error,
            Column.status,
            Column.duration,
            Column.span,
            Column.tool,
            Column.key,
            Column.conversation
          ],
          oldest
        ),
        Table.byTrace({
          title: "Spans by trace",
          description: "The traces in which the call has spans; a row opens to show them.",
          unit: "string",
          empty: ask,
          width: 12
        }, traces.story),
        Table.spans(
          {
            title: "Pairing faults told of the call",
            description: "Faults that name this id. Each request that carries a fault tells it again.",
            unit: "string",
            empty: "No fault is told of this call",
            width: 12
          },
          traces.callFaults,
          [Column.start, Column.kind, Column.scope, Column.name, Column.service, Column.span],
          newest
        )
      ]
    },
    {
      title: "Links, both ways",
      panels: [
        Table.spans(
          {
            title: "Where the call's spans link to",
            description:
              "What decided, approved or made each span. A click on a linked span follows the link, also into another trace. A span with several links shows all of them in the last columns, as trace-span.",
            unit: "string",
            empty: ask
          },
          traces.links,
          linked,
          oldest
        ),
        Table.spans(
          {
            title: "The chosen span",
            description: "The span in the box `Span`, and where it links to.",
            unit: "string",
            empty: "Click on a span id or linked span above",
            width: 12
          },
          traces.chosen,
          linked,
          oldest
        ),
        Table.spans(
          {
            title: "What links to the chosen span",
            description:
              "The way back: executions of a decision, the answer to an approval, the request that consumed a result.",
            unit: "string",
            empty: "No span links there, or none is chosen",
            width: 12
          },
          traces.linking,
          linked,
          oldest
        )
      ]
    },
    {
      title: "Its surroundings",
      panels: [
        Panel.waterfall({
          title: "Trace",
          description: "The trace in the box `Trace`: the call among the other spans of its turn.",
          unit: "string",
          empty: "Click on a span id above"
        }, traces.trace)
      ]
    },
    {
      title: "When the id is not known",
      panels: [
        Table.spans(
          {
            title: "Latest calls",
            description: "The newest decisions of the chosen services and tools. A click on an id finds the call.",
            unit: "string",
            empty: "No tool call in this time range",
            width: 12
          },
          traces.latest,
          [Column.start, Column.call, Column.tool, Column.service, Column.approval, Column.conversation, Column.span],
          newest
        ),
        Table.spans(
          {
            title: "Calls of the conversation",
            description:
              "The decisions of the conversation in the box `Conversation`. A click on an id finds the call.",
            unit: "string",
            empty: "Put a conversation's id into the box above",
            width: 12
          },
          traces.conversation,
          [Column.start, Column.call, Column.tool, Column.service, Column.agent, Column.span],
          oldest
        )
      ]
    }
  ]
}
