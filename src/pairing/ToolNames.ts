/** A tool of the toolkit, as far as pairing needs it. */
export interface ToolFacts {
  /** The name in the toolkit. */
  readonly name: string
  /** The name on the wire, where it differs: `memory` for `AnthropicMemory`. */
  readonly wireName?: string | undefined
  /** True for a tool that the provider defines. */
  readonly providerDefined?: boolean | undefined
  /** The top-level arguments that its schema declares; absent when it takes any. */
  readonly parameters?: ReadonlyArray<string> | undefined
}

/** The two names of each tool, looked up either way. */
export interface ToolNames {
  readonly byName: ReadonlyMap<string, ToolFacts>
  readonly byWireName: ReadonlyMap<string, ToolFacts>
}

/** The names of a list of tools; the first tool with a name has it. */
export const of = (tools: ReadonlyArray<ToolFacts>): ToolNames => {
  const byName = new Map<string, ToolFacts>()
  const byWireName = new Map<string, ToolFacts>()
  for (const tool of tools) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool)
    const wireName = tool.wireName ?? tool.name
    if (!byWireName.has(wireName)) byWireName.set(wireName, tool)
  }
  return { byName, byWireName }
}

/** Whether two names mean one tool. */
export const sameTool = (names: ToolNames) => (one: string, two: string): boolean => {
  if (one === two) return true
  const first = names.byName.get(one) ?? names.byWireName.get(one)
  return first !== undefined && first === (names.byName.get(two) ?? names.byWireName.get(two))
}

/** The wire name that a toolkit name should have gone out under; `undefined` when the name is right on the wire. */
export const wireNameFor = (names: ToolNames, name: string): string | undefined =>
  names.byWireName.has(name) ? undefined : names.byName.get(name)?.wireName

/** The toolkit name that a wire name should have come in under; `undefined` when the name is right in the program. */
export const toolkitNameFor = (names: ToolNames, name: string): string | undefined =>
  names.byName.has(name) ? undefined : names.byWireName.get(name)?.name
