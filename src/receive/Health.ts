/**
 * The answer by which a toolspan receiver is known.
 */

/** `GET` this path for this JSON. */
export const health = {
  path: "/healthz",
  body: JSON.stringify({ name: "toolspan", status: "ok" })
} as const
