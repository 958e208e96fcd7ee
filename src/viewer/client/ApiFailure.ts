/** Why an answer did not come, and what to do about it. */

/** What stood in the way. */
export type Obstacle = "wrong" | "login" | "refused" | "nothing" | "busy" | "broken" | "unanswered" | "gone"

/** A question without an answer. */
export interface ApiFailure {
  readonly obstacle: Obstacle
  /** The server's own words. */
  readonly reason?: string
  readonly status?: number
}

/** What a status means here. */
export const obstacleOf = (status: number): Obstacle => {
  switch (status) {
    case 400:
      return "wrong"
    case 401:
      return "login"
    case 403:
      return "refused"
    case 404:
      return "nothing"
    case 429:
    case 503:
      return "busy"
    case 501:
      return "unanswered"
    default:
      return "broken"
  }
}

/** Whatever was thrown, as a failure: what is none of ours never reached the server. */
export const failureOf = (cause: unknown): ApiFailure =>
  isFailure(cause) ? cause : { obstacle: "gone", ...(cause instanceof Error ? { reason: cause.message } : {}) }

const isFailure = (cause: unknown): cause is ApiFailure =>
  typeof cause === "object" && cause !== null && Object.hasOwn(cause, "obstacle")

/** Whether asking again can help without the reader doing anything. */
export const askedAgain = ({ obstacle }: ApiFailure): "answered" | "again" =>
  obstacle === "busy" || obstacle === "gone" || obstacle === "broken" ? "again" : "answered"

/** One sentence that says what is wrong, and one that says what to do. */
export const advice: Readonly<Record<Obstacle, { readonly title: string; readonly remedy: string }>> = {
  wrong: {
    title: "The server does not understand this question.",
    remedy: "One of the filters in the address cannot be read. Change it, or show all calls."
  },
  login: {
    title: "This server wants a token.",
    remedy:
      "It is what toolspan dev was started with: --token, or TOOLSPAN_TOKEN. Give it here once; this browser keeps a cookie."
  },
  refused: {
    title: "The server refuses this page.",
    remedy: "Open it at the address that toolspan dev printed: localhost, 127.0.0.1 or [::1]."
  },
  nothing: { title: "There is nothing here.", remedy: "It never came, or it was removed with the oldest." },
  busy: {
    title: "The store cannot answer now.",
    remedy: "The page asks again by itself. When it stays like this, look at what toolspan dev prints."
  },
  broken: {
    title: "The server failed at this question.",
    remedy: "Look at what toolspan dev prints. The page asks again by itself."
  },
  unanswered: {
    title: "This store does not answer this question.",
    remedy: "Others that it does answer are there."
  },
  gone: {
    title: "The server does not answer.",
    remedy: "Start it again with: toolspan dev. The page connects by itself."
  }
}
