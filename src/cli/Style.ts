/** Colours of the terminal, or none. */

/** Ways to mark a piece of text. */
export interface Style {
  readonly bold: (text: string) => string
  readonly faint: (text: string) => string
  readonly red: (text: string) => string
  readonly green: (text: string) => string
  readonly yellow: (text: string) => string
  readonly blue: (text: string) => string
  readonly magenta: (text: string) => string
  readonly cyan: (text: string) => string
}

/** One way to mark a piece of text. */
export type Mark = keyof Style

const marked = (open: number, close: number) => (text: string) =>
  text === "" ? "" : `\x1b[${open}m${text}\x1b[${close}m`

const plainText = (text: string) => text

/** ANSI colours. */
export const colours: Style = {
  bold: marked(1, 22),
  faint: marked(2, 22),
  red: marked(31, 39),
  green: marked(32, 39),
  yellow: marked(33, 39),
  blue: marked(34, 39),
  magenta: marked(35, 39),
  cyan: marked(36, 39)
}

/** No colours. */
export const plain: Style = {
  bold: plainText,
  faint: plainText,
  red: plainText,
  green: plainText,
  yellow: plainText,
  blue: plainText,
  magenta: plainText,
  cyan: plainText
}
