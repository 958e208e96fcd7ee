import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/unstable/ai"

const ReadCalendar = Tool.make("read_calendar", {
  description: "The appointments of one day.",
  parameters: Schema.Struct({ day: Schema.String }),
  success: Schema.Array(Schema.Struct({ from: Schema.String, to: Schema.String, title: Schema.String }))
})

const GetWeather = Tool.make("get_weather", {
  description: "The weather forecast for a city on one day.",
  parameters: Schema.Struct({ city: Schema.String, day: Schema.String }),
  success: Schema.Struct({ sky: Schema.String, celsius: Schema.Number })
})

const SendEmail = Tool.make("send_email", {
  description: "Sends an e-mail. A human has to approve it first.",
  parameters: Schema.Struct({ to: Schema.String, subject: Schema.String, body: Schema.String }),
  success: Schema.Struct({ messageId: Schema.String }),
  needsApproval: true
})

export const Assistant = Toolkit.make(ReadCalendar, GetWeather, SendEmail)

// Each handler takes about as long as a quick service of its kind, and has spans of its own as any app has.
export const AssistantLive = Assistant.toLayer({
  read_calendar: Effect.fn(function*({ day }) {
    yield* Effect.sleep("60 millis").pipe(Effect.withSpan("calendar.query", { attributes: { "calendar.day": day } }))
    return [
      { from: "09:00", to: "10:30", title: "Planning" },
      { from: "14:00", to: "15:00", title: "Review" }
    ]
  }),
  get_weather: Effect.fn(function*() {
    yield* Effect.sleep("15 millis").pipe(Effect.withSpan("weather.locate"))
    yield* Effect.sleep("80 millis").pipe(Effect.withSpan("weather.forecast"))
    return { sky: "sunny", celsius: 21 }
  }),
  send_email: Effect.fn(function*() {
    yield* Effect.sleep("120 millis").pipe(Effect.withSpan("smtp.deliver"))
    return { messageId: "<lunch-1@mail.example>" }
  })
})
