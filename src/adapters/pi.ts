/** Brings the agents and bare loops of pi (`@earendil-works/pi-agent-core`) in through a recorder. */

export { traceAgent } from "./PiAgent.ts"
export type { PiOptions } from "./PiTelling.ts"
export { traceLoop } from "./PiLoop.ts"
export type { PiLoop, ToldLoop } from "./PiLoop.ts"
