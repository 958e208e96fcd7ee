/** One server-sent event: `data` is written as JSON, or as it stands when it is a text (`[DONE]`). */
export interface SseEvent {
  readonly event?: string
  readonly data: unknown
}

export const encode = ({ data, event }: SseEvent): string => {
  const line = typeof data === "string" ? data : JSON.stringify(data)
  return `${event === undefined ? "" : `event: ${event}\n`}data: ${line}\n\n`
}

/** The event with its data cut in the middle: the frame is whole, the JSON in it is not. */
export const encodeBroken = ({ data, event }: SseEvent): string => {
  const line = typeof data === "string" ? data : JSON.stringify(data)
  return encode({ ...(event === undefined ? {} : { event }), data: line.slice(0, Math.ceil(line.length / 2)) })
}
