/** Whatever an app, a provider or a tool gives to pi: the telling reads it, and nothing of that reaches pi. */
import { Agent } from "@earendil-works/pi-agent-core"
import type { AgentEvent, AgentMessage, AgentOptions, StreamFn } from "@earendil-works/pi-agent-core"
import type { AssistantMessage } from "@earendil-works/pi-ai"
import { createAssistantMessageEventStream } from "@earendil-works/pi-ai"
import { fauxAssistantMessage, fauxText } from "@earendil-works/pi-ai/providers/faux"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { traceAgent } from "../../src/adapters/pi.ts"
import * as Recorder from "../../src/recorder/index.ts"
import * as RecordingTracer from "../spans/RecordingTracer.ts"
import { call, tool } from "./PiWorld.ts"

// What pi's types forbid is the subject here.
type Loose = Record<string, unknown>

const words = (text: string): AssistantMessage => fauxAssistantMessage(fauxText(text))

const message = (content: unknown, more: Loose = {}): AssistantMessage =>
  Object.defineProperties(
    { ...words(""), stopReason: "toolUse", content } as AssistantMessage,
    Object.getOwnPropertyDescriptors(more)
  )

const read = (id = "a"): Loose => ({ ...call("read", { path: "x" }, { id }) })

/** Throws wherever it is touched. */
const untouchable = (): object => {
  const fail = (): never => {
    throw new Error("touched")
  }
  return new Proxy({}, { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail })
}

/** `value` with a property that cannot be read, for whoever `unless` does not let through. */
const unreadable = <A extends object>(value: A, ...keys: ReadonlyArray<string>): A => {
  const made = { ...value }
  for (const key of keys) {
    Object.defineProperty(made, key, {
      enumerable: false,
      get: () => {
        throw new Error("touched")
      }
    })
  }
  return made
}

interface Scene {
  readonly answers: ReadonlyArray<AssistantMessage>
  readonly tools?: ReadonlyArray<unknown>
  readonly options?: Loose
  readonly trace?: Loose
  readonly before?: (agent: Agent) => void
  readonly events?: ReadonlyArray<unknown>
}

const streaming = (scene: Scene): StreamFn => {
  const answers = [...scene.answers]
  return () => {
    const stream = createAssistantMessageEventStream()
    const answer = answers.shift() ?? words("no more")
    if (scene.events !== undefined) {
      stream.push({ type: "start", partial: answer })
      for (const event of scene.events) stream.push(event as Parameters<typeof stream.push>[0])
    }
    stream.push({ type: "done", reason: "stop", message: answer })
    return stream
  }
}

const named = (event: AgentEvent): string =>
  "toolCallId" in event ? `${event.type} ${String(event.toolCallId)}` : event.type

const act = async (scene: Scene, traced: boolean) => {
  const recording = RecordingTracer.make()
  const recorder = Recorder.make({ tracer: recording.tracer, content: "all" })
  const agent = new Agent(
    {
      streamFn: streaming(scene),
      ...scene.options,
      initialState: { tools: [...(scene.tools ?? [tool("read")])], ...scene.options?.["initialState"] as Loose }
    } as AgentOptions
  )
  const host: Array<string> = []
  agent.subscribe((event) => {
    if (event.type !== "message_update") host.push(named(event))
  })
  if (traced) traceAgent(agent, { recorder, ...scene.trace })
  scene.before?.(agent)
  for (const words of ["go", "and?"]) {
    try {
      await agent.prompt(words)
    } catch (error) {
      host.push(`threw ${String(error)}`)
    }
    host.push(`error ${String(agent.state.errorMessage)}`)
  }
  const results = agent.state.messages.flatMap((one: AgentMessage) => {
    try {
      return one.role === "toolResult" ? [`${String(one.toolCallId)} ${one.isError}`] : []
    } catch {
      return ["unreadable"]
    }
  })
  return { host: [...host, ...results], counts: recorder.counts(), recording }
}

/** Both ways the same, everything ended; and what could not be read was counted. */
const same = async (make: () => Scene) => {
  const told = await act(make(), true)
  const bare = await act(make(), false)
  assert.deepStrictEqual(told.host, bare.host)
  assert.deepStrictEqual([...told.recording.complaints, ...told.recording.open()], [])
  return told
}

const round = (...blocks: ReadonlyArray<unknown>) => [message(blocks), words("ok")]

