/** What goes through the collectors, and what does not. */
import type { Definition } from "./dashboard.ts"
import * as Panel from "./panels.ts"
import { pipeline } from "./queries.ts"
import * as Variable from "./variables.ts"

const silent = "The collector tells nothing: is it up, and is it scraped?"
const nothing = "None"

/** The dashboard. */
export const dashboard: Definition = {
  uid: "toolspan-pipeline",
  title: "Pipeline",
  description: "Spans received, exported, queued, refused and dropped by the collectors, stage by stage.",
  from: "now-3h",
  variables: [Variable.prometheusSource(), Variable.job(), Variable.instance()],
  rows: [
    {
      title: "At a glance",
      panels: [
        Panel.stat(
          { title: "Received", description: "Spans a second that were accepted.", unit: "cps", empty: silent },
          pipeline.received
        ),
        Panel.stat({
          title: "Refused",
          description:
            "Spans that were sent back in the time range, because memory is short. Applications try them again.",
          unit: "short",
          empty: nothing,
          red: 1
        }, pipeline.refusedCount),
        Panel.stat({
          title: "Dropped",
          description:
            "Spans that are lost, in the time range: no room in a queue, the store will not have them, or they have no ids.",
          unit: "short",
          empty: nothing,
          red: 1
        }, pipeline.lostCount),
        Panel.stat({
          title: "Fullest queue",
          description: "How full the fullest queue to a store is.",
          unit: "percentunit",
          empty: silent,
          red: 0.8
        }, pipeline.queueShare)
      ]
    },
    {
      title: "Received and refused",
      panels: [
        Panel.lines({
          title: "Received",
          description: "Spans accepted a second, by receiver.",
          unit: "cps",
          empty: silent
        }, { expression: pipeline.receivedBy, legend: "{{receiver}} {{transport}}" }),
        Panel.lines(
          {
            title: "Refused",
            description: "Spans a second that were sent back or failed on the way in.",
            unit: "cps",
            empty: nothing
          },
          { expression: pipeline.refusedBy, legend: "refused {{receiver}} {{transport}}" },
          { expression: pipeline.failedBy, legend: "failed {{receiver}} {{transport}}" },
          { expression: pipeline.limiterRefused, legend: "refused by {{processor}}" }
        )
      ]
    },
    {
      title: "Processed",
      panels: [
        Panel.lines({
          title: "Into each processor",
          description: "Items a second that go in.",
          unit: "cps",
          empty: silent
        }, { expression: pipeline.incoming, legend: "{{processor}} {{otel_signal}}" }),
        Panel.lines({
          title: "Out of each processor",
          description:
            "Items a second that come out. Filters before the metrics let through only the spans that they count: that is no loss.",
          unit: "cps",
          empty: silent
        }, { expression: pipeline.outgoing, legend: "{{processor}} {{otel_signal}}" })
      ]
    },
    {
      title: "Queued and exported",
      panels: [
        Panel.lines(
          {
            title: "Queues",
            description: "What waits for each store, and how much may wait. In the queue to the trace store: spans.",
            unit: "short",
            empty: silent
          },
          { expression: pipeline.queued, legend: "{{exporter}} {{data_type}}" },
          { expression: pipeline.capacity, legend: "{{exporter}} {{data_type}}, room" }
        ),
        Panel.lines(
          {
            title: "Exported",
            description: "Spans and metric points a second that the stores took.",
            unit: "cps",
            empty: silent
          },
          { expression: pipeline.sentSpans, legend: "{{exporter}} spans" },
          { expression: pipeline.sentMetrics, legend: "{{exporter}} metric points" }
        ),
        Panel.lines(
          {
            title: "Dropped",
            description:
              "Spans and metric points a second that are lost: no room in the queue, the store will not have them, or spans have no ids.",
            unit: "cps",
            empty: nothing,
            width: 24
          },
          { expression: pipeline.enqueueFailed, legend: "{{exporter}} no room for spans" },
          { expression: pipeline.sendFailed, legend: "{{exporter}} spans not taken" },
          { expression: pipeline.sendFailedMetrics, legend: "{{exporter}} metric points not taken" },
          { expression: pipeline.invalid, legend: "{{filter}} spans without ids" }
        )
      ]
    },
    {
      title: "Collectors",
      panels: [
        Panel.lines({
          title: "Memory",
          description: "Resident memory of each collector.",
          unit: "bytes",
          empty: silent,
          width: 8
        }, { expression: pipeline.memory, legend: "{{instance}}" }),
        Panel.lines({
          title: "Processor",
          description: "Processor cores in use by each collector.",
          unit: "none",
          empty: silent,
          width: 8
        }, { expression: pipeline.cpu, legend: "{{instance}}" }),
        Panel.lines({
          title: "Up since",
          description: "How long each collector has been running; back to zero is a restart.",
          unit: "s",
          empty: silent,
          width: 8
        }, { expression: pipeline.uptime, legend: "{{instance}}" })
      ]
    }
  ]
}
