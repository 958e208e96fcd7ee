/** The filters that are needed now and then, in a sheet under their button. */
import { useEffect, useRef } from "preact/hooks"
import { DraftField } from "./DraftField.tsx"
import { go } from "./Navigation.ts"
import { changed, type Filter, type FilterName, toCalls } from "./Route.ts"
import * as Time from "./Time.ts"

const apply = (filter: Filter, name: FilterName, value: string): undefined => {
  go(toCalls(changed(filter, name, value)))
}

interface Field<Name extends FilterName> {
  readonly filter: Filter
  readonly name: Name
  readonly label: string
}

const TextField = ({ filter, label, name }: Field<FilterName>) => (
  <DraftField
    label={label}
    name={name}
    value={filter[name] ?? ""}
    commit={(text) => apply(filter, name, text)}
  />
)

const MomentField = ({ filter, label, name }: Field<"from" | "to">) => (
  <DraftField
    type="datetime-local"
    label={label}
    name={name}
    value={Time.fieldOf(filter[name])}
    // A span of time until now would have another beginning.
    commit={(text) => apply(changed(filter, "since", ""), name, Time.instantOf(text))}
  />
)

const DurationField = ({ filter, label, name }: Field<"minDuration" | "maxDuration">) => {
  const millis = filter[name]
  return (
    <DraftField
      label={label}
      name={name}
      placeholder="500 ms, 2 s, 1 min"
      value={millis === undefined ? "" : Time.duration(Number(millis))}
      commit={(text) => {
        const read = Time.millisIn(text)
        if (text !== "" && read === undefined) return "A number with its unit: 500 ms, 2 s, 1 min, 1 h"
        return apply(filter, name, read === undefined ? "" : String(read))
      }}
    />
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
