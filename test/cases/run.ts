/** Runs a plan once, with or without toolspan, and says what the host did and what telemetry has. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { ai } from "./ai.ts"
import type { Job } from "./case-file.ts"
import { activate, current, type Instrumentation, off, on } from "./instrumentation.ts"
import { type Asked, providerModel, providerTools, type Script, scriptedModel } from "./models.ts"
import { canonical, type Observation } from "./observation.ts"
import type { Plan } from "./plan.ts"
import { type ReplayServer, startReplayServer } from "./replay-server.ts"
import { makeTelemetry } from "./telemetry.ts"
import { type HandlerRun, makeToolkit } from "./toolkit.ts"
import type { Trail } from "./trail.ts"
import type { Turn } from "./turns.ts"

export interface Ran {
  readonly observation: Observation
  readonly parts: ReadonlyArray<ReadonlyArray<any>>
  readonly trail: Trail
  readonly handlerRuns: ReadonlyArray<HandlerRun>
  /** Requests that the provider got, and for each whether its answer tells the usage. */
  readonly usage: ReadonlyArray<boolean>
  readonly openCalls: number | undefined
  readonly internalErrors: number
  /** How often the app's own values were looked into. */
  readonly asked: number
  /** How often of these it was for the attributes of a call that the host writes, and toolspan drops. */
  readonly askedByHost: number
  readonly failed: boolean
}

const idGenerator = () => {
  let count = 0
  return { generateId: () => Effect.sync(() => `ap${++count}`) }
}

const exitText = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit)
    ? "success"
    : `failure ${
      exit.cause.reasons.map((reason: any) => {
        if (Cause.isFailReason(reason)) return `fail ${canonical(reason.error)}`
        return Cause.isDieReason(reason) ? `die ${canonical(reason.defect)}` : "interrupt"
      }).join("; ")
    }`

interface World {
  readonly plan: Plan
  readonly toolkit: any
  readonly chat: any
  readonly parts: Array<Array<any>>
}

const consume = (world: World, stream: Stream.Stream<any, unknown>, parts: Array<any>) => {
  const { end } = world.plan
  const taken = end._tag === "take" ? Stream.take(stream, end.parts) : stream
  return Stream.runForEach(taken, (part) => Effect.sync(() => parts.push(part)))
}

const manually = (world: World, content: ReadonlyArray<any>) =>
  Effect.gen(function*() {
    const { manual } = world.plan
    if (manual === undefined) return
    for (const call of content.filter((part) => part.type === "tool-call")) {
      const params = manual.copy ? structuredClone(call.params) : call.params
      const id = manual.id === "own" ? call.id : manual.id
      const handled = id === undefined
        ? world.toolkit.handle(manual.name ?? call.name, params)
        : world.toolkit.handle(manual.name ?? call.name, params, id)
      const results: Array<unknown> = []
      const exit = yield* Effect.exit(
        Effect.flatMap(
          handled as Effect.Effect<Stream.Stream<any, unknown>, unknown>,
          Stream.runForEach((result) => Effect.sync(() => results.push(result)))
        )
      )
      world.parts.push([exitText(exit), ...results])
    }
  })

const turnEffect = (world: World, turn: Turn): Effect.Effect<unknown, unknown, any> => {
  const options: any = { prompt: structuredClone(turn.prompt), toolkit: world.toolkit, ...turn.options }
  const target: any = world.chat ?? ai.LanguageModel
  const parts: Array<any> = []
  world.parts.push(parts)
  const call: Effect.Effect<any, unknown, any> = world.plan.stream
    ? consume(world, target.streamText(options), parts)
    : Effect.tap(target.generateText(options), (response: any) => Effect.sync(() => parts.push(...response.content)))
  const { end } = world.plan
  const bounded = end._tag === "interrupt" ? Effect.timeout(call, `${end.after + 50} millis`) : call
  const turned = Effect.andThen(bounded, Effect.suspend(() => manually(world, parts)))
  const conversed = turn.conversation === undefined ? turned : current().conversation(turn.conversation)(turned)
  return Effect.withSpan(conversed, "app", { root: true })
}

