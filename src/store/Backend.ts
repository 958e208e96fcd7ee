/**
 * A team's trace store as the command line names it: `tempo=http://host:3200` or `jaeger=https://user:password@host/path`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Schema from "effect/Schema"
import * as JaegerEngine from "./JaegerEngine.ts"
import * as RemoteHttp from "./RemoteHttp.ts"
import * as RemoteReader from "./RemoteReader.ts"
import * as TempoEngine from "./TempoEngine.ts"

/** The text names no trace store; `reason` says what it should be. */
export class WrongBackend extends Schema.TaggedError<WrongBackend>()("WrongBackend", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** A trace store and the bounds of what is asked of it. */
export interface Backend extends RemoteHttp.Connection {
  readonly kind: "jaeger" | "tempo"
  /** Traces of one search, at most: 200 unless `traces=` says otherwise. */
  readonly traces: number
  /** Days that are searched unless a question says otherwise: 7, or what `days=` says. */
  readonly days: number
  /** Hours of one search: Tempo's `max_duration`, 168 unless `hours=` says otherwise; longer times take several. */
  readonly hours: number
  /** Jaeger's services to search: all, or those of `service=`. */
  readonly services: ReadonlyArray<string>
}

const hour = 3_600n * 1_000_000_000n
const day = 24n * hour

const example = "Write tempo=http://host:3200 or jaeger=http://host:16686"

const numbers = {
  traces: { usual: 200, atMost: 5_000 },
  days: { usual: 7, atMost: 3_650 },
  hours: { usual: 168, atMost: 1_000_000 },
  timeout: { usual: 20, atMost: 600 },
  mebibytes: { usual: 64, atMost: 512 }
} as const

const parameters: ReadonlySet<string> = new Set([...Object.keys(numbers), "service", "tenant"])

const authorization = ({ password, username }: URL, token: string | undefined): Readonly<Record<string, string>> => {
  if (username !== "" || password !== "") {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    return { authorization: `Basic ${Base64.encode(pair)}` }
  }
  return token === undefined || token === "" ? {} : { authorization: `Bearer ${token}` }
}

/**
 * Reads such a text. The address may have `?days=30&traces=500&timeout=60&mebibytes=128` (bounds), `service=` (Jaeger, may
 * be repeated), `tenant=` and `hours=` (Tempo's `X-Scope-OrgID` and `max_duration`). `token` is sent as a bearer token where the address has no user.
 */
export const parse = (text: string, token?: string): Effect.Effect<Backend, WrongBackend> =>
  Effect.suspend(() => {
    const wrong = (reason: string) => Effect.fail(new WrongBackend({ reason }))
    const at = text.indexOf("=")
    const kind = text.slice(0, Math.max(at, 0))
    if (kind !== "tempo" && kind !== "jaeger") return wrong(`This is no trace store. ${example}.`)
    const url = URL.canParse(text.slice(at + 1)) ? new URL(text.slice(at + 1)) : undefined
    if (url === undefined || !/^https?:$/.test(url.protocol)) {
      return wrong(`The address is not http or https. ${example}.`)
    }
    const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
    if (unknown !== undefined) {
      return wrong(`${RemoteHttp.shown(unknown)} is none of ${[...parameters].join(", ")} of an address.`)
    }
    const found: Partial<Record<keyof typeof numbers, number>> = {}
    for (const name of Object.keys(numbers) as Array<keyof typeof numbers>) {
      const given = url.searchParams.get(name)
      const { atMost, usual } = numbers[name]
      const value = given === null ? usual : /^\d{1,7}$/.test(given) ? Number(given) : 0
      if (value < 1 || value > atMost) return wrong(`${name} is a number from 1 to ${atMost}.`)
      found[name] = value
    }
    if (/%(?![0-9a-fA-F]{2})/.test(url.username + url.password)) return wrong("User and password are written with %XX.")
    const base = `${url.origin}${url.pathname.replace(/\/+$/, "")}`
    const tenant = url.searchParams.get("tenant")
    const headers = { ...authorization(url, token), ...(tenant === null ? {} : { "x-scope-orgid": tenant }) }
    if (Object.values(headers).some((value) => /[^\x20-\x7e]/.test(value))) {
      return wrong("The token and the tenant have characters that a header cannot have.")
    }
    return Effect.succeed<Backend>({
      kind,
      name: `${kind}=${base}`,
      base,
      headers,
      traces: found.traces!,
      days: found.days!,
      hours: found.hours!,
      timeout: Duration.seconds(found.timeout!),
      bytesAtMost: found.mebibytes! * 1024 * 1024,
      services: url.searchParams.getAll("service")
    })
  })

/** How long an answer is used again: one story asks for the same traces many times. */
const usualFreshness = Duration.seconds(5)

/** Reads the trace store. Asks nothing yet. */
export const makeReader = Effect.fnUntraced(function*(backend: Backend, freshness = usualFreshness) {
  const ask = yield* RemoteHttp.make(backend)
  const options = { name: backend.name, tracesAtMost: backend.traces, lookback: BigInt(backend.days) * day }
  const engine = backend.kind === "tempo"
    ? TempoEngine.make(ask, { ...options, slice: BigInt(backend.hours) * hour })
    : JaegerEngine.make(ask, { ...options, services: backend.services })
  return yield* RemoteReader.make(engine, freshness)
}, Effect.provide(FetchHttpClient.layer))
