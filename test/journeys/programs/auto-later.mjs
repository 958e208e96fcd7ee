const { main } = await import("./coverage.mjs")
await import("toolspan/auto")
await main()
