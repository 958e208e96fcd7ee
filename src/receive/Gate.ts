/** What a request passes before anything looks at it: Host, Origin and, where there is one, the token. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Cors from "./Cors.ts"
import * as Guard from "./Guard.ts"
import * as Reply from "./Reply.ts"
import * as Token from "./Token.ts"
import { encodingOf } from "./TraceRoute.ts"

/** The answer to a request that does not pass, or needs no more; `undefined` for one that goes on. */
export type Gate = (request: IncomingMessage, response: ServerResponse) => Reply.Reply | undefined

/** What is asked of requests. */
export interface Options extends Guard.Rules {
  readonly token: string | undefined
  /** Paths that are read without the token, because they hold nothing of anybody: none unless told. */
  readonly isOpen?: ((path: string) => boolean) | undefined
}

/** A gate with these rules. */
export const make = ({ isOpen = () => false, token, ...rules }: Options): Gate => {
  const check = token === undefined ? () => undefined : Token.make(token)
  return (request, response) => {
    const { headers, method, url = "" } = request
    const refusal = Guard.refusal(headers, rules)
    if (refusal !== undefined) return Reply.refuse(403, encodingOf(headers) ?? "json", refusal)
    const origin = Guard.otherLoopbackOrigin(headers)
    if (origin !== undefined) {
      for (const [name, value] of Object.entries(Cors.headersFor(origin))) response.setHeader(name, value)
      // A browser shows no token when it asks whether it may.
      if (method === "OPTIONS" && headers["access-control-request-method"] !== undefined) return Cors.preflight(headers)
    }
    const reply = check(request)
    const refused = reply?.status === 401
    return refused && method === "GET" && isOpen(url.split("?", 1)[0]!) ? undefined : reply
  }
}
