/**
 * Keeps pages of other origins out: a browser on this machine reaches the server for every page it shows.
 */
import type { IncomingHttpHeaders } from "node:http"
import { isIP } from "node:net"
import { hostname } from "node:os"

const loopbackNames = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i

const authority = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(:\d{1,5})?$/i

const loopbackOrigin = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/** Whether only this machine reaches this address. */
export const isLoopback = (host: string): boolean => loopbackNames.test(host)

/** Whose requests are served. */
export interface Rules {
  /** The address that is listened on. */
  readonly host: string
  /** Whether pages of other loopback origins (another port) are served. */
  readonly cors: boolean
}

/**
 * A name that somebody else's DNS points here must not do. An address cannot be pointed, so every one is taken where more
 * than the loopback address is listened on.
 */
const hostFits = (given: string, { host }: Rules): boolean => {
  const name = authority.exec(given)?.[1]?.toLowerCase()
  if (name === undefined) return false
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(name)) return true
  if (name === host.toLowerCase() || name === `[${host.toLowerCase()}]`) return true
  return !isLoopback(host) && (isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === hostname().toLowerCase())
}

/** Whether a page of this server asks, or no page at all. */
const isOwn = ({ host, origin }: IncomingHttpHeaders): boolean =>
  origin === undefined || /^https?:\/\/(.*)$/i.exec(origin)?.[1]?.toLowerCase() === host?.toLowerCase()

/** The origin of a page of another server on this machine; `undefined` for others. */
export const otherLoopbackOrigin = (headers: IncomingHttpHeaders): string | undefined =>
  !isOwn(headers) && loopbackOrigin.test(headers.origin!) ? headers.origin : undefined

/** A picture, script or form of another page: browsers send no Origin with these, but they say where they come from. */
const isForeignPart = (headers: IncomingHttpHeaders): boolean =>
  /^(cross|same)-site$/.test(String(headers["sec-fetch-site"])) && headers["sec-fetch-mode"] !== "navigate"

const foreignPage = "requests of pages from other origins are not served"

/** Why a request is not served; `undefined` when it is. */
export const refusal = (headers: IncomingHttpHeaders, rules: Rules): string | undefined => {
  if (headers.host === undefined || !hostFits(headers.host, rules)) {
    return isLoopback(rules.host)
      ? "the Host header must be localhost, 127.0.0.1 or [::1]"
      : `the Host header must be an address, localhost, ${rules.host} or the name of this machine`
  }
  if (headers.origin === undefined) return isForeignPart(headers) ? foreignPage : undefined
  if (isOwn(headers)) return undefined
  if (otherLoopbackOrigin(headers) === undefined) return foreignPage
  return rules.cors ? undefined : "requests of pages from other origins are served after toolspan dev --cors"
}
