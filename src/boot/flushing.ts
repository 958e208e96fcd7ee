/** How `Toolspan.flush` reaches an exporter that only `register` knows of. */

const key = Symbol.for("toolspan/flush")

const holder = globalThis as { [key]?: () => Promise<void> }

/** Says how the spans of this process are sent at once. */
export const provide = (flush: () => Promise<void>): void => {
  holder[key] = flush
}

/** Sends what has ended so far, when anyone said how; resolves also when that fails. */
export const flush = async (): Promise<void> => holder[key]?.()
