/** Help within the width of the terminal. */
import * as Column from "./Column.ts"

/** A name and what it means, in two columns. */
const entry = /^( {2}\S.*? {2,})(?=\S)(.*)$/

/** Where there is less room for what names mean, it stands below them. */
const leastRoom = 30

const below = "      "

const wrapped = (line: string, width: number): ReadonlyArray<string> => {
  const [, name, meaning] = entry.exec(line) ?? []
  if (name === undefined || meaning === undefined) {
    const margin = /^ */.exec(line)![0]
    return Column.widthOf(line) <= width
      ? [line]
      : Column.wrap(line.slice(margin.length), width - margin.length).map((part) => `${margin}${part}`)
  }
  const column = Column.widthOf(name)
  if (width - column < leastRoom) {
    return [name.trimEnd(), ...Column.wrap(meaning, width - below.length).map((part) => `${below}${part}`)]
  }
  return Column.wrap(meaning, width - column).map((part, index) => `${index === 0 ? name : " ".repeat(column)}${part}`)
}

/** The lines, broken between words; examples stay whole, so that they can be copied. */
export const within = (help: string, width: number): ReadonlyArray<string> => {
  const lines = help.split("\n")
  const examples = lines.findIndex((line) => line.includes("EXAMPLES"))
  return lines.flatMap((line, index) => examples !== -1 && index > examples ? [line] : wrapped(line, width))
}
