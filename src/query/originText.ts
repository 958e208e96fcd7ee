/** Where a result comes from, in the words that the page and the command line have for it. */

const origins: Readonly<Record<string, string>> = {
  handler: "from the handler",
  provider: "from the provider",
  denial: "written for the denial",
  prompt: "put into the history by the app",
  synthesized: "made up by the host in place of a run"
}

/** What is known of a result, and which faults its call has. */
export interface Origin {
  readonly origin: string
  readonly outcome: string | undefined
  readonly faults: ReadonlyArray<{ readonly kind: string }>
}

/** A sentence's end; an origin that this version does not know as it stands. */
export const originText = ({ faults, origin, outcome }: Origin): string => {
  // The host makes a result up for what did not end; any other that is made up fills a gap.
  if (origin === "synthesized" && outcome !== "not_started" && outcome !== "interrupted") {
    return faults.some(({ kind }) => kind === "unanswered_call")
      ? "put in by a repair, as the history had lost it"
      : "put in, as there was none"
  }
  return Object.hasOwn(origins, origin) ? origins[origin]! : origin.replaceAll("_", " ")
}
