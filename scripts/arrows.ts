// Who may import whom, as lint rules. The table is the one of ARCHITECTURE.md; test/house/arrows.test.ts plants what it forbids.

/** Every folder may import these, semconv itself excepted; settings may import semconv. */
const leaves = ["semconv", "settings"]

/** What else of ours a folder of src may import. */
export const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  semconv: [],
  settings: [],
  otlp: [],
  lifecycle: [],
  pairing: ["lifecycle"],
  capture: ["lifecycle", "pairing"],
  spans: ["lifecycle", "pairing"],
  recorder: ["lifecycle", "pairing", "spans"],
  adapters: ["recorder", "pairing"],
  boot: ["capture", "spans"],
  store: ["otlp"],
  receive: ["otlp", "store"],
  query: ["store"],
  viewer: ["query"],
  cli: ["query", "viewer", "receive", "store", "pairing", "boot"]
}

/** Folders that import `effect` and nothing else: they run on any runtime and beside both effect lines. */
export const core = ["semconv", "settings", "lifecycle", "pairing", "capture", "spans", "recorder"]

/** What a file directly in src (index, auto, register) may import: the first arrow. */
const firstArrow = ["lifecycle", "pairing", "capture", "spans", "boot"]

interface Pattern {
  readonly group?: ReadonlyArray<string>
  readonly regex?: string
  readonly message: string
  readonly allowTypeImports?: boolean
}

interface Override {
  readonly files: ReadonlyArray<string>
  readonly rules: Readonly<Record<string, readonly ["error", { readonly patterns: ReadonlyArray<Pattern> }]>>
}

const folders = Object.keys(arrows)

/** The folders that files of `from` may import, `from` included. */
export const allowed = (from: string): ReadonlyArray<string> => [
  from,
  ...(from === "semconv" ? [] : from === "settings" ? ["semconv"] : leaves),
  ...(arrows[from] ?? [])
]

const foreign = (reachable: ReadonlyArray<string>, name: string): Pattern => ({
  regex: `/(${folders.filter((to) => !reachable.includes(to)).join("|")})/`,
  message: `${name} may import only: ${reachable.join(", ")}.`
})

/** Files directly in src stand above the folders: none of these imports one. */
const root = (depth: number): Pattern => ({
  regex: `^${"\\.\\./".repeat(depth)}[^/]+$`,
  message: "A folder of src does not import the entries above it."
})

/** Every specifier but relative ones, `effect` and `effect/…`: the linter's regular expressions cannot look ahead. */
const notEffect = `^(${
  ["[^.e]", ...Array.from("ffect", (letter, index) => `${"effect".slice(0, index + 1)}[^${letter}]`), "effect[^/]"]
    .join("|")
})`

const onlyEffect: ReadonlyArray<Pattern> = [
  { regex: notEffect, message: "The core imports effect and nothing else.", allowTypeImports: true },
  {
    regex: "^effect/(unstable/)?ai($|/)",
    message: "The AI modules have another path on the older line: work on shapes and service keys.",
    allowTypeImports: true
  }
]

const override = (files: ReadonlyArray<string>, patterns: ReadonlyArray<Pattern>): Override => ({
  files,
  rules: { "no-restricted-imports": ["error", { patterns }] }
})

/** oxlint overrides; of those that match a file the last one holds. */
export const overrides: ReadonlyArray<Override> = [
  ...folders.flatMap((from) =>
    [1, 2, 3].map((depth) =>
      override(
        [`**/src/${from}/${"*/".repeat(depth - 1)}${depth === 3 ? "**/*.{ts,tsx}" : "*.{ts,tsx}"}`],
        [foreign(allowed(from), `src/${from}`), root(depth), ...(core.includes(from) ? onlyEffect : [])]
      )
    )
  ),
  override(["**/src/*.ts"], [foreign([...leaves, ...firstArrow], "A file directly in src")]),
  override(["**/src/index.ts", "**/src/auto.ts"], [
    foreign([...leaves, ...firstArrow], "The core"),
    ...onlyEffect
  ])
]
