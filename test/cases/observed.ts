/** Does the host do in this runner's world what the case's author saw it do? Only told when toolspan is left out. */
import { isDeepStrictEqual } from "node:util"
import type { Job } from "./case-file.ts"
import type { Ran } from "./run.ts"

// The author cut long lists of parts short.
const isCut = (job: Job) => /are shown/.test((job.file as any).host_observed?.note ?? "")

const recordOf = (job: Job): ReadonlyArray<any> => {
  const observed = (job.file as any).host_observed ?? {}
  const one = job.mode === "parts"
    ? observed.effect_parts
    : observed[job.mode] ?? Object.entries(observed).find(([key]) => key.startsWith("failureMode"))?.[1] ?? observed
  return one === undefined ? [] : one.steps ?? one.turns ?? [one]
}

const fields = ["type", "id", "name", "params", "reason", "isFailure"]

const partOf = (part: any) =>
  Object.fromEntries(fields.filter((key) => part[key] !== undefined).map((key) => [key, part[key]]))

const isTold = (part: any) => part.type === "finish" || String(part.type).startsWith("tool-")

export const checkObserved = (job: Job, ran: Ran): ReadonlyArray<string> => {
  const told = recordOf(job)
  const compare = (what: string, wanted: unknown, came: unknown) =>
    isDeepStrictEqual(wanted, came)
      ? []
      : [`observed ${what}: expected ${JSON.stringify(wanted)}, came ${JSON.stringify(came)}`]
  const runs = told.flatMap((turn) => turn.handler_runs ?? [])
  const parts = told.flatMap((turn) => turn.tool_parts ?? [])
  if (told.every((turn) => turn.exit === undefined) || (job.block.text ?? "").endsWith(" instead")) return []
  const failed = told.some((turn) => String(turn.exit).startsWith("failure"))
  return [
    ...compare("failure", failed, ran.failed),
    ...compare(
      "handler runs",
      runs.map((run) => `${run.tool} ${run.toolCallId ?? undefined}`),
      ran.handlerRuns.map((run) => `${run.tool} ${run.id}`)
    ),
    ...(job.mode === "prompt" || isCut(job) || told.every((turn) => turn.tool_parts === undefined)
      ? []
      : compare("parts", parts.map(partOf), JSON.parse(JSON.stringify(ran.parts.flat().filter(isTold).map(partOf)))))
  ]
}
