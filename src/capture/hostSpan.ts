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
  attribute?: Tracer.Span["attribute"]
  end?: Tracer.Span["end"]
}

const isReplaceable = (span: Tracer.Span, name: keyof Methods): boolean => {
  const own = Object.getOwnPropertyDescriptor(span, name)
  return own === undefined ? Object.isExtensible(span) : own.writable === true
}

/** Another face of a span that cannot be changed: everything but the given methods is the span's own. */
const facade = (span: Tracer.Span, methods: Methods): Tracer.Span =>
  new Proxy({} as Tracer.Span, {
    get: (_, key) => {
      if (key in methods) return methods[key as keyof Methods]
      const value: unknown = Reflect.get(span, key, span)
      return typeof value === "function" ? value.bind(span) : value
    },
    has: (_, key) => key in span,
    getPrototypeOf: () => Object.getPrototypeOf(span)
  })

/**
 * Puts methods in the place of a span's own, until `restore`; gives the span to go on with.
 *
 * The originals are put back, not ours deleted: spans of other tracers have own methods, and a deletion makes an object
 * slow for the rest of its life. A frozen span gets another face instead, and nothing to restore.
 */
const replace = (
  span: Tracer.Span,
  methods: Methods
): { readonly span: Tracer.Span; readonly restore: () => void } => {
  const names = Object.keys(methods) as ReadonlyArray<keyof Methods>
  if (!names.every((name) => isReplaceable(span, name))) return { span: facade(span, methods), restore: () => {} }
  const target = span as Methods
  const { attribute, end } = target
  Object.assign(target, methods)
  return {
    span,
    restore: () => {
      if (methods.attribute !== undefined && attribute !== undefined) target.attribute = attribute
      if (methods.end !== undefined && end !== undefined) target.end = end
    }
  }
}

/** Watches the span of a turn until it ends; gives the span that the host goes on with. */
export const watch = (span: Tracer.Span, content: ContentSettings, watcher: HostSpanWatcher): Tracer.Span => {
  const { attribute } = span
  const { end } = span
  const watched = replace(span, {
    attribute: (key, value) => {
      if (!watcher.keeps(key, value)) attribute.call(span, key, value)
    },
    end: (time, exit) => {
      watched.restore()
      watcher.onEnd(exit)
      end.call(span, time, mayTell(content) ? exit : withoutContent(exit))
    }
  })
  return watched.span
}

/** Lets a span of the host, such as `Chat.generateText`, end without the values of a failure. */
export const hideFailures = (span: Tracer.Span): void => {
  const { end } = span
  const hidden = replace(span, {
    end: (time, exit) => {
      hidden.restore()
      end.call(span, time, withoutContent(exit))
    }
  })
}

/**
 * Drops the host's first write of `tool` and `parameters` on an execution's span: what comes later is the app's. Gives
 * the span under which the handler runs.
 */
export const dropToolAttributes = (span: Tracer.Span): Tracer.Span => {
  const { attribute } = span
  let dropped = 0
  const replaced = replace(span, {
    attribute: (key, value) => {
      if (key !== Host.toolAttributes[dropped]) return attribute.call(span, key, value)
      if (++dropped === Host.toolAttributes.length) replaced.restore()
    }
  })
  return replaced.span
}
