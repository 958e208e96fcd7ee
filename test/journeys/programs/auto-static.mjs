import "toolspan/auto"
import { main } from "./coverage.mjs"
await main()
