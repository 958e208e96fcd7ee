import "toolspan/auto"
const Toolspan = await import("toolspan")
const { main } = await import("./coverage.mjs")
await main({ ...Toolspan, layer: Toolspan.instrument })
