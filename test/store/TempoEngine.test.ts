import * as Effect from "effect/Effect"
import { conformance } from "./conformance.ts"
import { remoteStories } from "./remoteStories.ts"
import * as RemoteStore from "./RemoteStore.ts"
import * as TempoStandIn from "./TempoStandIn.ts"

const store = Effect.flatMap(
  TempoStandIn.make,
  ({ push, url }) => RemoteStore.make(`tempo=${url}?hours=1000000`, (_, rows) => Effect.sync(() => push(rows)))
)

conformance("Tempo (as documented)", RemoteStore.layer(store), {
  kept: (row) => row,
  idAtMost: 80_000,
  local: false,
  searchesLinks: true,
  partial: ["order", "faults", "fields"]
})

remoteStories(
  "Tempo (as documented)",
  (parameters) =>
    Effect.flatMap(
      TempoStandIn.make,
      ({ push, url }) =>
        RemoteStore.make(`tempo=${url}?${["hours=1000000", ...parameters].join("&")}`, (_, rows) =>
          Effect.sync(() => push(rows)))
    )
)
