/**
 * Asks for a token: in the `Authorization` header, or in a cookie that a browser gets for an address with `?token=`.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { encodingOf } from "./TraceRoute.ts"
import * as Reply from "./Reply.ts"

/** What can be a token: as a header takes it, and long enough not to be guessed. */
export const pattern = /^[\x21-\x7e]{16,256}$/

/** By this a toolspan that asks for a token is known. */
export const challenge = "Bearer realm=\"toolspan\""

const reason = "this toolspan wants its token: send Authorization: Bearer <token>, "
  + "or open the address once in a browser with ?token=<token>"

/** Whether two texts are the same, in a time that does not tell how much of them is. */
const same = (one: string, other: string): boolean => {
  const key = randomBytes(32)
  const digest = (text: string) => createHmac("sha256", key).update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

/** Where a login leads: a path of this server, whatever was asked for. */
const withoutToken = (path: string, query: URLSearchParams): string => {
  query.delete("token")
  const search = query.toString()
  const own = /^\/(?![/\\])[\x21-\x7e]*$/.test(path) ? path : "/"
  return search === "" ? own : `${own}?${search}`
}

/** Lets requests through that know the token: `undefined`. Others get an answer. */
export const make = (token: string) => {
  // The token itself stays out of the cookie.
  const value = createHmac("sha256", token).update("toolspan cookie").digest("base64url")

  const bearer = (header: string | undefined): boolean => {
    const given = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1]
    return given !== undefined && same(given, token)
  }

  const cookie = (name: string, header: string | undefined): boolean =>
    (header ?? "").split(/; ?/, 64).some((pair) =>
      pair.startsWith(`${name}=`) && same(pair.slice(name.length + 1), value)
    )

  return (request: IncomingMessage): Reply.Reply | undefined => {
    const { headers, method, url = "" } = request
    const [path = "", search = ""] = url.split(/\?(.*)/s, 2)
    const query = new URLSearchParams(search)
    const given = query.get("token")
    // Cookies of all ports of a host go to each of them.
    const name = `toolspan_${request.socket.localPort}`
    if (method === "GET" && given !== null && same(given, token)) {
      return {
        status: 303,
        headers: {
          location: withoutToken(path, query),
          "set-cookie": `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`
        },
        body: new Uint8Array()
      }
    }
    if (bearer(headers.authorization) || cookie(name, headers.cookie)) return undefined
    return Reply.refuse(401, encodingOf(headers) ?? "json", reason, { "www-authenticate": challenge })
  }
}
