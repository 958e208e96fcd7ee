/** Brings the agents of pi (`@earendil-works/pi-agent-core`) in through a recorder. */

export { traceAgent } from "./PiAgent.ts"
export type { PiOptions } from "./PiTelling.ts"
