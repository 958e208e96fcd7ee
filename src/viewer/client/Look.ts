/** How facts look: words for values of the contract, a colour for each, a shape for each stage. */
import type { StorySpanJson } from "./Wire.ts"

/** A colour by meaning. */
export type Tone = "good" | "wait" | "bad" | "faint"

/** `not_required` reads as `not required`. */
export const words = (value: string): string => value.replaceAll("_", " ")

/** The colour of an outcome or approval state. */
export const tone = (value: string | undefined): Tone => {
  switch (value) {
    case undefined:
    case "not_required":
      return "faint"
    case "success":
    case "approved":
      return "good"
    case "pending":
    case "interrupted":
    case "not_started":
    case "denied":
    case "abandoned":
      return "wait"
    default:
      return "bad"
  }
}

/** The sign of a stage; every other span has none. */
export const signs: Readonly<Record<StorySpanJson["role"], string>> = {
  decision: "◆",
  approval: "◇",
  execution: "▶",
  result: "●",
  consumer: "○",
  inside: "",
  chat: "",
  turn: "",
  around: ""
}
