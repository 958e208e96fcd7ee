/** Faults in how calls, approvals and results belong together. */
import * as Attribute from "../src/semconv/attribute.ts"
import * as Column from "./columns.ts"
import type { Definition } from "./dashboard.ts"
import * as Panel from "./panels.ts"
import { legend } from "./promql.ts"
import { pairing, traces } from "./queries.ts"
import * as Table from "./tables.ts"
import * as Variable from "./variables.ts"

const none = "No pairing fault in this time range"
const newest = { by: Column.start.title, descending: true }
const fault = [
  Column.start,
  Column.kind,
  Column.scope,
  Column.service,
  Column.tool,
  Column.call,
  Column.name,
  Column.spanElsewhere
]

/** The dashboard. */
export const dashboard: Definition = {
  uid: "toolspan-pairing",
  title: "Pairing",
  description:
    "Tool calls without results, results without calls, runs that nobody approved, runs that happened twice.",
  from: "now-24h",
  variables: [Variable.prometheusSource(), Variable.tempoSource(), Variable.service(), Variable.kind()],
  rows: [
    {
      title: "At a glance",
      panels: [
        Panel.stat({
          title: "Faults",
          description: "Pairing faults told in the time range. Each request that carries a fault tells it again.",
          unit: "short",
          empty: "None",
          red: 1
        }, pairing.count),
        Panel.stat({
          title: "Faults for each call",
          description: "Pairing faults divided by the decided calls of the time range.",
          unit: "none",
          empty: "None",
          red: 0.01
        }, pairing.perDecision),
        Panel.stat({
          title: "Duplicate executions",
          description: "Calls that were executed again, in the time range. Each one may have done something twice.",
          unit: "short",
          empty: "None",
          red: 1
        }, pairing.duplicates),
        Panel.stat({
          title: "Approval mismatches",
          description: "Calls that ran although another call, or other arguments, had been approved.",
          unit: "short",
          empty: "None",
          red: 1
        }, pairing.mismatches)
      ]
    },
    {
      title: "By kind and service",
      panels: [
        Panel.lines(
          { title: "By kind", description: "Pairing faults a second, by kind.", unit: "ops", empty: none },
          { expression: pairing.byKind, legend: legend(Attribute.toolspanViolationKind) }
        ),
        Panel.lines(
          { title: "By service", description: "Pairing faults a second, by service.", unit: "ops", empty: none },
          { expression: pairing.byService, legend: legend("service.name") }
        ),
        Table.figures(
          {
            title: "Totals",
            description: "Pairing faults in the time range, by service and kind.",
            unit: "short",
            empty: none
          },
          pairing.table,
          [Column.figures.service, Column.figures.kind, Column.figures.value("Faults", "short")]
        )
      ]
    },
    {
      title: "Latest",
      panels: [
        Table.spans(
          {
            title: "Latest faults",
            description:
              "The newest spans that tell a fault of the chosen kinds (200 at most); of several faults on a span one is shown. A click on a span id opens its trace.",
            unit: "string",
            empty: none
          },
          traces.faults,
          fault,
          newest
        ),
        Table.spans(
          {
            title: "Duplicate executions",
            description: "The newest turns in which a call was executed again (200 at most).",
            unit: "string",
            empty: "No call was executed twice"
          },
          traces.duplicates,
          fault,
          newest
        )
      ]
    }
  ]
}
