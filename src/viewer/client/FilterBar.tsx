/** What the list is narrowed to, and how to change it. Every choice is in the address. */
import { kinds } from "../../semconv/violation.ts"
import { Inert, inert } from "./Inert.tsx"
import { words } from "./Look.ts"
import { MoreFilters } from "./MoreFilters.tsx"
import { go } from "./Navigation.ts"
import { changed, type Filter, type FilterName, narrows, toCalls } from "./Route.ts"
import { Search } from "./Search.tsx"
import * as Time from "./Time.ts"
import type { CallSearchJson } from "./Wire.ts"

type Option = readonly [value: string, label: string]

const named = (values: ReadonlyArray<string>): ReadonlyArray<Option> => values.map((value) => [value, words(value)])

const states = named(["pending", "approved", "denied", "abandoned", "not_required"])
const outcomes = named([
  "success",
  "failure",
  "invalid_parameters",
  "invalid_result",
  "unknown_tool",
  "denied",
  "interrupted",
  "not_started"
])
const times: ReadonlyArray<Option> = [
  ["15m", "last 15 minutes"],
  ["1h", "last hour"],
  ["1d", "last 24 hours"],
  ["7d", "last 7 days"]
]
const orders: ReadonlyArray<readonly [NonNullable<CallSearchJson["sort"]>, string]> = [
  ["oldest", "oldest first"],
  ["slowest", "slowest first"],
  ["longest-wait", "longest wait first"]
]

const Choice = ({ filter, label, name, none = "any", onNear, options }: {
  readonly filter: Filter
  readonly name: FilterName
  readonly label: string
  readonly none?: string
  readonly options: ReadonlyArray<Option>
  /** The reader is about to look at the options. */
  readonly onNear?: () => void
}) => {
  const value = filter[name] ?? ""
  const known = value === "" || options.some(([option]) => option === value)
  return (
    <label class={value === "" ? "choice" : "choice set"} onPointerEnter={onNear} onFocusIn={onNear}>
      <span>{label}</span>
      <select
        value={value}
        name={name}
        aria-label={label}
        onChange={(event) => go(toCalls(changed(filter, name, event.currentTarget.value)))}
      >
        <option value="">{none}</option>
        {[...(known ? [] : [[value, value] as const]), ...options].map(([option, text]) => (
          <option key={option} value={option}>{inert(text, 60)}</option>
        ))}
      </select>
    </label>
  )
}

/** Filters that have no choice of their own in the bar. */
const chips: ReadonlyArray<readonly [FilterName, string, (value: string) => string]> = [
  ["id", "id", String],
  ["idPrefix", "id begins", String],
  ["key", "key", String],
  ["conversation", "conversation", String],
  ["service", "service", String],
  ["from", "from", (value) => Time.fieldOf(value).replace("T", " ") || value],
  ["to", "before", (value) => Time.fieldOf(value).replace("T", " ") || value],
  ["minDuration", "ran at least", (value) => Time.duration(Number(value))],
  ["maxDuration", "ran at most", (value) => Time.duration(Number(value))]
]

const Chip = ({ filter, label, name, text }: {
  readonly filter: Filter
  readonly name: FilterName
  readonly label: string
  readonly text: (value: string) => string
}) => {
  const value = filter[name]
  if (value === undefined) return null
  return (
    <a class="chip" href={toCalls(changed(filter, name, ""))} aria-label={`Do not narrow by ${label}`}>
      <span>{label}</span>
      <Inert text={text(value)} max={40} />
      <span aria-hidden="true">×</span>
    </a>
  )
}

/** Search, choices, and what else narrows the list. */
export const FilterBar = ({ filter, fits, onTools, tools }: {
  readonly filter: Filter
  readonly tools: ReadonlyArray<string>
  /** The reader is about to choose a tool. */
  readonly onTools: () => void
  /** How many calls there are, in words. */
  readonly fits: string
}) => (
  <div class="filters" role="search">
    <Search filter={filter} />
    <Choice filter={filter} name="tool" label="Tool" options={tools.map((tool) => [tool, tool])} onNear={onTools} />
    <Choice filter={filter} name="state" label="Approval" options={states} />
    <Choice filter={filter} name="outcome" label="Outcome" options={outcomes} />
    <Choice filter={filter} name="violation" label="Fault" options={named(kinds)} />
    <Choice filter={filter} name="since" label="Time" options={times} />
    <MoreFilters filter={filter} />
    <Choice filter={filter} name="sort" label="Order" none="newest first" options={orders} />
    {chips.map(([name, label, text]) => <Chip key={name} filter={filter} name={name} label={label} text={text} />)}
    {narrows(filter) && <a class="clear" href={toCalls()}>Clear</a>}
    <span class="fits" role="status">{fits}</span>
  </div>
)
