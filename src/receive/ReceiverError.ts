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
  host: Schema.String,
  port: Schema.Finite,
  reason: Schema.String
}) {
  override get message(): string {
    return `Cannot listen on ${this.host}, port ${this.port}: ${this.reason}`
  }
}

/** More than this machine could reach what is stored, and nothing would be asked of it. */
export class TokenMissing extends Schema.TaggedError<TokenMissing>()("TokenMissing", {
  host: Schema.String
}) {
  override get message(): string {
    return `Other machines reach ${this.host}, so every request has to show a token: set TOOLSPAN_TOKEN to one of `
      + "16 characters or more (openssl rand -hex 16 makes one), or leave --host away"
  }
}
