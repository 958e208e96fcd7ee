/** The tools that a request body offers: all that is known of tools where an app calls a client itself. */
import type { Tool, Tools } from "./shape.ts"
import { text } from "./Wire.ts"

/** Longer lists are not read: no provider takes so many. */
const maximumTools = 1_024

const nameOf = (tool: any): string | undefined =>
  text(tool?.name) ?? text(tool?.function?.name) ?? text(tool?.custom?.name) ?? text(tool?.type)

/** The tools by their name on the wire; `undefined` when the body does not tell, or the provider may know more. */
export const ofBody = (body: any): Tools | undefined => {
  const offered = body?.tools
  const elsewhere = (body?.prompt ?? undefined) !== undefined
  if (!Array.isArray(offered) || offered.length > maximumTools || elsewhere) return undefined
  const tools: Record<string, Tool> = Object.create(null)
  for (const tool of offered) {
    const name = nameOf(tool)
    if (name !== undefined) tools[name] = { name }
  }
  return tools
}
