// A search by scan beats a regular expression here: nearly every id has none of the three characters.

const escape = (id: string): string => {
  let escaped = id.indexOf("%") >= 0 ? id.replaceAll("%", "%25") : id
  if (escaped.indexOf("#") >= 0) escaped = escaped.replaceAll("#", "%23")
  return escaped.charCodeAt(0) === 63 ? "%3F" + escaped.slice(1) : escaped
}

/**
 * The key of the call with this id: the id itself, `id#2` for the second call with it, and so on.
 *
 * `%`, `#` and a leading `?` of the id are percent-encoded, so no key can stand for two calls.
 */
export const ofId = (id: string, occurrence: number): string => {
  const escaped = escape(id)
  return occurrence > 1 ? `${escaped}#${occurrence}` : escaped
}

/** The key of the n-th part that has no id, counted from 1. */
export const ofMissing = (count: number): string => `?${count}`
