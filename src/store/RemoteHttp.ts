/**
 * Bounded questions to a trace store over HTTP: an answer is read up to a size and for a time, and is no more trusted than
 * any other input.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Stream from "effect/Stream"
import { CannotAnswer, type ReadError } from "./Capability.ts"
import { StoreUnavailable } from "./StoreError.ts"

/** Where a store is and how it is asked. */
export interface Connection {
  /** Its name for people: without credentials. */
  readonly name: string
  /** Scheme, host and path, without a slash at the end. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of one answer, at most. */
  readonly bytesAtMost: number
  /** Time for one answer. */
  readonly timeout: Duration.Duration
}

/** An answer with a status of 200 to 299, or 404. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array
}

/** Asks for a path with these parameters. */
export type Ask = (
  path: string,
  parameters: ReadonlyArray<readonly [string, string]>,
  accept: string
) => Effect.Effect<Answer, ReadError>

/** Characters of a question, at most: common servers read headers of 1 MiB, some proxies 8 KiB. */
export const questionAtMost = 100_000

/** Characters of a foreign text that are shown, in one line and without anything that a terminal acts on. */
const shownAtMost = 200

/** A foreign text, made harmless and short. */
export const shown = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return line.length > shownAtMost ? `${line.slice(0, shownAtMost)}…` : line
}

const reasonOf = (status: number, body: Uint8Array): string => {
  const said = shown(new TextDecoder().decode(body.subarray(0, 2_000)))
  const what = status === 401 || status === 403
    ? "it wants a token: put it into TOOLSPAN_BACKEND_TOKEN, or user and password into the address"
    : said
  return what === "" ? `it answered ${status}` : `it answered ${status}: ${what}`
}

/** What the transport says, without the address, which can be long and hold ids. */
const transportReason = (error: { readonly reason: { readonly _tag: string; readonly cause?: unknown } }): string => {
  const { cause } = error.reason
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const code = inner instanceof Error ? `: ${shown(inner.message)}` : ""
  return `it cannot be asked (${error.reason._tag})${code}`
}

/** Questions to this store. */
export const make = Effect.fnUntraced(function*(connection: Connection) {
  const client = yield* HttpClient.HttpClient
  const { bytesAtMost, name } = connection

  const unavailable = (reason: string) => new StoreUnavailable({ path: name, reason })

  const tooLarge = () =>
    new CannotAnswer({
      engine: name,
      question: "calls",
      reason: `its answer is larger than ${Math.floor(bytesAtMost / 1024 / 1024)} MiB`,
      instead: "Narrow the time or the filters, or ask for one call by its id"
    })

  const read = (response: HttpClientResponse.HttpClientResponse) =>
    Stream.runFoldEffect(
      response.stream,
      () => ({ chunks: Array<Uint8Array>(), size: 0 }),
      (read, chunk) => {
        read.size += chunk.length
        if (read.size > bytesAtMost) return Effect.fail(tooLarge())
        read.chunks.push(chunk)
        return Effect.succeed(read)
      }
    ).pipe(
      Effect.map(({ chunks }): Uint8Array => Buffer.concat(chunks)),
      // A body of no bytes is an error of the client's, not of the store's.
      Effect.catchIf(
        (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
        () => Effect.succeed<Uint8Array>(new Uint8Array())
      )
    )

  const ask: Ask = (path, parameters, accept) => {
    if (parameters.reduce((size, [, value]) => size + value.length, path.length) > questionAtMost) {
      return Effect.fail(
        new CannotAnswer({
          engine: name,
          question: "calls",
          reason: `the question is longer than ${questionAtMost.toLocaleString("en-US")} characters`,
          instead: "Search by a shorter id or text"
        })
      )
    }
    const request = HttpClientRequest.get(`${connection.base}${path}`, { urlParams: parameters }).pipe(
      HttpClientRequest.setHeaders({ ...connection.headers, accept })
    )
    return client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(read(response), (body): Answer => ({ status: response.status, body }))),
      Effect.timeoutOrElse({
        duration: connection.timeout,
        orElse: () => Effect.fail(unavailable(`it gave no answer in ${Duration.format(connection.timeout)}`))
      }),
      Effect.catchTag("HttpClientError", (error) => Effect.fail(unavailable(transportReason(error)))),
      Effect.filterOrFail(
        ({ status }) => (status >= 200 && status < 300) || status === 404,
        ({ body, status }) => unavailable(reasonOf(status, body))
      ),
      // A redirect could lead the credentials elsewhere.
      Effect.provideService(FetchHttpClient.RequestInit, { redirect: "error" })
    )
  }
  return ask
})
