// A second URL is a second evaluation of the module.
import "toolspan/auto"
await import(`${import.meta.resolve("toolspan/auto")}?again`)
const { main } = await import("./coverage.mjs")
await main()
