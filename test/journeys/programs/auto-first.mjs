import "toolspan/auto"
const { main } = await import("./coverage.mjs")
await main()
