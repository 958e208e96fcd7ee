/** What `toolspan dev` says when it has begun. */
import * as Receiver from "../receive/Receiver.ts"
import type { Limits } from "../store/Retention.ts"
import * as DevLimits from "./DevLimits.ts"
import { inert } from "./InertText.ts"
import type { Style } from "./Style.ts"

/** What it is about. */
export interface Facts {
  readonly url: string
  readonly host: string
  readonly file: string
  readonly limits: Limits
  /** The `--data` that was given. */
  readonly data: string | undefined
  /** Whether a token is asked for. */
  readonly token: boolean
}

/** As a shell takes it. */
const quoted = (path: string): string => /^[\w./~-]+$/.test(path) ? path : `'${inert(path).replaceAll("'", "'\\''")}'`

const standardUrl = `http://${Receiver.standardHost}:${Receiver.standardPort}`

const pageOf = ({ token, url }: { readonly token: boolean; readonly url: string }) =>
  token ? `${url}/?token=<the token>` : url

const ending = (style: Style) => style.faint("Ctrl+C stops it.")

/** The lines of a server that shows a team's store. */
export const looking = (
  { name, ...rest }: { readonly name: string; readonly url: string; readonly token: boolean },
  style: Style
): ReadonlyArray<string> => [
  `${style.bold("toolspan")} shows what is in ${inert(name)}, and takes nothing.`,
  `Look at ${style.cyan(pageOf(rest))}`,
  "",
  ending(style)
]

/** The lines of a server that takes spans. */
export const taking = (facts: Facts, style: Style): ReadonlyArray<string> => {
  const { data, file, host, limits, token, url } = facts
  const where = data === undefined ? "" : ` --data ${quoted(data)}`
  const variables = [
    ...(url === standardUrl ? [] : [`OTEL_EXPORTER_OTLP_ENDPOINT=${url} `]),
    ...(token ? ["OTEL_EXPORTER_OTLP_HEADERS=\"authorization=Bearer%20$TOOLSPAN_TOKEN\" "] : [])
  ]
  return [
    `${style.bold("toolspan")} listens on ${style.cyan(`${url}/v1/traces`)}`,
    ...(host === "0.0.0.0" || host === "::" ? ["(and on every other address of this machine)"] : []),
    `and keeps what it gets in ${inert(file)}`,
    DevLimits.said(limits),
    "",
    "Send it the traces of an app:",
    `  ${variables.join("")}node --import toolspan/register app.js`,
    "",
    `Look at ${style.cyan(pageOf(facts))}`,
    "or ask in another terminal:",
    `  toolspan find${where}`,
    `  toolspan show <id>${where}`,
    "",
    ending(style)
  ]
}
