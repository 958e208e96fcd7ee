/** Answers as JSON, one object a line. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { inertJson } from "./InertText.ts"

/** Writes values of the schema as lines of JSON in which no character is left that a terminal could act on. */
export const of = <A, I>(schema: Schema.Codec<A, I>) => {
  const encode = Schema.encodeEffect(schema)
  return (values: ReadonlyArray<A>): Effect.Effect<ReadonlyArray<string>> =>
    Effect.forEach(
      values,
      (value) => Effect.map(Effect.orDie(encode(value)), (encoded) => inertJson(JSON.stringify(encoded)))
    )
}
