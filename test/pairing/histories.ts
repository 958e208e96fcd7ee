/** Histories of any length that tempt a checker into work that grows faster than they do. */
import { answered, asked, assistant, call, result, tool, user } from "./Prompt.ts"

const repeat = (count: number, round: (index: number) => ReadonlyArray<object>): ReadonlyArray<object> =>
  Array.from({ length: count }, (_, index) => round(index)).flat()

export const histories: Readonly<Record<string, (messages: number) => ReadonlyArray<object>>> = {
  "of sound rounds": (messages) =>
    repeat(messages / 4, (n) => [user(), assistant(call(`c${n}`)), tool(result(`c${n}`)), user()]),
  "whose calls all have one id": (messages) => repeat(messages / 2, () => [assistant(call("c")), tool(result("c"))]),
  "that leaves every call of one id open": (messages) => repeat(messages, () => [assistant(call("c"))]),
  "that answers open calls of one id at the end": (messages) => [
    ...repeat(messages / 2, () => [assistant(call("c"))]),
    ...repeat(messages / 2, () => [tool(result("c"))])
  ],
  "of calls with one id in one message": (messages) => [
    { role: "assistant", content: repeat(messages, () => [call("c")]) },
    { role: "tool", content: repeat(messages, () => [result("c"), result("c")]) }
  ],
  "of orphans": (messages) => repeat(messages, () => [tool(result("gone"))]),
  "of approvals": (messages) =>
    repeat(messages / 2, (n) => [
      assistant(call("w"), asked(`ap${n}`, "w")),
      tool(answered(`ap${n}`, true), answered(`ap${n}`, false), answered("old", true))
    ])
}
