/** Why the page cannot be served. */
import * as Schema from "effect/Schema"

/** The folder does not hold the page's files: the package was not built. */
export class PageMissing extends Schema.TaggedError<PageMissing>()("PageMissing", {
  folder: Schema.String
}) {
  override get message(): string {
    return `The page is not in ${this.folder}: build the package first`
  }
}
