/** What the columns of the list are; some of them order it. */
import { changed, type Filter, toCalls } from "./Route.ts"
import type { CallSearchJson } from "./Wire.ts"

type Order = NonNullable<CallSearchJson["sort"]>

const Sorted = ({ filter, label, order, title, up }: {
  readonly filter: Filter
  readonly label: string
  readonly title: string
  /** The order that a click gives. */
  readonly order: Order
  /** The order of a second click. */
  readonly up?: Order
}) => {
  const current = filter.sort ?? "newest"
  const next = current === order ? up ?? "newest" : order
  const sign = current === order ? " ↓" : current === up ? " ↑" : ""
  return (
    <a
      href={toCalls(changed(filter, "sort", next === "newest" ? "" : next))}
      title={title}
      class={sign === "" ? "" : "set"}
    >
      {label}
      <span aria-hidden="true">{sign}</span>
    </a>
  )
}

/** The line above the rows. */
export const ListHead = ({ filter }: { readonly filter: Filter }) => (
  <div class="row head">
    <span class="c-time">
      <Sorted filter={filter} label="Time" title="Order by time" order="newest" up="oldest" />
    </span>
    <span class="c-tool">Tool</span>
    <span class="c-life">Life</span>
    <span class="c-verdict">Outcome</span>
    <span class="c-faults" title="Pairing faults">Faults</span>
    <span class="c-wait">
      <Sorted filter={filter} label="Wait" title="Order by how long a human took to answer" order="longest-wait" />
    </span>
    <span class="c-took">
      <Sorted filter={filter} label="Took" title="Order by how long the handler ran" order="slowest" />
    </span>
    <span class="c-where">Conversation</span>
    <span class="c-id">Id</span>
  </div>
)
