/** The host's own spans, watched in place: some of their attributes belong elsewhere, and their failures tell content. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import type * as Tracer from "effect/Tracer"
import * as Attribute from "../semconv/attribute.ts"
import * as Host from "../semconv/host.ts"
import type { ContentSettings } from "../settings/settings.ts"
import * as ErrorType from "./errorType.ts"
import type { Request } from "./Request.ts"

/** Who watches a span of the host. */
export interface HostSpanWatcher {
  /** `true` when the attribute must not reach the span. */
  readonly keeps: (key: string, value: unknown) => boolean
  /** Called once, before the span ends. */
  readonly onEnd: (exit: Exit.Exit<unknown, unknown>) => void
}

/** Whether an attribute belongs on the request's span alone: else a trace has its usage twice. */
export const belongsToRequest = (key: string): boolean =>
  key === Attribute.genAiOperationName || key.startsWith(Host.usagePrefix)

const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

/** Takes what a provider package writes about its request on the turn's span. */
export const learn = (request: Request, key: string, value: unknown): void => {
  switch (key) {
    case Attribute.genAiRequestModel:
      request.asks(text(value))
      return
    case Attribute.genAiResponseModel:
      request.responseModel ??= text(value)
      return
    case Attribute.genAiResponseId:
      request.responseId ??= text(value)
      return
    case Attribute.genAiProviderName:
    case Host.genAiSystem:
      request.provider ??= text(value)
      return
  }
}

/** The same exit with the kinds of its failures and without their values. */
export const withoutContent = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (exit._tag === "Success") return exit
  const errorType = ErrorType.ofCause(exit.cause)
  if (errorType === undefined) return exit
  const interrupts = exit.cause.reasons.filter(Cause.isInterruptReason)
  return Exit.failCause(
    Cause.fromReasons([
      ...Cause.fail({ name: errorType, message: "", stack: errorType }).reasons,
      ...interrupts
    ])
  )
}

/** Whether a failure of the host may be written as it is. */
export const mayTell = (content: ContentSettings): boolean =>
  content.arguments && content.results && content.redact === undefined

interface Methods {
  attribute: Tracer.Span["attribute"]
  end: Tracer.Span["end"]
}

/**
 * Puts a method in the place of a span's own; gives back how to undo it.
 *
 * The original is put back, not our own deleted: spans of other tracers have own methods, and a deletion makes an
 * object slow for the rest of its life.
 */
const replace = <Name extends keyof Methods>(span: Tracer.Span, name: Name, method: Methods[Name]): () => void => {
  const methods = span as unknown as Methods
  const original = methods[name]
  methods[name] = method
  return () => {
    methods[name] = original
  }
}

/** Watches the span of a turn until it ends. */
export const watch = (span: Tracer.Span, content: ContentSettings, watcher: HostSpanWatcher): void => {
  const attribute = span.attribute
  const restoreAttribute = replace(span, "attribute", (key, value) => {
    if (!watcher.keeps(key, value)) attribute.call(span, key, value)
  })
  const restoreEnd = replace(span, "end", (time, exit) => {
    restoreAttribute()
    restoreEnd()
    watcher.onEnd(exit)
    span.end(time, mayTell(content) ? exit : withoutContent(exit))
  })
}

/** Lets a span of the host, such as `Chat.generateText`, end without the values of a failure. */
export const hideFailures = (span: Tracer.Span): void => {
  const restore = replace(span, "end", (time, exit) => {
    restore()
    span.end(time, withoutContent(exit))
  })
}

/** Drops the host's first write of `tool` and `parameters` on an execution's span: what comes later is the app's. */
export const dropToolAttributes = (span: Tracer.Span): void => {
  const attribute = span.attribute
  let dropped = 0
  const restore = replace(span, "attribute", (key, value) => {
    if (key === Host.toolAttributes[dropped]) {
      if (++dropped === Host.toolAttributes.length) restore()
      return
    }
    attribute.call(span, key, value)
  })
}
