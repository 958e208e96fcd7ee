/**
 * Why the receiver cannot listen.
 */
import * as Schema from "effect/Schema"

/** The process that listens on a port: its number and how it was started. */
export const PortHolder = Schema.Struct({
  pid: Schema.Finite,
  command: Schema.String
})
export type PortHolder = typeof PortHolder.Type

const holderText = (error: { readonly holder?: PortHolder | undefined; readonly toolspan: boolean }): string => {
  const process = error.holder === undefined ? "" : `process ${error.holder.pid} (${error.holder.command})`
  if (!error.toolspan) return process === "" ? "another program" : process
  return process === "" ? "a toolspan that is running already" : `a toolspan that is running already, ${process}`
}

/** Another program listens on the port already. */
export class PortInUse extends Schema.TaggedError<PortInUse>()("PortInUse", {
  port: Schema.Finite,
  /** Who listens, where it can be known (on Linux, of the same user). */
  holder: Schema.optional(PortHolder),
  /** Whether it is a toolspan receiver that answers there. */
  toolspan: Schema.Boolean
}) {
  override get message(): string {
    const other = this.port < 65_000 ? this.port + 1 : this.port - 1
    return `Port ${this.port} is in use by ${holderText(this)}. `
      + `Choose another with \`toolspan dev --port ${other}\`, and tell your app: `
      + `OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:${other}`
  }
}

/** The port cannot be listened on for another reason, such as missing rights. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>()("ListenFailed", {
  port: Schema.Finite,
  reason: Schema.String
}) {
  override get message(): string {
    return `Cannot listen on 127.0.0.1:${this.port}: ${this.reason}`
  }
}
