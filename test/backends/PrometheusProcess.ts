/** A real Prometheus with the configuration of collector/, on a free port. */
import * as fs from "node:fs"
import * as path from "node:path"
import { ensure } from "../../scripts/programs.ts"
import { root } from "../collector/Files.ts"
import * as Program from "./Program.ts"

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface PrometheusProcess extends Program.Program {
  readonly url: string
  /** Where it takes OTLP metrics. */
  readonly otlp: string
  /** Asks a query now. */
  readonly ask: (query: string) => Promise<ReadonlyArray<Series>>
  /** The exemplars of the last hour, as they are answered. */
  readonly exemplars: (query: string) => Promise<string>
}

const labelsOf = ({ __name__, ...labels }: Readonly<Record<string, string>>) => labels

/** `scraped` is the host and port of a collector's own metrics, in the place of those that compose has. */
export const start = async (folder: string, scraped?: string, given?: number): Promise<PrometheusProcess> => {
  const port = given ?? (await Program.freePorts(1))[0]
  const file = path.join(folder, "prometheus.yaml")
  fs.writeFileSync(
    file,
    fs.readFileSync(path.join(root, "collector/prometheus.yaml"), "utf8")
      .replace("/etc/prometheus/rules", path.join(root, "dashboards/out/rules"))
      .replace("collector:8888", scraped ?? "collector:8888")
      .replace("scrape_interval: 15s", `scrape_interval: ${scraped === undefined ? "15s" : "1s"}`)
  )
  const url = `http://127.0.0.1:${port}`
  const program = await Program.start(
    ensure("prometheus"),
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${path.join(folder, "prometheus")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--web.enable-otlp-receiver",
      "--enable-feature=exemplar-storage",
      "--log.level=warn"
    ],
    `${url}/-/ready`
  )
  return {
    ...program,
    url,
    otlp: `${url}/api/v1/otlp`,
    exemplars: async (query) => {
      const now = Date.now() / 1000
      const range = { start: String(now - 3600), end: String(now + 3600) }
      return (await fetch(`${url}/api/v1/query_exemplars?${new URLSearchParams({ query, ...range })}`)).text()
    },
    ask: async (query) => {
      const answer = await fetch(`${url}/api/v1/query`, { method: "POST", body: new URLSearchParams({ query }) })
      const { data } = await answer.json() as {
        readonly data: { readonly result: ReadonlyArray<{ metric: Record<string, string>; value: [number, string] }> }
      }
      return data.result.map(({ metric, value }) => ({ labels: labelsOf(metric), value: Number(value[1]) }))
    }
  }
}
