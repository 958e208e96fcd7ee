/** Copies a text and says so. */
import { useEffect, useState } from "preact/hooks"

const saidFor = 1400

/** Pages that came over plain HTTP from another machine have no clipboard of their own: there a selection is copied. */
const copySelected = (text: string): Promise<void> => {
  const field = document.createElement("textarea")
  field.value = text
  field.className = "unseen"
  // A dialog keeps the focus to itself.
  const home = document.querySelector("dialog[open]") ?? document.body
  home.append(field)
  field.select()
  const copied = document.execCommand("copy")
  field.remove()
  return copied ? Promise.resolve() : Promise.reject(new Error("The browser does not copy"))
}

const toClipboard = (text: string): Promise<void> =>
  navigator.clipboard === undefined ? copySelected(text) : navigator.clipboard.writeText(text)

/** A button that copies; `text` may be made when it is asked for. */
export const Copy = ({ label = "Copy", text, what }: {
  readonly text: string | (() => string)
  /** What is copied, for those who do not see where the button stands. */
  readonly what: string
  readonly label?: string
}) => {
  const [said, setSaid] = useState<"" | "Copied" | "Not copied">("")
  useEffect(() => {
    if (said === "") return
    const timer = setTimeout(() => setSaid(""), saidFor)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () => {
    toClipboard(typeof text === "string" ? text : text()).then(() => setSaid("Copied"), () => setSaid("Not copied"))
  }
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </button>
  )
}
