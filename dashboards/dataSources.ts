/** The data sources that Grafana is given: Prometheus and Tempo, with links from one to the other. */
import * as Attribute from "../src/semconv/attribute.ts"
import { labelName, serviceLabel } from "./promql.ts"
import { spanLinks } from "./queries.ts"
import { yaml } from "./yaml.ts"

/** Grafana reads `$NAME` in these files as a variable of its environment; a doubled sign is a sign. */
const literal = (text: string): string => text.replaceAll("$", "$$$$")

/** The file for Grafana's `provisioning/datasources`; the addresses come from its environment, which docker-compose.yml sets. */
export const dataSources = yaml({
  apiVersion: 1,
  datasources: [
    {
      name: "Prometheus",
      uid: "prometheus",
      type: "prometheus",
      access: "proxy",
      url: "${PROMETHEUS_URL}",
      isDefault: true,
      jsonData: {
        httpMethod: "POST",
        prometheusType: "Prometheus",
        // The collector sends every 15 seconds: the shortest window in which a rate has two points follows from it.
        timeInterval: "15s",
        exemplarTraceIdDestinations: [{ name: "trace_id", datasourceUid: "tempo" }]
      }
    },
    {
      name: "Tempo",
      uid: "tempo",
      type: "tempo",
      access: "proxy",
      url: "${TEMPO_URL}",
      jsonData: {
        tracesToMetrics: {
          datasourceUid: "prometheus",
          spanStartTimeShift: "-30m",
          spanEndTimeShift: "30m",
          tags: [
            { key: "service.name", value: serviceLabel },
            { key: Attribute.genAiToolName, value: labelName(Attribute.genAiToolName) }
          ],
          queries: [
            { name: "Runs of this tool", query: literal(spanLinks.rate) },
            { name: "Duration of this tool, p95", query: literal(spanLinks.duration) },
            { name: "Wait for approval of this tool, p95", query: literal(spanLinks.approvalWait) }
          ]
        },
        nodeGraph: { enabled: true },
        spanBar: { type: "Tag", tag: Attribute.genAiToolName },
        traceQuery: { timeShiftEnabled: true, spanStartTimeShift: "-1h", spanEndTimeShift: "1h" }
      }
    }
  ]
})
