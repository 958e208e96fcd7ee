/** The field that looks for a text while it is typed. */
import { useEffect, useRef, useState } from "preact/hooks"
import { go } from "./Navigation.ts"
import { changed, type Filter, toCalls } from "./Route.ts"

/** How long the reader has to pause before what was typed is looked up. */
const typingPause = 180

/** Id, key, tool or captured content. */
export const Search = ({ filter }: { readonly filter: Filter }) => {
  const [text, setText] = useState(filter.q ?? "")
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  const current = useRef(filter)
  current.current = filter
  useEffect(() => {
    // What is being typed is newer than the address.
    if (typing.current === undefined) setText(filter.q ?? "")
  }, [filter.q])
  useEffect(() => () => clearTimeout(typing.current), [])
  const apply = (value: string) => {
    clearTimeout(typing.current)
    typing.current = undefined
    // The way back leads to the list without the search, not through each pause of the typing.
    go(toCalls(changed(current.current, "q", value.trim())), current.current.q !== undefined)
  }
  return (
    <div class="search">
      <input
        id="search"
        type="search"
        placeholder="Id, tool or content"
        aria-label="Search calls by id, key, tool or captured content"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          const { value } = event.currentTarget
          setText(value)
          clearTimeout(typing.current)
          typing.current = setTimeout(() => apply(value), typingPause)
        }}
        // What was typed is in force before the next key means the list.
        onBlur={(event) => {
          if (typing.current !== undefined) apply(event.currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") apply(event.currentTarget.value)
          if (event.key !== "Escape") return
          // A browser empties the field, which is more than leaving it.
          event.preventDefault()
          event.currentTarget.blur()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  )
}
