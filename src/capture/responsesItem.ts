/** The output items of the OpenAI Responses API that are tool calls. */
import { bytesOf, text } from "./Wire.ts"
import type { Parsed } from "./wireArguments.ts"
import * as WireArguments from "./wireArguments.ts"
import type { CallHead } from "./WireCalls.ts"

/** An item as a call: who it is, and what it was called with. */
export interface ItemCall {
  readonly head: CallHead
  readonly parsed: Parsed
  readonly bytes: number | undefined
}

const own = (item: any, name: string): CallHead => ({
  id: text(item.call_id),
  name,
  itemId: text(item.id),
  callerId: text(item.caller?.caller_id ?? item.caller?.tool_id),
  providerExecuted: false
})

const provided = (item: any, name: string): CallHead => ({
  id: text(item.id),
  name,
  itemId: text(item.id),
  providerExecuted: true
})

/** A call of an MCP server that has to be allowed has no id of its own: the approval stands for it. */
const approved = (item: any, id: string | undefined, state: "pending" | "approved"): CallHead => ({
  id: id === undefined ? text(item.id) : undefined,
  name: "mcp",
  itemId: text(item.id),
  approval: id === undefined ? undefined : { id, state },
  providerExecuted: true
})

const given = (head: CallHead, value: unknown): ItemCall => ({
  head,
  parsed: WireArguments.given(value),
  bytes: undefined
})

const written = (head: CallHead, value: unknown): ItemCall =>
  typeof value === "string"
    ? { head, parsed: WireArguments.parse(value, "fault"), bytes: bytesOf(value) }
    : given(head, value)

/** The call that an item is, by the name that the tool has on the wire; `undefined` for anything else. */
export const callOf = (item: any): ItemCall | undefined => {
  switch (item?.type) {
    case "function_call":
      return written(own(item, text(item.name) ?? ""), item.arguments)
    case "custom_tool_call":
      return given(own(item, text(item.name) ?? ""), item.input)
    case "local_shell_call":
      return given(own(item, "local_shell"), { action: item.action })
    case "shell_call":
      return given(own(item, "shell"), { action: item.action })
    case "apply_patch_call":
      return given(own(item, "apply_patch"), { call_id: item.call_id, operation: item.operation })
    case "computer_call":
      return given(provided(item, "computer_use"), undefined)
    case "web_search_call":
      return given(provided(item, "web_search"), undefined)
    case "file_search_call":
      return given(provided(item, "file_search"), undefined)
    case "code_interpreter_call":
      return given(provided(item, "code_interpreter"), undefined)
    case "image_generation_call":
      return given(provided(item, "image_generation"), undefined)
    case "mcp_call":
      return written(approved(item, text(item.approval_request_id), "approved"), item.arguments)
    case "mcp_approval_request":
      return written(approved(item, text(item.approval_request_id) ?? text(item.id), "pending"), item.arguments)
  }
  return undefined
}