const unread: Readonly<Record<string, () => Scene>> = {
  "a message that cannot be read": () => ({
    answers: round(read()),
    options: {
      initialState: {
        messages: [unreadable({ role: "toolResult", content: [], isError: false }, "toolCallId")]
      }
    }
  }),
  "a block that cannot be read whole": () => ({ answers: round(unreadable(read(), "argumentsError")) }),
  "an answer whose use of tokens cannot be read": () => ({
    answers: [message([read()], { usage: untouchable() }), words("ok")]
  }),
  "an answer whose model cannot be read": () => ({
    answers: [unreadable(message([read()]), "responseModel", "responseId"), words("ok")]
  }),
  "a model that cannot be read": () => ({
    answers: round(read()),
    options: { initialState: { model: unreadable({ api: "x" }, "id", "provider") } }
  }),
  "a partial result that cannot be read": () => ({
    answers: round(read()),
    tools: [tool("read", (_, __, ___, onUpdate) => {
      onUpdate?.(untouchable() as never)
      onUpdate?.(undefined as never)
      return Promise.resolve({ content: [], details: {} })
    })]
  }),
  "an app that cannot say what needs approval": () => ({
    answers: round(read()),
    trace: {
      needsApproval: () => {
        throw new Error("the app's own mistake")
      }
    }
  }),
  "a list of tools for approval that is none": () => ({ answers: round(read()), trace: { needsApproval: 5 } }),
  "a conversation that cannot be told": () => ({
    answers: round(read()),
    before: (agent) =>
      Object.defineProperty(agent, "sessionId", {
        get: () => {
          const { stack } = new Error()
          if (stack?.includes("PiTelling") === true) throw new Error("touched")
          return undefined
        }
      })
  })
}