const tellsUsage = (answer: unknown): boolean =>
  typeof answer === "object" && answer !== null &&
  Object.entries(answer).some(([key, value]) =>
    (key === "usage" && value !== null && typeof value === "object" &&
      ["prompt_tokens", "input_tokens"].some((name) => typeof (value as any)[name] === "number")) || tellsUsage(value)
  )

const program = (
  job: Job,
  plan: Plan,
  server: ReplayServer | undefined,
  asked: Asked,
  runs: Array<HandlerRun>,
  world: { parts: Array<Array<any>>; exits: Array<string> }
) =>
  Effect.gen(function*() {
    const provided = server === undefined ? {} : yield* Effect.promise(() => providerTools(job.file.provider))
    const toolkit = () =>
      Effect.map(
        makeToolkit({ names: job.file.tools, provided, runs, ...plan }),
        (toolkit) => current().toolkit(toolkit)
      )
    const chat = plan.chat === undefined ? undefined : yield* ai.Chat.fromPrompt(structuredClone(plan.chat) as any)
    let script: Script = () => []
    const make = Effect.gen(function*() {
      const ids = idGenerator()
      const model = server === undefined
        ? scriptedModel(() => script(), asked)
        : providerModel(job.file.provider, server.url)
      return {
        ids,
        toolkit: yield* toolkit(),
        model: yield* Effect.provideService(model, ai.IdGenerator.IdGenerator, ids)
      }
    })
    const shared = plan.separate ? undefined : yield* make
    for (const turn of plan.turns) {
      const { ids, model, toolkit } = shared ?? (yield* make)
      script = turn.script ?? script
      const exit = yield* Effect.exit(
        turnEffect({ plan, chat, toolkit, parts: world.parts }, turn).pipe(
          Effect.provideService(ai.LanguageModel.LanguageModel, model),
          Effect.provideService(ai.IdGenerator.IdGenerator, ids)
        ) as Effect.Effect<unknown, unknown>
      )
      world.exits.push(exitText(exit))
    }
  })

/** Runs the plan once. `content` absent: without toolspan. */
export const runPlan = async (job: Job, plan: Plan, content: "off" | "all" | undefined): Promise<Ran> => {
  const instrumentation: Instrumentation = content === undefined ? off : on(content)
  activate(instrumentation)
  plan.asked.count = 0
  const telemetry = makeTelemetry(plan.asked)
  const server = plan.answers === undefined ? undefined : await startReplayServer(plan.answers)
  const asked: Asked = { prompts: [], usage: [] }
  const runs: Array<HandlerRun> = []
  const world = { parts: [] as Array<Array<any>>, exits: [] as Array<string> }
  const stats = await Effect.runPromise(
    program(job, plan, server, asked, runs, world).pipe(
      Effect.andThen(instrumentation.stats),
      Effect.provide(Layer.provideMerge(instrumentation.layer, telemetry.layer))
    )
  )
  await telemetry.settle()
  const counted = plan.asked.count
  const answers = plan.answers ?? []
  await server?.close()
  activate(off)
  return {
    observation: {
      exits: world.exits,
      parts: world.parts.map((parts) => parts.map(canonical)),
      handlerRuns: runs.map((run) => `${run.tool} ${run.params} ${run.id}`),
      prompts: server === undefined ? asked.prompts : server.requests.map(canonical)
    },
    parts: world.parts,
    trail: telemetry.trail,
    handlerRuns: runs,
    usage: server === undefined
      ? asked.usage
      : server.requests.map((_, i) => tellsUsage(answers[Math.min(i, answers.length - 1)])),
    openCalls: stats?.openCalls,
    internalErrors: stats?.internalErrors ?? 0,
    asked: counted,
    askedByHost: telemetry.askedByHost(),
    failed: world.exits.some((exit) => exit !== "success")
  }
}
