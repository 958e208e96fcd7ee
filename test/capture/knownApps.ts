/** Apps that were told wrong once, and those that have a kind of fault which any app rarely has. */
import type { AnyApp } from "./AnyApp.ts"

type Turn = AnyApp["turns"][number]
type Call = Turn["calls"][number]

const call = (id: string, name: string, more: Partial<Call> = {}): Call => ({
  id,
  name,
  behaviour: "succeed",
  fragments: 0,
  invents: false,
  ...more
})

const turn = (more: Partial<Turn> = {}): Turn => ({
  calls: [],
  ends: "tool-calls",
  oneChunk: false,
  take: undefined,
  answers: [],
  history: "parts",
  resolves: true,
  concurrency: "unbounded",
  ...more
})

const app = (...turns: ReadonlyArray<Turn>): AnyApp => ({
  failureMode: "return",
  turns,
  alongside: false,
  named: false
})

const approve = { approvalId: "ap1", approved: true }
const deny = { approvalId: "ap1", approved: false }
const asks = turn({ calls: [call("a", "wipe")] })

/** Each by what is special about it. */
export const knownApps: Readonly<Record<string, AnyApp>> = {
  "a call that is approved beside one of its id that needs no approval": app(
    turn({ calls: [call("b", "lookup"), call("b", "wipe")] }),
    turn({ answers: [approve] })
  ),
  "a call that ran for an approval of another one, and had no other of its id when it was decided": app(
    asks,
    turn({ calls: [call("a", "lookup")], history: "trimmed", resolves: false }),
    turn({ answers: [approve], history: "file" })
  ),
  "an approved call that runs again after its turn failed": app(
    asks,
    turn({ ends: "fails", answers: [approve] }),
    turn({ answers: [approve], history: "file" })
  ),
  "an approved call whose result the host did not give to the app": app(
    asks,
    turn({ answers: [approve], resolves: false }),
    turn({ history: "file" })
  ),
  "two conversations at once whose equal calls only their approvals tell apart": {
    ...app(
      turn({ calls: [call("a", "wipe")], history: "chat" }),
      turn({
        calls: [call("a", "lookup", { behaviour: "throw" })],
        take: 1,
        answers: [deny],
        history: "chat"
      }),
      turn({
        ends: "stop",
        take: 1,
        answers: [{ approvalId: "ap2", approved: true }, approve],
        history: "file"
      })
    ),
    alongside: true
  },
  "an approval that is answered three times": app(asks, turn({ answers: [approve, approve, deny] }), turn()),
  "an approval that the conversation left behind": app(asks, turn({ history: "goes on" })),
  "an answer whose request is not in the history": app(asks, turn({ answers: [approve], history: "trimmed" })),
  "a result without its call": app(turn({ calls: [call("a", "lookup")] }), turn({ history: "trimmed" })),
  "a call without its result": app(turn({ calls: [call("a", "lookup")], resolves: false }), turn()),
  "a result that meets another call of its id": app(turn({ calls: [call("a", "wipe"), call("a", "lookup")] }), turn()),
  "names, ids and arguments that are wrong": app(
    turn({
      calls: [
        call("", "lookup"),
        call("c", "web_search"),
        call("d", "no_such_tool"),
        call("c", "lookup", { invents: true })
      ]
    })
  )
}
