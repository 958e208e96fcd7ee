/**
 * Why a store cannot be opened, read or written.
 */
import * as Schema from "effect/Schema"

/** The database was written by a newer toolspan; it was left untouched. */
export class StoreTooNew extends Schema.TaggedError<StoreTooNew>()("StoreTooNew", {
  path: Schema.String,
  /** The schema version in the file. */
  found: Schema.Finite,
  /** The newest schema version that this toolspan reads. */
  supported: Schema.Finite
}) {
  override get message(): string {
    return `${this.path} has store version ${this.found}, this toolspan reads up to ${this.supported}: `
      + "update toolspan, or choose another file. The file was left as it is."
  }
}

/** The file is no toolspan database, or is damaged; it was left untouched, or moved aside as a whole. */
export class StoreCorrupt extends Schema.TaggedError<StoreCorrupt>()("StoreCorrupt", {
  path: Schema.String,
  reason: Schema.String,
  /** Whether it is whole, but of another program. */
  foreign: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    const todo = this.foreign === true
      ? "Choose another file, or move this one away."
      : "`toolspan dev` sets it aside under another name and begins a new one; or choose another file."
    return `${this.path} cannot be read as a toolspan store: ${this.reason}. ${todo} The file was left as it is.`
  }
}

/** The database was written by an older toolspan, and it was opened for reading only. */
export class StoreOutdated extends Schema.TaggedError<StoreOutdated>()("StoreOutdated", {
  path: Schema.String,
  found: Schema.Finite
}) {
  override get message(): string {
    return `${this.path} has store version ${this.found}, of an older toolspan: start \`toolspan dev\` with it once, `
      + "which brings it up to date. The file was left as it is."
  }
}

/** There is no store at this path, and it was opened for reading only. */
export class StoreMissing extends Schema.TaggedError<StoreMissing>()("StoreMissing", {
  path: Schema.String
}) {
  override get message(): string {
    return `There is no store at ${this.path} yet: start \`toolspan dev\` and send it some spans.`
  }
}

/** The store cannot do this now: locked for too long, disk full, not writable, closed. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The store ${this.path} is not available: ${this.reason}`
  }
}

/** Another process keeps its spans in this file already. */
export class StoreKept extends Schema.TaggedError<StoreKept>()("StoreKept", {
  path: Schema.String,
  /** The number of that process, where it could be read. */
  pid: Schema.optionalKey(Schema.Finite)
}) {
  override get message(): string {
    const holder = this.pid === undefined ? "" : ` (process ${this.pid})`
    return `${this.path} is kept by another toolspan dev already${holder}. `
      + "Use that one, stop it, or: toolspan dev --port 0 --data ./traces.db"
  }
}

/** Everything that opening a store can fail with. */
export type OpenError = StoreTooNew | StoreCorrupt | StoreOutdated | StoreMissing | StoreUnavailable
