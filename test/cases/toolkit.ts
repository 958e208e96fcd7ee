/** The toolkit of a run: exactly the tools that the case names, with handlers that note what they were given. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ai } from "./ai.ts"
import { canonical } from "./observation.ts"
import type { Handler } from "./words.ts"

/** A run of a handler. */
export interface HandlerRun {
  readonly tool: string
  readonly params: string
  readonly id: string | undefined
  /** Nanoseconds since 1970, by the clock of the spans. */
  readonly startedAt: bigint
  endedAt: bigint | undefined
}

export interface ToolkitOptions {
  readonly names: ReadonlyArray<string>
  /** Provider-defined tools by name, where a real client of their provider is used. */
  readonly provided: Readonly<Record<string, any>>
  readonly failureMode: "error" | "return"
  readonly anyParameters: boolean
  readonly anySuccess: boolean
  readonly handler: Handler
  /** What the handler returns instead of `<tool>:<its argument>`. */
  readonly result: (() => unknown) | undefined
  readonly runs: Array<HandlerRun>
}

const parameters: Readonly<Record<string, Record<string, typeof Schema.String> | undefined>> = {
  lookup: { key: Schema.String },
  add_note: { text: Schema.String },
  ping: {},
  wipe: { path: Schema.String }
}

const makeTool = (name: string, options: ToolkitOptions): any => {
  const provided = options.provided[name]
  if (provided !== undefined) return provided
  const fields = parameters[name]
  const known = fields !== undefined
  return ai.Tool.make(name, {
    success: known && !options.anySuccess ? Schema.String : Schema.Any,
    failure: Schema.Any,
    failureMode: options.failureMode,
    ...(!known || options.anyParameters
      ? { parameters: Schema.Any }
      : Object.keys(fields).length > 0
      ? { parameters: Schema.Struct(fields) }
      : undefined),
    ...(name === "wipe" ? { needsApproval: true } : undefined)
  } as any)
}

/** The toolkit with its handlers, as the app would hand it to a turn. */
export const makeToolkit = (options: ToolkitOptions): Effect.Effect<any> => {
  const tools = options.names.map((name) => makeTool(name, options))
  const toolkit: any = ai.Toolkit.make(...tools)
  const handlers: Record<string, (params: any, context: any) => Effect.Effect<unknown, unknown>> = {}
  for (const tool of tools) {
    if (tool.requiresHandler === false) continue
    handlers[tool.name] = (params, context) =>
      Effect.clockWith((clock) => {
        const argument = params === undefined || params === null ? "" : params.key ?? params.text ?? params.path ?? ""
        const noted: HandlerRun = {
          tool: tool.name,
          params: canonical(params),
          id: context.toolCallId,
          startedAt: clock.currentTimeNanosUnsafe(),
          endedAt: undefined
        }
        options.runs.push(noted)
        const run = options.handler(`${tool.name}:${argument}`, context.preliminary)
        const whole = options.result === undefined ? run : Effect.as(run, options.result())
        return Effect.onExit(whole, () => Effect.sync(() => void (noted.endedAt = clock.currentTimeNanosUnsafe())))
      }).pipe(Effect.withSpan("handler of the app"))
  }
  return Effect.gen(function*() {
    return yield* toolkit as Effect.Effect<any>
  }).pipe(Effect.provide(toolkit.toLayer(handlers))) as Effect.Effect<any>
}
