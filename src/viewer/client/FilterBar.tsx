/** What the list is narrowed to, and how to change it. Every choice is in the address. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { ViolationKind } from "../../semconv/violation.ts"
import { Inert } from "./Inert.tsx"
import { words } from "./Look.ts"
import { go } from "./Navigation.ts"
import { type Filter, type FilterName, toCalls } from "./Route.ts"

const states = ["pending", "approved", "denied", "abandoned", "not_required"]
const outcomes = [
  "success",
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool",
  "denied",
  "interrupted",
  "not_started"
]
const kinds: ReadonlyArray<ViolationKind> = [
  "missing_id",
  "empty_id",
  "duplicate_id",
  "unanswered_call",
  "orphan_result",
  "duplicate_result",
  "renamed_tool",
  "wire_name_mismatch",
  "unknown_tool",
  "dropped_argument",
  "argument_parse_error",
  "unmatched_approval",
  "duplicate_approval",
  "contradictory_approval",
  "approval_mismatch",
  "approved_not_executed",
  "abandoned_approval",
  "duplicate_execution"
]

/** How long the reader has to pause before what was typed is looked up. */
const typingPause = 180

/** The filter without one of its names, or with another value for it. */
const changed = (filter: Filter, name: FilterName, value: string): Filter => {
  const { [name]: _, ...rest } = filter
  return value === "" ? rest : { ...rest, [name]: value }
}

const Choice = ({ filter, label, name, values }: {
  readonly filter: Filter
  readonly name: FilterName
  readonly label: string
  readonly values: ReadonlyArray<string>
}) => {
  const value = filter[name] ?? ""
  const known = value === "" || values.includes(value) ? values : [value, ...values]
  return (
    <label class={value === "" ? "choice" : "choice set"}>
      <span>{label}</span>
      <select
        value={value}
        name={name}
        onChange={(event) => go(toCalls(changed(filter, name, event.currentTarget.value)))}
      >
        <option value="">any</option>
        {known.map((entry) => <option key={entry} value={entry}>{words(entry).slice(0, 60)}</option>)}
      </select>
    </label>
  )
}

/** A filter that is set by following a link, and taken back here. */
const Chip = ({ filter, name }: { readonly filter: Filter; readonly name: FilterName }) => {
  const value = filter[name]
  if (value === undefined) return null
  return (
    <a class="chip" href={toCalls(changed(filter, name, ""))} aria-label={`Do not narrow by ${name}`}>
      <span>{name}</span>
      <Inert text={value} max={40} />
      <span aria-hidden="true">×</span>
    </a>
  )
}

const Search = ({ filter }: { readonly filter: Filter }) => {
  const [text, setText] = useState(filter.q ?? "")
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // What is being typed is newer than the address.
    if (typing.current === undefined) setText(filter.q ?? "")
  }, [filter.q])
  useEffect(() => () => clearTimeout(typing.current), [])
  const apply = (value: string) => {
    clearTimeout(typing.current)
    typing.current = undefined
    go(toCalls(changed(filter, "q", value.trim())), true)
  }
  return (
    <input
      id="search"
      type="search"
      placeholder="Id, key or tool"
      aria-label="Search calls by id, key or tool"
      autocomplete="off"
      spellcheck={false}
      value={text}
      onInput={(event) => {
        const { value } = event.currentTarget
        setText(value)
        clearTimeout(typing.current)
        typing.current = setTimeout(() => apply(value), typingPause)
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") apply(event.currentTarget.value)
      }}
    />
  )
}

/** Search, choices, and what is narrowed by links. */
export const FilterBar = ({ filter, tools }: { readonly filter: Filter; readonly tools: ReadonlyArray<string> }) => (
  <div class="filters" role="search">
    <div class="search">
      <Search filter={filter} />
      <kbd>/</kbd>
    </div>
    <Choice filter={filter} name="tool" label="Tool" values={tools} />
    <Choice filter={filter} name="state" label="Approval" values={states} />
    <Choice filter={filter} name="outcome" label="Outcome" values={outcomes} />
    <Choice filter={filter} name="violation" label="Fault" values={kinds} />
    <Chip filter={filter} name="conversation" />
    <Chip filter={filter} name="service" />
    {Object.keys(filter).length > 0 && <a class="clear" href={toCalls()}>Clear</a>}
  </div>
)
