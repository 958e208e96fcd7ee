/** Every span event name that toolspan writes, once. */

/** One pairing fault, on the `chat` span of the request that carries it, else on the turn's span. */
export const violation = "toolspan.violation"

/** One preliminary result of a handler, on its `execute_tool` span. */
export const preliminary = "toolspan.preliminary"
