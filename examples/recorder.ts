// Any agent loop, told to toolspan: a model that asks for a tool once and then answers. Run by test/recorder.
import * as api from "@opentelemetry/api"
import { isRefusal, make, type Recorder } from "toolspan/recorder"

export const recorder = (): Recorder => make({ tracer: api.trace.getTracer("my-loop"), api })
export const tools = { get_weather: ({ city }: { readonly city: string }) => Promise.resolve(`sunny in ${city}`) }
const call = { id: "call_1", name: "get_weather", arguments: { city: "Lisbon" } } as const
const askModel = async (results: ReadonlyArray<string>) =>
  results.length > 0 ? { calls: [], text: `It is ${results.join(", ")}.` } : { calls: [call], text: "" }

/** The loop: each round is a turn, and each call of a tool goes through the recorder. */
export const agent = async (recorder: Recorder): Promise<string> => {
  let [results, answered]: [ReadonlyArray<string>, ReadonlyArray<string>] = [[], []]
  for (;;) {
    const turn = recorder.turn({ conversation: "lunch", tools: [{ name: "get_weather" }] })
    let error: unknown
    try {
      turn.requested({ model: "some-model", provider: "some-provider" })
      for (const id of answered) turn.consumed(id)
      const { calls, text } = await askModel(results)
      for (const call of calls) turn.decided(call)
      turn.responded({ finishReasons: [calls.length > 0 ? "tool_calls" : "stop"] })
      if (calls.length === 0) return text
      results = await Promise.all(calls.map(async (call) => {
        const execution = turn.started(call.id)
        const tool = async () => tools[call.name](call.arguments)
        const ended = await (isRefusal(execution) ? tool() : execution.run(tool))
          .then((result) => ({ result }), (error: unknown) => ({ error, result: "not known" }))
        if (!isRefusal(execution)) execution.ended(ended)
        turn.result(call.id)
        return ended.result
      }))
      answered = calls.map(({ id }) => id)
    } catch (thrown) {
      throw error = thrown
    } finally {
      turn.end({ error })
    }
  }
}
