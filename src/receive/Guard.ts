/**
 * Keeps pages of other origins out: a browser on this machine reaches the loopback address for every page it shows.
 */
import type { IncomingHttpHeaders } from "node:http"

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

const loopbackOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** Why a request is not served; `undefined` when it is. */
export const refusal = (headers: IncomingHttpHeaders): string | undefined => {
  if (headers.host === undefined || !loopbackHost.test(headers.host)) {
    return "the Host header must be localhost, 127.0.0.1 or [::1]"
  }
  if (headers.origin !== undefined && !loopbackOrigin.test(headers.origin)) {
    return "requests of pages from other origins are not served"
  }
  return undefined
}
