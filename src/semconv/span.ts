/** Every span name prefix that toolspan writes, once; a tool or model name follows after one space. */

/** One provider request. */
export const chat = "chat"
/** The model asks for a tool. */
export const toolCall = "tool_call"
/** An approval is asked for, answered or abandoned. */
export const toolApproval = "tool_approval"
/** One run of a handler. */
export const executeTool = "execute_tool"
/** The final result of a call is known. */
export const toolResult = "tool_result"

/** Sent by `toolspan doctor` to learn whether spans arrive; no part of any call. */
export const doctor = "toolspan doctor"

/** Stands in span names and metric labels where a tool name would be one that the model invented. */
export const unknownTool = "_unknown"

/** Effect's own spans of a turn. */
export const turns = ["LanguageModel.generateText", "LanguageModel.streamText", "LanguageModel.generateObject"] as const
