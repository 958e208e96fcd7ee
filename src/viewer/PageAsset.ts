/** The files of the page, read once: afterwards no request reaches the file system. */
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Effect from "effect/Effect"
import { PageMissing } from "./PageError.ts"

/** One file as it goes out. */
export interface PageAsset {
  readonly type: string
  readonly body: Buffer
  readonly packed: Buffer
  /** Changes with the content. */
  readonly tag: string
}

/** The page's files, by the path under which they are served; there are no others. */
const files = {
  "/": { file: "page.html", type: "text/html; charset=utf-8" },
  "/page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
  "/page.css": { file: "page.css", type: "text/css; charset=utf-8" },
  "/icon.svg": { file: "icon.svg", type: "image/svg+xml" }
} as const

const pack = promisify(gzip)

const read = async (file: string, type: string): Promise<PageAsset> => {
  const body = await fs.readFile(file)
  const tag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`
  return { type, body, packed: await pack(body, { level: 9 }), tag }
}

/** Reads the page's files from the folder that the build has filled. */
export const load = (folder: string): Effect.Effect<ReadonlyMap<string, PageAsset>, PageMissing> =>
  Effect.tryPromise({
    try: async () =>
      new Map(
        await Promise.all(
          Object.entries(files).map(async ([at, { file, type }]) =>
            [at, await read(path.join(folder, file), type)] as const
          )
        )
      ),
    catch: () => new PageMissing({ folder })
  })
