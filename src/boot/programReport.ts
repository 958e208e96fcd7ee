/** What a program tells of itself to `toolspan doctor`. */

/** A copy of effect, of OpenTelemetry's API or of toolspan that the program has loaded. */
export interface LoadedCopy {
  readonly name: string
  readonly version: string
  readonly folder: string
  /** Of effect: its services are reached where they are made. */
  readonly serviceHook: boolean
  /** Of effect: its default tracer writes OpenTelemetry spans. */
  readonly defaultTracer: boolean
}

/** One process of the program. */
export interface ProgramReport {
  readonly pid: number
  readonly program: string | undefined
  readonly node: string
  /** False for a process that was killed, or ended by a signal. */
  readonly ended: boolean
  readonly exitCode: number | undefined
  readonly copies: ReadonlyArray<LoadedCopy>
  readonly moduleHook: boolean
  /** Effect's AI modules were loaded before the hooks stood. */
  readonly linkedEarly: boolean
  /** The classes of the registered tracer provider and context manager. */
  readonly provider: string | undefined
  readonly contextManager: string | undefined
  readonly apiVersion: string | undefined
  readonly turns: number | undefined
  readonly executions: number | undefined
  readonly internalErrors: number | undefined
}
