/** What Grafana does with the variables of a query before it sends it: the formats that the dashboards use. */

/** What is chosen: one typed text, or any number of values from a list. */
export type Values = Readonly<Record<string, string | ReadonlyArray<string>>>

const escapePattern = (value: string): string => value.replace(/[\\^$*+?.()|[\]{}/]/g, "\\$&")

const pattern = (value: string | ReadonlyArray<string>): string => {
  const all = typeof value === "string" ? [value] : value
  return all.length === 1 ? escapePattern(all[0] ?? "") : `(${all.map(escapePattern).join("|")})`
}

/** Prometheus: a pattern inside a double-quoted string, so each backslash is doubled. */
const escapePrometheus = (value: string): string =>
  value.replace(/\\/g, "\\\\\\\\").replace(/"/g, "\\\\\\\"").replace(/[$^*{}[\]'+?.()|]/g, "\\\\$&")

const prometheus = (value: string | ReadonlyArray<string>): string => {
  const all = typeof value === "string" ? [value] : value
  return all.length === 1 ? escapePrometheus(all[0] ?? "") : `(${all.map(escapePrometheus).join("|")})`
}

/** What a time range or resolution of Grafana stands for. */
const built: Readonly<Record<string, string>> = {
  __rate_interval: "1m",
  __rate_interval_ms: "60000",
  __range: "6h"
}

/** A query with everything filled in; "all" of a list is given as `undefined` and is the list's own pattern. */
export const filled = (query: string, values: Values, all = ".*"): string =>
  query.replace(/\$(?:\{(\w+)(?::(\w+))?\}|(\w+))/g, (whole, braced: string, format: string, bare: string) => {
    const name = braced ?? bare
    const own = built[name]
    if (own !== undefined) return own
    const value = values[name]
    if (format === "raw") return typeof value === "string" ? value : whole
    if (value === undefined) return all
    return format === "regex" ? pattern(value) : prometheus(value)
  })

/** A row of a table: what each column has. */
export type Row = Readonly<Record<string, string>>

/** Encodes like its format `percentencode`, which leaves no sign that an address reads as its own. */
const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * A link of a column with everything filled in, as a click on a cell does. What has no format is left as it is, although
 * Grafana encodes it: so a link that needs the encoding has to say so.
 */
export const followed = (
  url: string,
  { row, value, variables }: {
    readonly variables: Readonly<Record<string, string>>
    readonly row: Row
    readonly value: string
  }
): string =>
  url.replace(
    /\$\{(\w+)(?:\.([^:}]+))?(?::(\w+))?\}/g,
    (_, name: string, path: string | undefined, format: string | undefined) => {
      if (name === "__url_time_range") return "from=1700000000000&to=1700003600000"
      const field = /^fields(?:\.(\w+)|\["(.*)"\])$/.exec(path ?? "")
      const text = name === "__value"
        ? value
        : name === "__data"
        ? row[field?.[1] ?? field?.[2] ?? ""]
        : variables[name]
      if (text === undefined) throw new Error(`nothing for ${name}.${path}`)
      if (format === "queryparam") return `var-${name}=${percentEncoded(text)}`
      return format === "percentencode" ? percentEncoded(text) : text
    }
  )

/** The names of the variables in a query, Grafana's own ones left out. */
export const variablesIn = (query: string): ReadonlyArray<string> =>
  [...query.matchAll(/\$(?:\{(\w+)(?::\w+)?\}|(\w+))/g)]
    .map(([, braced, bare]) => braced ?? bare ?? "")
    .filter((name) => !name.startsWith("__"))
