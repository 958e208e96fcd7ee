/** What lets a page of another port of this machine send spans and read answers. */
import type { IncomingHttpHeaders } from "node:http"
import type { Reply } from "./Reply.ts"

/** A list of header names, as a browser sends it. */
const headerNames = /^[a-z0-9-]{1,64}( ?, ?[a-z0-9-]{1,64}){0,31}$/i

/** How long a browser need not ask again, in seconds. */
const maxAge = "600"

/** The headers of every answer to a page of this origin. */
export const headersFor = (origin: string): Readonly<Record<string, string>> => ({
  "access-control-allow-origin": origin,
  vary: "origin"
})

/** The answer to a browser that asks whether it may send a request. */
export const preflight = (headers: IncomingHttpHeaders): Reply => {
  const asked = headers["access-control-request-headers"] ?? ""
  return {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, HEAD, POST",
      "access-control-allow-headers": headerNames.test(asked) ? asked : "content-type, content-encoding",
      "access-control-max-age": maxAge
    },
    body: new Uint8Array()
  }
}
