/** Chromium, the page as the build makes it, and what is watched in every test. */
import { afterAll, beforeAll } from "@effect/vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { buildPage } from "../../scripts/page.ts"
import * as Backend from "./Backend.ts"

/** A page that is open. */
export interface Seen {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page, refusals of its security policy, and requests that left its server. */
  readonly faults: Array<string>
}

/** Starts Chromium and the backends of one file of tests, and ends them. */
export const inBrowser = () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "toolspan-browser-"))
  const backends: Array<Backend.Backend> = []
  let browser: Browser | undefined

  beforeAll(async () => {
    await buildPage(folder)
    browser = await chromium.launch({
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync"
      ]
    })
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await Promise.all(backends.map((backend) => backend.close()))
    fs.rmSync(folder, { recursive: true, force: true })
  })

  return {
    /** A folder that goes with the tests. */
    folder,
    /** Starts a backend; it ends with the file's tests. */
    serve: async (options: Omit<Backend.Options, "page"> = {}): Promise<Backend.Backend> => {
      const backend = await Backend.start({ page: folder, ...options })
      backends.push(backend)
      return backend
    },
    open: async (
      { url }: Pick<Backend.Backend, "url">,
      address = "/",
      options: Parameters<Browser["newContext"]>[0] = {}
    ): Promise<Seen> => {
      if (browser === undefined) throw new Error("Chromium has not started")
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        timezoneId: "UTC",
        reducedMotion: "reduce",
        ...options
      })
      const page = await context.newPage()
      const faults: Array<string> = []
      page.on("pageerror", (error) => faults.push(String(error)))
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text())
      })
      page.on("request", (request) => {
        if (!request.url().startsWith(`${url}/`)) faults.push(request.url())
      })
      await page.goto(url + address)
      return { page, context, faults }
    }
  }
}

/** The calls of the list that are in the document. */
export const rows = (page: Page) => page.locator("a.row")

/** Waits until the line under the list says this. */
export const listed = (page: Page, text: string): Promise<unknown> =>
  page.waitForFunction((wanted) => document.querySelector(".list-end")?.textContent === wanted, text)
