/** Reads what a PromQL expression asks for: its metrics with their matchers, and the labels that it groups by. */

/** One metric in an expression. */
export interface Selector {
  readonly metric: string
  readonly matchers: ReadonlyArray<{ readonly label: string; readonly operator: string; readonly value: string }>
}

const words = new Set(["and", "or", "unless", "offset", "by", "without", "ignoring", "on", "inf", "nan"])

const matchersIn = (text: string): Selector["matchers"] =>
  [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].map((
    [, label = "", operator = "", value = ""]
  ) => ({
    label,
    operator,
    value
  }))

/** The metrics of an expression; a name given as a pattern counts as each of its names. */
export const selectors = (expression: string): ReadonlyArray<Selector> => {
  const found: Array<Selector> = []
  const rest = expression.replace(/([a-zA-Z_:][\w:]*)?\{((?:[^{}"]|"(?:[^"\\]|\\.)*")*)\}/g, (_, name, inside) => {
    const matchers = matchersIn(inside)
    const named = matchers.find(({ label }) => label === "__name__")
    const others = matchers.filter((each) => each !== named)
    for (const metric of name === undefined ? (named?.value ?? "").split("|") : [name]) {
      found.push({ metric, matchers: others })
    }
    return "0"
  }).replace(/\b(?:by|without|on|ignoring)\s*\([^()]*\)/g, "")
  for (const [name] of rest.matchAll(/(?<![\w:$.])[a-zA-Z_:][\w:]*(?!\s*\()(?![\w:])/g)) {
    if (!words.has(name)) found.push({ metric: name, matchers: [] })
  }
  return found
}

/** Each group-by of an expression: its labels, and the text that it groups. */
export const groupings = (
  expression: string
): ReadonlyArray<{ readonly labels: ReadonlyArray<string>; readonly inside: string }> =>
  [...expression.matchAll(/\bby\s*\(([^()]*)\)\s*\(/g)].map((match) => {
    const start = match.index + match[0].length
    let depth = 1
    let end = start
    while (depth > 0 && end < expression.length) {
      const character = expression.charAt(end)
      if (character === "\"") {
        while (expression.charAt(++end) !== "\"" && end < expression.length) {
          /* to its end */
        }
      } else if (character === "(") depth++
      else if (character === ")") depth--
      end++
    }
    return {
      labels: (match[1] ?? "").split(",").map((label) => label.trim()),
      inside: expression.slice(start, end - 1)
    }
  })
