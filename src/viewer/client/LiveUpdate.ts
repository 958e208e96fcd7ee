/** News from the store, as they arrive. */
import { useEffect, useState } from "preact/hooks"

/** Whether the page hears of news. */
export type Connection = "connecting" | "live" | "lost"

/** News within this time are one redraw. */
const gatherFor = 150

/** Counts up when something has arrived; `paused` keeps the number where it is. */
export const useLive = (paused: boolean): { readonly version: number; readonly connection: Connection } => {
  const [version, setVersion] = useState(0)
  const [connection, setConnection] = useState<Connection>("connecting")
  useEffect(() => {
    if (paused) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let opened = false
    const source = new EventSource("/api/live")
    const arrived = () => {
      timer ??= setTimeout(() => {
        timer = undefined
        setVersion((before) => before + 1)
      }, gatherFor)
    }
    source.onopen = () => {
      setConnection("live")
      // What came while nobody listened is looked up.
      if (opened) arrived()
      opened = true
    }
    source.onerror = () => setConnection("lost")
    source.addEventListener("call", arrived)
    source.onmessage = arrived
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [paused])
  return { version, connection }
}
