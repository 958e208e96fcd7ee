import { Effect } from "effect"
import { providerOf, tracerContext } from "./provider.ts"
import { turn } from "./turn.ts"
const which = process.argv[2] ?? "told"
const N = Number(process.argv[3] ?? 4000)
const ctx = tracerContext(providerOf(!which.includes("unsampled")))
const program = turn({ calls: 8, streamed: which.includes("stream") }, !which.includes("sdk"))
const r = () => Effect.runPromiseWith(ctx)(program)
for (let i = 0; i < 1000; i++) await r()
let best = Infinity
for (let k = 0; k < N / 500; k++) {
  const t = performance.now()
  for (let i = 0; i < 500; i++) await r()
  best = Math.min(best, (performance.now() - t) * 2)
}
console.log(which, best.toFixed(0))
