/** The filters that are needed now and then, in a sheet under their button. */
import { useEffect, useRef } from "preact/hooks"
import { go } from "./Navigation.ts"
import { changed, type Filter, type FilterName, toCalls } from "./Route.ts"
import * as Time from "./Time.ts"

const apply = (filter: Filter, name: FilterName, value: string) => go(toCalls(changed(filter, name, value)))

const TextField = ({ filter, label, name }: {
  readonly filter: Filter
  readonly name: FilterName
  readonly label: string
}) => (
  <label>
    <span>{label}</span>
    <input
      name={name}
      value={filter[name] ?? ""}
      autocomplete="off"
      spellcheck={false}
      onChange={(event) => apply(filter, name, event.currentTarget.value.trim())}
    />
  </label>
)

const MomentField = ({ filter, label, name }: {
  readonly filter: Filter
  readonly name: "from" | "to"
  readonly label: string
}) => (
  <label>
    <span>{label}</span>
    <input
      type="datetime-local"
      name={name}
      step="1"
      value={Time.fieldOf(filter[name])}
      onChange={(event) => {
        const { since: _, ...rest } = filter
        apply(rest, name, Time.instantOf(event.currentTarget.value))
      }}
    />
  </label>
)

const DurationField = ({ filter, label, name }: {
  readonly filter: Filter
  readonly name: "minDuration" | "maxDuration"
  readonly label: string
}) => {
  const millis = filter[name]
  return (
    <label>
      <span>{label}</span>
      <input
        name={name}
        placeholder="500 ms, 2 s, 1 min"
        autocomplete="off"
        value={millis === undefined ? "" : Time.duration(Number(millis))}
        onInput={(event) => event.currentTarget.setCustomValidity("")}
        onChange={(event) => {
          const { value } = event.currentTarget
          const read = Time.millisIn(value)
          if (value.trim() === "") apply(filter, name, "")
          else if (read !== undefined) apply(filter, name, String(read))
          else {
            event.currentTarget.setCustomValidity("A number with its unit: 500 ms, 2 s, 1 min, 1 h")
            event.currentTarget.reportValidity()
          }
        }}
      />
    </label>
  )
}

/** Ids, places, times and durations. */
export const MoreFilters = ({ filter }: { readonly filter: Filter }) => {
  const sheet = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const outside = (event: MouseEvent) => {
      if (sheet.current?.open === true && event.target instanceof Node && !sheet.current.contains(event.target)) {
        sheet.current.open = false
      }
    }
    document.addEventListener("click", outside)
    return () => document.removeEventListener("click", outside)
  }, [])
  return (
    <details
      ref={sheet}
      class="more-filters"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || sheet.current?.open !== true) return
        event.preventDefault()
        event.stopPropagation()
        sheet.current.open = false
        sheet.current.querySelector("summary")?.focus()
      }}
    >
      <summary>More</summary>
      <div class="more-sheet">
        <TextField filter={filter} name="id" label="Id or key, exactly" />
        <TextField filter={filter} name="idPrefix" label="Id or key begins with" />
        <TextField filter={filter} name="conversation" label="Conversation" />
        <TextField filter={filter} name="service" label="Service" />
        <MomentField filter={filter} name="from" label="Began at or after" />
        <MomentField filter={filter} name="to" label="Began before" />
        <DurationField filter={filter} name="minDuration" label="Handler ran at least" />
        <DurationField filter={filter} name="maxDuration" label="Handler ran at most" />
      </div>
    </details>
  )
}
