// Builds the page: one script, its style sheet, its document and icon, in dist/viewer/client.
import * as fs from "node:fs"
import * as path from "node:path"
import { rolldown } from "rolldown"

const root = path.resolve(import.meta.dirname, "..")
const source = path.join(root, "src/viewer/client")

/** What the page consists of. */
export const pageFiles = ["page.html", "page.js", "page.css", "icon.svg"] as const

/** Builds the page into this folder. */
export const buildPage = async (folder: string): Promise<void> => {
  fs.mkdirSync(folder, { recursive: true })
  const bundle = await rolldown({
    input: path.join(source, "page.tsx"),
    platform: "browser",
    tsconfig: path.join(root, "tsconfig.json")
  })
  await bundle.write({
    file: path.join(folder, "page.js"),
    format: "esm",
    minify: true,
    banner: "/*! The page of toolspan (Apache-2.0), with preact (MIT, Copyright (c) 2015-present Jason Miller). */"
  })
  await bundle.close()
  for (const file of pageFiles.filter((name) => name !== "page.js")) {
    fs.copyFileSync(path.join(source, file), path.join(folder, file))
  }
}

if (import.meta.main) await buildPage(path.join(root, "dist/viewer/client"))
