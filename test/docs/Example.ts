import * as fs from "node:fs"
import * as path from "node:path"

/** One block of code that a page or a doc comment shows. */
export interface Example {
  /** Where it stands: `README.md:12`. */
  readonly place: string
  readonly code: string
  /** The effect line it runs on: an example that imports a provider package runs on the older one. */
  readonly line: "current" | "older"
  /** False where the block is marked `no-run`: it is type-checked only. */
  readonly runs: boolean
}

/** One public export as its source has it. */
export interface PublicExport {
  readonly place: string
  /** As a user writes it: `check`, `ToolCallGroup.open`. */
  readonly name: string
  readonly isType: boolean
  readonly comment: string | undefined
}

const fence = /^( *)```ts([^\n]*)\n([^]*?)\n\1```/gm
const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

const example = (place: string, code: string, marks: string): Example => ({
  place,
  code,
  line: /from "@effect\/ai-/.test(code) ? "older" : "current",
  runs: !/\bno-run\b/.test(marks)
})

/** The ```ts blocks of a page. */
export const fromMarkdown = (name: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(fence)].map((match) =>
    example(
      `${name}:${lineOf(text, match.index)}`,
      (match[3] ?? "").replaceAll(`\n${match[1] ?? ""}`, "\n"),
      match[2] ?? ""
    )
  )

const docComment = /^([ \t]*)\/\*\*[^]*?\*\//gm

/** The ```ts blocks of the doc comments of a source file. */
export const fromComments = (name: string, text: string): ReadonlyArray<Example> =>
  [...text.matchAll(docComment)].flatMap((comment) => {
    const body = comment[0].replace(/^[ \t]*\* ?/gm, "")
    return [...body.matchAll(fence)].map((match) =>
      example(`${name}:${lineOf(text, comment.index) + lineOf(body, match.index) - 1}`, match[3] ?? "", match[2] ?? "")
    )
  })

const exported =
  /(?:^(\/\*\*(?:(?!\*\/)[^])*\*\/)\n)?^export (?:declare )?(const|function|class|interface|type|namespace)\s+([A-Za-z_$][\w$]*)/gm
const reexported =
  /(?:^(\/\*\*(?:(?!\*\/)[^])*\*\/)\n)?^export (type )?(\*(?: as [\w$]+)?|\{[^}]*\}) from "(\.[^"]+)"/gm

/** What a public entry exports, files that it re-exports from followed; a namespace's members are exports too. */
export const publicExports = (root: string, entry: string, only?: ReadonlySet<string>): ReadonlyArray<PublicExport> => {
  const text = fs.readFileSync(path.join(root, entry), "utf8")
  const own = [...text.matchAll(exported)].map((match) => ({
    place: `${entry}:${lineOf(text, match.index)}`,
    name: match[3] ?? "",
    isType: match[2] === "interface" || match[2] === "type",
    comment: match[1]
  }))
  const others = [...text.matchAll(reexported)].flatMap((match) => {
    const file = path.join(path.dirname(entry), match[4] ?? "")
    const names = match[3] ?? ""
    if (names.startsWith("{")) return publicExports(root, file, namesOf(names))
    const namespace = names.startsWith("* as ") ? `${names.slice(5)}.` : ""
    return publicExports(root, file).map((each) => ({ ...each, name: namespace + each.name }))
  })
  return [...own, ...others].filter((each) => only === undefined || only.has(each.name))
}

const namesOf = (clause: string): ReadonlySet<string> =>
  new Set(
    clause.slice(1, -1).split(",").map((part) => part.trim().replace(/^type /, "").split(" as ")[0] ?? "").filter((
      name
    ) => name !== "")
  )
