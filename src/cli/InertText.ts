/** Text of unknown origin, made harmless for a terminal. */

/**
 * Control characters (ANSI escapes begin with one), format characters (bidirectional overrides, zero-width characters),
 * lone surrogates, private and unassigned characters, line and paragraph separators.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** What may stand in JSON as a terminal would act on it: JSON itself escapes only the first 32 characters. */
const unsafeInJson = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\x7f-\x9f]/gu

/** A run of marks that stack on one character is cut here: more than this many draw over other lines. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu

/** The text with every character that a terminal could act on written out, as in `\u{1b}`; it is one line. */
export const inert = (text: string): string =>
  text.replace(unsafe, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).replace(stackedMarks, "$1")

/** JSON text with the same meaning, in which no character is left that a terminal could act on. */
export const inertJson = (json: string): string =>
  json.replace(
    unsafeInJson,
    (character) =>
      Array.from({ length: character.length }, (_, index) =>
        `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`).join("")
  )
