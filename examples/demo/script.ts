import { text, toolCall } from "../replay/answer.ts"
import type { Step } from "../replay/script.ts"

/** What the model says when it is a replay: one step a turn. */
export const script: ReadonlyArray<Step> = [
  {
    id: "msg_lunch_1",
    parts: [
      text("I look at your calendar and at the weather."),
      toolCall("toolu_calendar_7fq2", "read_calendar", { day: "Thursday" }),
      toolCall("toolu_weather_x93k", "get_weather", { city: "Lisbon", day: "Thursday" })
    ],
    usage: { input: 612, output: 118 }
  },
  {
    id: "msg_lunch_2",
    parts: [
      text("You are free from 10:30 to 14:00 and it will be sunny. I would send this invitation."),
      toolCall("toolu_email_m4tz", "send_email", {
        to: "ada@example.com",
        subject: "Lunch in the park on Thursday?",
        body: "Hello Ada, shall we have lunch in the park on Thursday at 12:30? It will be sunny, 21 degrees."
      })
    ],
    usage: { input: 794, output: 131 }
  },
  {
    id: "msg_lunch_3",
    parts: [text("The invitation is on its way: Thursday, 12:30, in the park.")],
    usage: { input: 958, output: 24 }
  }
]
