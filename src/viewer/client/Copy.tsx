/** Copies a text and says so. */
import { useEffect, useState } from "preact/hooks"

const saidFor = 1400

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
    const copying = navigator.clipboard?.writeText(typeof text === "string" ? text : text())
    if (copying === undefined) setSaid("Not copied")
    else copying.then(() => setSaid("Copied"), () => setSaid("Not copied"))
  }
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </button>
  )
}
