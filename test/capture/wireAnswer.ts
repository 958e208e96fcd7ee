import * as FastCheck from "fast-check"

// One response in no provider's words, and how each wire writes it, whole or in fragments.

/** A call of a response. */
export interface AnsweredCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  /** Where the text of the arguments is cut. */
  readonly cuts: ReadonlyArray<number>
}

export interface WireAnswer {
  readonly id: string
  readonly model: string
  readonly calls: ReadonlyArray<AnsweredCall>
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly reasoning: number
  /** The order in which fragments of different calls come, as numbers to choose by. */
  readonly order: ReadonlyArray<number>
}

const id = FastCheck.string({ minLength: 1, maxLength: 12 })

const call = FastCheck.record({
  id,
  name: FastCheck.constantFrom("lookup", "add_note", "ping"),
  input: FastCheck.dictionary(
    FastCheck.string({ maxLength: 8 }),
    FastCheck.jsonValue(),
    { maxKeys: 4 }
    // As it comes from a wire: JSON has no -0.
  ).filter((input) => !/__proto__|constructor/.test(JSON.stringify(input))).map((
    input
  ): Readonly<Record<string, unknown>> => JSON.parse(JSON.stringify(input))),
  cuts: FastCheck.array(FastCheck.nat(60), { maxLength: 8 })
})

export const wireAnswer: FastCheck.Arbitrary<WireAnswer> = FastCheck.record({
  id,
  model: FastCheck.constantFrom("claude-x", "gpt-x"),
  calls: FastCheck.uniqueArray(call, { maxLength: 5, selector: (one) => one.id }),
  input: FastCheck.nat(10_000),
  cached: FastCheck.nat(10_000),
  output: FastCheck.nat(10_000),
  reasoning: FastCheck.nat(10_000),
  order: FastCheck.array(FastCheck.nat(1_000), { maxLength: 40 })
})

/** The text of a call's arguments in fragments, empty ones among them. */
export const fragmentsOf = ({ cuts, input }: AnsweredCall): ReadonlyArray<string> => {
  const text = JSON.stringify(input)
  const places = [0, ...cuts.map((cut) => Math.min(cut, text.length)), text.length].sort((one, two) => one - two)
  return places.slice(1).map((place, index) => text.slice(places[index], place))
}

/** Merges lists into one, each in its own order. */
export const interleave = <A>(
  lists: ReadonlyArray<ReadonlyArray<A>>,
  order: ReadonlyArray<number>
): ReadonlyArray<A> => {
  const open = lists.map((list) => [...list]).filter((list) => list.length > 0)
  const merged: Array<A> = []
  for (let turn = 0; open.length > 0; turn++) {
    const chosen = (order[turn % Math.max(order.length, 1)] ?? 0) % open.length
    const list = open[chosen]!
    merged.push(list.shift()!)
    if (list.length === 0) open.splice(chosen, 1)
  }
  return merged
}

/** One wire: an answer as a body and as the events of a stream. */
export interface Encoding {
  readonly body: (answer: WireAnswer) => unknown
  readonly events: (answer: WireAnswer) => ReadonlyArray<unknown>
}

const anthropicUsage = ({ cached, input, output }: WireAnswer) => ({
  input_tokens: input,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: null,
  output_tokens: output
})

export const anthropic: Encoding = {
  body: (answer) => ({
    id: answer.id,
    model: answer.model,
    stop_reason: "tool_use",
    usage: anthropicUsage(answer),
    content: answer.calls.map(({ id, input, name }) => ({ type: "tool_use", id, name, input }))
  }),
  events: (answer) => [
    {
      type: "message_start",
      message: {
        id: answer.id,
        model: answer.model,
        content: [],
        stop_reason: null,
        usage: { ...anthropicUsage(answer), output_tokens: 1 }
      }
    },
    // One block after the other: this wire never mixes them.
    ...answer.calls.flatMap((call, index) => [
      {
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: call.id, name: call.name, input: {} }
      },
      ...fragmentsOf(call).map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json }
      })),
      { type: "content_block_stop", index }
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: "tool_use" },
      usage: { input_tokens: null, cache_read_input_tokens: null, output_tokens: answer.output }
    },
    { type: "message_stop" }
  ]
}

const completionUsage = ({ cached, input, output, reasoning }: WireAnswer) => ({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning }
})

const chunk = (answer: WireAnswer, delta: unknown, finish_reason: string | null = null) => ({
  id: answer.id,
  model: answer.model,
  choices: [{ index: 0, delta, finish_reason }]
})

export const completions: Encoding = {
  body: (answer) => ({
    id: answer.id,
    model: answer.model,
    choices: [{
      index: 0,
      finish_reason: "tool_calls",
      message: {
        content: null,
        tool_calls: answer.calls.map(({ id, input, name }) => ({
          id,
          type: "function",
          function: { name, arguments: JSON.stringify(input) }
        }))
      }
    }],
    usage: completionUsage(answer)
  }),
  events: (answer) => {
    const starts = answer.calls.map(({ id, name }, index) =>
      chunk(answer, { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] })
    )
    const rest = answer.calls.map((call, index) =>
      fragmentsOf(call).map((text, nth) =>
        chunk(answer, {
          tool_calls: [{
            index,
            // Continuations repeat the id, leave it out, or carry a null or empty name.
            ...(nth % 3 === 0 ? { id: call.id } : undefined),
            function: {
              ...(nth % 3 === 1 ? { name: null } : nth % 3 === 2 ? { name: "" } : undefined),
              arguments: text
            }
          }]
        })
      )
    )
    return [
      ...starts,
      ...interleave(rest, answer.order),
      chunk(answer, {}, "tool_calls"),
      { id: answer.id, model: answer.model, choices: [], usage: completionUsage(answer) },
      "[DONE]"
    ]
  }
}

const responsesUsage = ({ cached, input, output, reasoning }: WireAnswer) => ({
  input_tokens: input,
  output_tokens: output,
  input_tokens_details: { cached_tokens: cached },
  output_tokens_details: { reasoning_tokens: reasoning }
})

const item = ({ id, input, name }: AnsweredCall) => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: JSON.stringify(input)
})

export const responses: Encoding = {
  body: (answer) => ({
    id: answer.id,
    model: answer.model,
    output: answer.calls.map(item),
    usage: responsesUsage(answer)
  }),
  events: (answer) => [
    { type: "response.created", response: { id: answer.id, model: answer.model, output: [], usage: null } },
    ...answer.calls.map((call, output_index) => ({
      type: "response.output_item.added",
      output_index,
      item: { ...item(call), arguments: "" }
    })),
    ...interleave(
      answer.calls.map((call, output_index) => [
        ...fragmentsOf(call).map((delta) => ({ type: "response.function_call_arguments.delta", output_index, delta })),
        {
          type: "response.function_call_arguments.done",
          output_index,
          item_id: `fc_${call.id}`,
          arguments: JSON.stringify(call.input)
        },
        { type: "response.output_item.done", output_index, item: item(call) }
      ]),
      answer.order
    ),
    {
      type: "response.completed",
      response: { id: answer.id, model: answer.model, output: answer.calls.map(item), usage: responsesUsage(answer) }
    }
  ]
}
