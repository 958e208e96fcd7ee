// `npm run bench -- NAME [--json]`: one benchmark; figures are ratios of things run turn about in one process.
import process from "node:process"

const benches: Readonly<Record<string, () => Promise<{ main: (json: boolean) => Promise<void> }>>> = {
  collector: () => import("./collector.ts"),
  memory: () => import("./memory.ts"),
  overhead: () => import("./overhead.ts"),
  pairing: () => import("./pairing.ts"),
  startup: () => import("./startup.ts"),
  store: () => import("./store.ts"),
  throughput: () => import("./throughput.ts")
}

const names = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const bench = benches[names[0] ?? ""]
if (bench === undefined || names.length !== 1) {
  process.stderr.write(`Say which benchmark: npm run bench -- ${Object.keys(benches).join("|")} [--json]\n`)
  process.exit(2)
}
await (await bench()).main(process.argv.includes("--json"))
