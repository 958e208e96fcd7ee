/** What pairing needs to know of the tools of a turn. */
import * as Schema from "effect/Schema"
import type { ViolationFacts } from "../lifecycle/SpanWriter.ts"
import type { PairOptions } from "../pairing/Pairing.ts"
import type { ToolFacts } from "../pairing/ToolNames.ts"
import * as ToolNames from "../pairing/ToolNames.ts"
import type { Tool, Tools } from "./shape.ts"
import { toolNamed } from "./shape.ts"

/** The property names of an encoded struct; `undefined` for any other schema, which may take any argument. */
const parametersOf = (schema: unknown): ReadonlyArray<string> | undefined => {
  if (!Schema.isSchema(schema)) return undefined
  try {
    const ast = Schema.toEncoded(schema as Schema.Top).ast as any
    if (!Array.isArray(ast.propertySignatures) || ast.indexSignatures?.length > 0) return undefined
    return ast.propertySignatures.map((property: { name: PropertyKey }) => String(property.name))
  } catch {
    return undefined
  }
}

/** Whether a human may have to agree before the tool runs. */
export const wantsApproval = (tool: Tool): boolean => tool.needsApproval !== undefined && tool.needsApproval !== false

const facts = new WeakMap<Tool, ToolFacts>()

/** The facts of one tool, read once. */
export const ofTool = (tool: Tool): ToolFacts => {
  const known = facts.get(tool)
  if (known !== undefined) return known
  const wireName = tool.providerName === tool.name ? undefined : tool.providerName
  const found: ToolFacts = {
    name: tool.name,
    wireName,
    providerDefined: tool.providerName !== undefined,
    parameters: parametersOf(tool.parametersSchema)
  }
  facts.set(tool, found)
  return found
}

interface ToolkitFacts {
  readonly list: ReadonlyArray<ToolFacts>
  /** What pairing asks of the tools. */
  readonly pairing: Required<Pick<PairOptions, "asksApproval" | "sameTool">>
}

const toolkits = new WeakMap<Tools, ToolkitFacts>()

/** The facts of all tools of a toolkit, read once. */
export const ofTools = (tools: Tools): ToolkitFacts => {
  const known = toolkits.get(tools)
  if (known !== undefined) return known
  const list = Object.values(tools).map(ofTool)
  const found: ToolkitFacts = {
    list,
    pairing: {
      sameTool: ToolNames.sameTool(ToolNames.of(list)),
      // A human may have been asked about a tool that is not here any more.
      asksApproval: (name) => {
        const tool = toolNamed(tools, name)
        return tool === undefined || wantsApproval(tool)
      }
    }
  }
  toolkits.set(tools, found)
  return found
}

/** A fault as it is reported: the tool's toolkit name, or none where the name may be the model's invention. */
export const reported = (violation: ViolationFacts, tools: Tools | undefined): ViolationFacts => {
  const tool = violation.name === undefined ? undefined : toolNamed(tools, violation.name)
  return violation.name === tool?.name ? violation : { ...violation, name: tool?.name }
}
