/** Tools of the app whose runs are told. */
import type { AgentTool } from "@earendil-works/pi-agent-core"

/** What a debugger and `util.inspect` show of a proxy: its own object, whatever the proxy says. */
const shown = (tool: AgentTool): AgentTool => {
  const own = Object.getOwnPropertyDescriptors(tool)
  for (const descriptor of Object.values(own)) descriptor.configurable = true
  return Object.create(Reflect.getPrototypeOf(tool), own) as AgentTool
}

/**
 * The app's own tool with another `execute`: whatever else is read or changed is the app's. A copy of it, or an `execute`
 * that the app puts around this one, is told as well.
 */
export const withExecute = (tool: AgentTool, execute: AgentTool["execute"]): AgentTool => {
  let current: unknown = execute
  // The proxy stands for a copy: one for the tool itself could say nothing new of a frozen tool.
  return new Proxy(shown(tool), {
    get: (_, key) => {
      if (key === "execute") return current
      const value: unknown = Reflect.get(tool, key, tool)
      // Methods of a class find its private fields in its own object alone.
      return typeof value === "function" && key !== "constructor" ? value.bind(tool) : value
    },
    set: (_, key, value) => {
      if (key !== "execute") return Reflect.set(tool, key, value, tool)
      // On the tool itself, a function around this one would come back to itself.
      current = value
      return true
    },
    has: (_, key) => Reflect.has(tool, key),
    ownKeys: () => Reflect.ownKeys(tool),
    getPrototypeOf: () => Reflect.getPrototypeOf(tool),
    deleteProperty: (_, key) => Reflect.deleteProperty(tool, key),
    getOwnPropertyDescriptor: (_, key) => {
      const own = Reflect.getOwnPropertyDescriptor(tool, key)
      if (own === undefined) return undefined
      if (key !== "execute") return { ...own, configurable: true }
      return { value: current, writable: true, enumerable: own.enumerable ?? false, configurable: true }
    }
  })
}

const isFixed = (list: object, key: string): boolean => {
  const own = Reflect.getOwnPropertyDescriptor(list, key)
  return own?.configurable === false && own.writable === false
}

/** The app's own list with each tool told: what anybody adds to one is in the other. */
export const withTools = (tools: Array<AgentTool>, told: (tool: AgentTool) => AgentTool): Array<AgentTool> =>
  Object.isFrozen(tools) ? tools.map(told) : new Proxy(tools, {
    get: (list, key) => {
      const value: unknown = Reflect.get(list, key)
      return typeof key === "string" && /^\d+$/.test(key) && !isFixed(list, key) ? told(value as AgentTool) : value
    }
  })
