// A program that is killed once it has been reported: no exit handler of it runs.
import { Effect } from "effect"
import * as fs from "node:fs"
import process from "node:process"

await Effect.runPromise(Effect.void)
const folder = process.env["TOOLSPAN_DOCTOR_REPORT"] ?? ""
fs.watch(folder, (_, name) => {
  if (name === `${process.pid}.json`) process.kill(process.pid, "SIGKILL")
})
