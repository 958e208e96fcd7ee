/** What the window is called. */
import { useEffect } from "preact/hooks"

/** Names the window after what it shows. */
export const useTitle = (text: string | undefined): void =>
  useEffect(() => {
    document.title = text === undefined ? "toolspan" : `${text} · toolspan`
  }, [text])