const strange: Readonly<Record<string, () => Scene>> = {
  "an answer without content": () => ({ answers: [message(null), words("ok")] }),
  "an answer whose content is no list": () => ({ answers: [message("words"), words("ok")] }),
  "blocks that are none": () => ({ answers: round(null, 5, undefined, read()) }),
  "a block that throws": () => ({ answers: round(untouchable(), read()) }),
  "ids that are no text": () => ({
    answers: round(...[5, 6n, null, undefined, {}, Symbol("id"), ""].map((id) => ({ ...read(), id })))
  }),
  "names that are no text": () => ({
    answers: round(...[5, null, undefined, {}].map((name, at) => ({ ...read(`id${at}`), name })))
  }),
  "arguments that throw, are frozen or go round": () => {
    const round_: Loose = { path: "x" }
    round_["self"] = round_
    return {
      answers: round(
        { ...read("a"), arguments: untouchable() },
        Object.freeze({ ...read("b"), arguments: Object.freeze({ path: "x" }) }),
        { ...read("c"), arguments: round_ },
        { ...read("d"), arguments: null }
      )
    }
  },
  "an answer of no known end": () => ({
    answers: [message([read()], { stopReason: 5, usage: null }), words("ok")]
  }),
  "streamed events that are none": () => ({
    answers: round(read()),
    events: [
      { type: "toolcall_delta", contentIndex: null, delta: null },
      { type: "toolcall_start" },
      { type: "toolcall_delta", delta: 5 },
      unreadable({ type: "toolcall_start" }, "contentIndex"),
      unreadable({ type: "toolcall_delta", contentIndex: undefined }, "delta")
    ]
  }),
  "tools that are frozen, and tools of a class with private fields": () => {
    class Reader {
      #name: string
      #seen = 0
      parameters = { type: "object" }
      label = "reads"
      constructor(name: string) {
        this.#name = name
      }
      get name() {
        return this.#name
      }
      get description() {
        return `Reads ${this.#seen}.`
      }
      prepareArguments(given: unknown) {
        this.#seen++
        return given
      }
      execute() {
        return Promise.resolve({ content: [{ type: "text", text: String(this.#seen) }], details: {} })
      }
    }
    return {
      answers: round(read("a"), { ...read("b"), name: "peek" }),
      tools: [Object.freeze(tool("read")), new Reader("peek")]
    }
  },
  "tools that are none": () => ({
    answers: round(read()),
    options: {
      prepareRequest: ({ context }: { context: object }) => ({
        context: { ...context, tools: [null, 5, tool("read")] }
      })
    }
  }),
  "tools that give nothing, numbers and what throws": () => ({
    answers: round(
      ...["a", "b", "c", "d", "e", "f", "g"].map((name) => ({ ...call(name, { path: "x" }, { id: name }) }))
    ),
    tools: [
      tool("a", () => Promise.resolve(undefined as never)),
      tool("b", () => Promise.resolve(5 as never)),
      tool("c", () => Promise.resolve(untouchable() as never)),
      tool("d", (() => ({ content: null })) as never),
      tool("e", () => {
        throw undefined
      }),
      tool("f", () => Promise.reject(untouchable())),
      tool("g", () => Promise.reject(unreadable(new Error(), "name", "message", "_tag")))
    ]
  }),
  "hooks that answer with anything": () => {
    const answers: Array<unknown> = [
      5,
      untouchable(),
      Object.freeze({ block: false }),
      { block: 1, reason: {} },
      unreadable({ block: true }, "reason")
    ]
    return {
      answers: round(...answers.map((_, at) => read(`id${at}`))),
      options: { beforeToolCall: () => Promise.resolve(answers.shift()) }
    }
  },
  "a hook that throws at once": () => ({
    answers: round(read()),
    options: {
      beforeToolCall: () => {
        throw new Error("the app's own")
      }
    }
  }),
  "prepared requests that are none, or objects of a class": () => {
    class Update {
      readonly #context: object
      constructor(context: object) {
        this.#context = context
      }
      get context() {
        return this.#context
      }
      get thinkingLevel() {
        return "low"
      }
    }
    const make = [
      () => 5,
      () => null,
      ({ context }: { context: object }) => new Update(context),
      () => ({ context: null }),
      () => unreadable({}, "model")
    ]
    return {
      answers: round(read()),
      options: { prepareRequest: (request: { context: object }) => Promise.resolve(make.shift()?.(request)) }
    }
  },
  "lists of tools that are frozen, sealed or partly fixed": () => {
    const lists = [
      Object.freeze([tool("read"), tool("other")]),
      Object.seal([tool("read")]),
      Object.defineProperty([tool("read")], 0, { configurable: false, writable: false })
    ]
    return {
      answers: [message([read("a")]), message([read("b")]), message([read("c")]), words("ok")],
      options: {
        prepareRequest: ({ context }: { context: object }) => ({ context: { ...context, tools: lists.shift() } })
      }
    }
  },
  "a tool that a hook wraps anew around what it sees of it": () => {
    const own = tool("read")
    return {
      answers: [message([read("a")]), message([read("b")]), message([read("c")]), words("ok")],
      tools: [own],
      options: {
        beforeToolCall: ({ context }: { context: { tools: Array<typeof own> } }) => {
          const seen = context.tools[0]!.execute
          own.execute = (...args) => seen(...args)
          return Promise.resolve(undefined)
        }
      }
    }
  },
  "a context whose tools are no list": () => ({
    answers: round(read()),
    options: { prepareRequest: ({ context }: { context: object }) => ({ context: { ...context, tools: 5 } }) }
  })
}

describe("what pi is given", () => {
  for (const [name, scene] of Object.entries(unread)) {
    it(`is counted where the telling cannot read it, and the agent goes on: ${name}`, async () => {
      const { counts, host } = await same(scene)
      assert.deepStrictEqual(Object.keys(counts.refused), ["internal_error"])
      assert.isAbove(counts.refused.internal_error ?? 0, 0)
      assert.include(host, "error undefined")
      assert.isAbove(counts.turns, 0)
    })
  }

  for (const [name, scene] of Object.entries(strange)) {
    it(`makes the same of the agent with the telling on and off: ${name}`, async () => {
      await same(scene)
    })
  }

  it("is refused at once where there is no recorder, and the agent is told by the next one that has one", async () => {
    const agent = new Agent({ streamFn: streaming({ answers: round(read()) }) })
    assert.throws(() => traceAgent(agent, {} as never), TypeError)
    const recorder = Recorder.make({ tracer: RecordingTracer.make().tracer })
    traceAgent(agent, { recorder })
    await agent.prompt("go")
    assert.strictEqual(agent.state.errorMessage, undefined)
    assert.strictEqual(recorder.counts().turns, 2)
  })

  it("is read under the recorder's guard, which any adapter may use", () => {
    const recorder = Recorder.make({ tracer: RecordingTracer.make().tracer })
    assert.strictEqual(recorder.guarded(() => 1), 1)
    const refused = recorder.guarded(() => Reflect.get(untouchable(), "id"))
    assert.isTrue(Recorder.isRefusal(refused))
    assert.deepStrictEqual(recorder.counts().refused, { internal_error: 1 })
  })

  it("makes the same of the agent, whatever it is", async () => {
    const anything = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, maxDepth: 2 })
    const block = fc.oneof(
      anything,
      fc.record({
        type: fc.constant("toolCall"),
        id: anything,
        name: fc.oneof(fc.constant("read"), anything),
        arguments: anything
      }),
      fc.record({
        type: fc.constant("toolCall"),
        id: fc.constantFrom("a", "b", ""),
        name: fc.constant("read"),
        arguments: fc.constant({ path: "x" })
      })
    )
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 4 }), anything, anything, async (blocks, result, answer) => {
        await same(() => ({
          answers: round(...structuredClone(blocks)),
          tools: [tool("read", () => Promise.resolve(result as never))],
          options: { beforeToolCall: () => Promise.resolve(answer) }
        }))
      }),
      { numRuns: 200 }
    )
  })
})
