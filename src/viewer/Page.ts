/**
 * Serves the page: a handler for the server that takes the spans, so that one port is enough.
 *
 * That server has already checked Host and Origin when it asks this handler.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import { load, type PageAsset } from "./PageAsset.ts"
import type { PageMissing } from "./PageError.ts"
import * as PageHeader from "./PageHeader.ts"

/** The page's files. */
export interface Page {
  /** Serves a request of the page; answers false when the path is none of the page's. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whether there is one of the page's files at a path: they are the same for everybody. */
  readonly isOpen: (path: string) => boolean
}

/** Settings of the page. */
export interface Options {
  /** The folder that the build has filled; the package's own unless told otherwise. */
  readonly folder?: string | undefined
}

/** Where the build puts the page. */
const builtFolder = fileURLToPath(new URL("./client/", import.meta.url))

/** Addresses that the page itself reads: they all are the same document. */
const views = /^\/(?:tools|violations|calls\/[^/]+|traces\/[^/]+|conversations\/[^/]+)$/

const assetPath = (path: string): string => views.test(path) ? "/" : path

/** A handler for the page's files. They are read once, here. */
export const make = (options: Options = {}): Effect.Effect<Page, PageMissing> =>
  Effect.map(load(options.folder ?? builtFolder), (assets): Page => ({
    handle: (request, response) => {
      const asset = assets.get(assetPath((request.url ?? "").split("?", 1)[0]!))
      if (asset === undefined) return false
      if (request.method === "GET" || request.method === "HEAD") send(request, response, asset)
      else response.writeHead(405, { ...PageHeader.common, allow: "GET, HEAD", "content-length": 0 }).end()
      return true
    },
    isOpen: (path) => assets.has(assetPath(path))
  }))

const send = (request: IncomingMessage, response: ServerResponse, asset: PageAsset): void => {
  const headers = {
    ...PageHeader.common,
    // Asked for each time, sent only when it has changed: an update of the package shows at once.
    "cache-control": "no-cache",
    etag: asset.tag,
    vary: "accept-encoding"
  }
  if (request.headers["if-none-match"]?.includes(asset.tag) === true) {
    response.writeHead(304, headers).end()
    return
  }
  const packed = takesGzip(request.headers["accept-encoding"])
  const body = packed ? asset.packed : asset.body
  response.writeHead(200, {
    ...headers,
    ...(packed ? { "content-encoding": "gzip" } : {}),
    "content-type": asset.type,
    "content-length": body.byteLength
  })
  response.end(request.method === "HEAD" ? undefined : body)
}

const takesGzip = (header: string | Array<string> | undefined): boolean =>
  /(?:^|[,\s])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(header ?? ""))
