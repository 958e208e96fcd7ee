import { main } from "./coverage.mjs"
import "toolspan/auto"
await main()
