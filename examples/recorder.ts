// Any agent loop, told to toolspan: a model that asks for a tool once and then answers. Run by test/recorder.
import * as api from "@opentelemetry/api"
import * as Recorder from "toolspan/recorder"

const tools = { get_weather: ({ city }: { readonly city: string }) => Promise.resolve(`sunny in ${city}`) }

const askModel = (results: ReadonlyArray<string>) =>
  Promise.resolve(
    results.length > 0
      ? { calls: [], text: `It is ${results.join(", ")}.` }
      : { calls: [{ id: "call_1", name: "get_weather", arguments: { city: "Lisbon" } } as const], text: "" }
  )

/** The loop: each round is a turn, and each call of a tool goes through the recorder. */
export const agent = async (recorder: Recorder.Recorder): Promise<string> => {
  let results: Array<string> = []
  let answered: Array<string> = []
  for (;;) {
    const turn = recorder.turn({ conversation: "lunch", tools: [{ name: "get_weather" }] })
    turn.requested({ model: "some-model", provider: "some-provider" })
    for (const id of answered) turn.consumed(id)
    const { calls, text } = await askModel(results)
    for (const call of calls) turn.decided(call)
    turn.responded({ finishReasons: [calls.length > 0 ? "tool_calls" : "stop"] })
    results = await Promise.all(calls.map(async (call) => {
      const execution = turn.started(call.id)
      const run = () => tools[call.name](call.arguments)
      const value = await (Recorder.isRefusal(execution) ? run() : execution.run(run))
      if (!Recorder.isRefusal(execution)) execution.ended({ result: value })
      turn.result(call.id)
      return value
    }))
    answered = calls.map((call) => call.id)
    turn.end()
    if (calls.length === 0) return text
  }
}

/** A recorder over the app's own OpenTelemetry. */
export const recorder = (): Recorder.Recorder => Recorder.make({ tracer: api.trace.getTracer("my-loop"), api })
