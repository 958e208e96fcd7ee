// The small changes that a test must notice, found in the syntax tree of a module that is plain JavaScript.
import { parseAst } from "vitest/node"

/** One change: the text between two offsets becomes another one. */
export interface Mutation {
  readonly start: number
  readonly end: number
  readonly replacement: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
  "&": "|",
  "|": "&",
  "<<": ">>",
  "+=": "-=",
  "-=": "+=",
  "??=": "&&=",
  "++": "--",
  "--": "++"
}

/** The place of an operator that stands between two nodes: comments there would mislead, so they are skipped. */
const operatorIn = (code: string, from: number, to: number, operator: string): number => {
  const between = code.slice(from, to).replace(/\/\*[^]*?\*\/|\/\/.*/g, (comment) => " ".repeat(comment.length))
  return from + between.indexOf(operator)
}

/** Every mutation of a module, in the order of its text. */
export const mutationsOf = (code: string): ReadonlyArray<Mutation> => {
  const found: Array<Mutation> = []
  const replace = (node: Node, replacement: string): void => {
    if (code.slice(node.start, node.end) !== replacement) {
      found.push({ start: node.start, end: node.end, replacement })
    }
  }
  const swap = (operator: string, from: number, to: number): void => {
    const other = operators[operator]
    if (other === undefined) return
    const start = operatorIn(code, from, to, operator)
    found.push({ start, end: start + operator.length, replacement: other })
  }
  const condition = (test: unknown, loops: boolean): void => {
    if (!isNode(test) || test.type === "Literal") return
    // A loop that never ends only tells that there is a time limit.
    if (!loops) replace(test, "true")
    replace(test, "false")
  }

  const literal = (node: Node): void => {
    const { value } = node
    if (typeof value === "string") replace(node, value === "" ? "\"mutant\"" : "\"\"")
    else if (typeof value === "number") replace(node, String(value + 1))
    else if (typeof value === "boolean") replace(node, String(!value))
  }

  const rules: Readonly<Record<string, (node: Node) => void>> = {
    BinaryExpression: (node) =>
      swap(node["operator"] as string, (node["left"] as Node).end, (node["right"] as Node).start),
    LogicalExpression: (node) =>
      swap(node["operator"] as string, (node["left"] as Node).end, (node["right"] as Node).start),
    AssignmentExpression: (node) =>
      swap(node["operator"] as string, (node["left"] as Node).end, (node["right"] as Node).start),
    UpdateExpression: (node) => swap(node["operator"] as string, node.start, node.end),
    UnaryExpression: (node) => {
      if (node["operator"] === "!" || node["operator"] === "-") {
        found.push({ start: node.start, end: node.start + 1, replacement: "" })
      }
    },
    IfStatement: (node) => condition(node["test"], false),
    ConditionalExpression: (node) => condition(node["test"], false),
    WhileStatement: (node) => condition(node["test"], true),
    ForStatement: (node) => condition(node["test"], true),
    Literal: literal,
    TemplateLiteral: (node) => replace(node, "\"\""),
    ArrayExpression: (node) => {
      if ((node["elements"] as ReadonlyArray<unknown>).length > 0) replace(node, "[]")
    },
    ObjectExpression: (node) => {
      if ((node["properties"] as ReadonlyArray<unknown>).length > 0) replace(node, "({})")
    },
    ArrowFunctionExpression: (node) => {
      const body = node["body"] as Node
      if (body.type !== "BlockStatement" && code.slice(body.start, body.end) !== "undefined") replace(body, "undefined")
    },
    ExpressionStatement: (node) => {
      if (node["directive"] === undefined) replace(node, ";")
    },
    ReturnStatement: (node) => replace(node, ";"),
    ContinueStatement: (node) => replace(node, ";"),
    BreakStatement: (node) => replace(node, ";")
  }

  const visit = (node: Node): void => {
    // Names of modules, keys of objects and of members are no values.
    if (/^(Import|ExportAll)/.test(node.type)) return
    rules[node.type]?.(node)
    for (const [field, value] of Object.entries(node)) {
      if (field === "source" && node.type.startsWith("Export")) continue
      if ((field === "key" || field === "property") && node["computed"] !== true) continue
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child)
    }
  }
  visit(parseAst(code) as unknown as Node)
  return found
}

/** The module with one mutation. */
export const mutated = (code: string, { end, replacement, start }: Mutation): string =>
  code.slice(0, start) + replacement + code.slice(end)
