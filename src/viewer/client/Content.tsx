/** Arguments, results and messages, where the app captures them. */
import { Copy } from "./Copy.tsx"
import { InertBlock } from "./Inert.tsx"

/** A longer text is shown as it was sent: laying it out would take longer than reading it. */
const maxLaidOut = 50_000

/** JSON with its lines broken, when it is JSON. */
const laidOut = (text: string): string => {
  if (text.length > maxLaidOut || !/^\s*[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Says that the app has left something out. */
export const ContentCut = ({ cut }: { readonly cut: boolean | undefined }) =>
  cut === true ? <p class="faint">What was captured is cut at the app's limit (TOOLSPAN_CONTENT_MAX_BYTES).</p> : null

/** One captured text under its name. */
export const Content = ({ label, text }: { readonly label: string; readonly text: string | undefined }) =>
  text === undefined ? null : (
    <div class="content">
      <div class="content-head">
        <span>{label}</span>
        <Copy text={text} what={label} />
      </div>
      <pre><InertBlock text={laidOut(text)} /></pre>
    </div>
  )
