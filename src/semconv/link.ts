/** The kinds of link between the spans of a tool call: the values of the link attribute `toolspan.link.type`. */
export const types = ["decided_by", "approved_by", "answers", "result_of", "consumes"] as const

/** One kind of link. */
export type LinkType = typeof types[number]
