/** The sheet that names every key. */
import { useLayoutEffect, useRef } from "preact/hooks"

const sheet: ReadonlyArray<readonly [keys: ReadonlyArray<string>, text: string]> = [
  [["j", "k"], "Next and previous call, fault, tool or span"],
  [["Enter"], "Open what is selected"],
  [["Esc"], "Back, or let go of the selection and filters"],
  [["/"], "Search"],
  [["g"], "Calls"],
  [["t"], "Tools"],
  [["f"], "Faults"],
  [["c"], "The conversation of this call"],
  [["p"], "Pause and resume live updates"],
  [["d"], "Light, dark, as the system"],
  [["?"], "This sheet"]
]

/** A dialog over the page. */
export const KeySheet = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  // At once: the next key is meant for the sheet.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label="Keys"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current?.close()
      }}
      onKeyDown={(event) => {
        // Until the browser tells that it is closed, the focus can be left in it: what is pressed is the page's again.
        if (dialog.current?.open !== true) return
        if (event.key === "?") dialog.current?.close()
        event.stopPropagation()
      }}
    >
      <h2>Keys</h2>
      <dl>
        {sheet.map(([keys, text]) => (
          <div key={text}>
            <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  )
}
