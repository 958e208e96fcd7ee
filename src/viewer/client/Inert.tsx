/** Text of unknown origin, made harmless to look at. */
import type { ComponentChildren } from "preact"

/**
 * Control and format characters (bidirectional overrides, zero-width characters), lone surrogates, private and
 * unassigned characters, line and paragraph separators.
 */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
/** The same without line feed and tab, which have their place in a block of text. */
const unsafeInBlock = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu
/** A run of marks that stack on one character is cut here: more than this many draw over other lines. */
const stackedMarks = /(\p{M}{4})\p{M}+/gu

const written = (character: string) => `\\u{${character.codePointAt(0)!.toString(16)}}`

/** The text on one line, with every character written out that could hide or turn its neighbours; cut at `max`. */
export const inert = (text: string, max = 300): string => {
  const shown = text.length > max ? text.slice(0, max) : text
  const safe = shown.replace(unsafe, written).replace(stackedMarks, "$1")
  return shown === text ? safe : `${safe}… (${text.length.toLocaleString("en-US")} characters)`
}

const parts = (text: string, pattern: RegExp): ComponentChildren => {
  const pieces: Array<ComponentChildren> = []
  let from = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > from) pieces.push(text.slice(from, match.index))
    pieces.push(<span class="escape">{written(match[0])}</span>)
    from = match.index + match[0].length
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(from)]
}

/** A name, an id or a value on one line; what is written out looks different from what is there. */
export const Inert = ({ max = 300, text }: { readonly text: string; readonly max?: number }) => {
  const shown = (text.length > max ? text.slice(0, max) : text).replace(stackedMarks, "$1")
  return (
    <bdi>
      {parts(shown, unsafe)}
      {text.length > max && <span class="cut">… {text.length.toLocaleString("en-US")} characters</span>}
    </bdi>
  )
}

/** Lines of text. */
export const InertBlock = ({ max = 20_000, text }: { readonly text: string; readonly max?: number }) => {
  const shown = (text.length > max ? text.slice(0, max) : text).replace(stackedMarks, "$1")
  return (
    <>
      {parts(shown, unsafeInBlock)}
      {text.length > max && (
        <span class="cut">
          {"\n"}… cut here: {text.length.toLocaleString("en-US")} characters. Copy gives all of them.
        </span>
      )}
    </>
  )
}
