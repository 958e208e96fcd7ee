/** A field that keeps what is being typed while news redraw the page. */
import type { TargetedEvent } from "preact"
import { useEffect, useState } from "preact/hooks"

type InputEventOf = TargetedEvent<HTMLInputElement>

/** `commit` gets the text when the reader is done with it; what it answers is wrong with the text. */
export const DraftField = ({ commit, label, name, placeholder = "", type = "text", value }: {
  readonly label: string
  readonly name: string
  /** What is in force. */
  readonly value: string
  readonly commit: (text: string) => string | undefined
  readonly type?: "text" | "datetime-local"
  readonly placeholder?: string
}) => {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const own = {
    name,
    value: draft,
    autocomplete: "off",
    onInput: (event: InputEventOf) => {
      event.currentTarget.setCustomValidity("")
      setDraft(event.currentTarget.value)
    },
    onChange: (event: InputEventOf) => {
      const field = event.currentTarget
      const problem = commit(field.value.trim())
      field.setCustomValidity(problem ?? "")
      if (problem !== undefined) field.reportValidity()
    }
  }
  return (
    <label>
      <span>{label}</span>
      {type === "text"
        ? <input {...own} type="text" placeholder={placeholder} spellcheck={false} />
        : <input {...own} type="datetime-local" step="1" />}
    </label>
  )
}
