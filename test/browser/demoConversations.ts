/** What the demo's assistant is asked in an afternoon: its own story, and others that end less well. */
import { script as lunch } from "../../examples/demo/script.ts"
import { text, toolCall } from "../../examples/replay/answer.ts"
import type { Step } from "../../examples/replay/script.ts"

/** One run of the assistant. */
export interface Conversation {
  readonly script: ReadonlyArray<Step>
  /** The human closes the program instead of answering. */
  readonly leaves?: boolean
}

const goodbye: Step = { parts: [text("Is there anything else?")] }

/** The call of which the second picture tells. */
export const pictured = "toolu_email_m4tz"

export const conversations: ReadonlyArray<Conversation> = [
  {
    script: [
      {
        parts: [
          toolCall("toolu_weather_p0rt", "get_weather", { city: "Porto", day: "Friday" }),
          toolCall("toolu_weather_b8ga", "get_weather", { city: "Braga", day: "Friday" }),
          toolCall("toolu_calendar_91xw", "read_calendar", { day: "Friday" })
        ]
      },
      goodbye
    ]
  },
  {
    script: [
      { parts: [toolCall("toolu_calendar_c33d", "read_calendar", { day: "Monday" })] },
      // A tool that the assistant does not have: the turn fails, and with it the program.
      { parts: [toolCall("toolu_move_5kq1", "move_appointment", { from: "Monday 10:00", to: "Monday 15:00" })] }
    ]
  },
  // No day: the same.
  { script: [{ parts: [toolCall("toolu_weather_zz7r", "get_weather", { city: "Faro" })] }] },
  {
    script: [
      {
        parts: [
          toolCall("toolu_email_u71n", "send_email", {
            to: "grace@example.com",
            subject: "Slides",
            body: "Hello Grace, here are the slides of today."
          })
        ]
      }
    ],
    leaves: true
  },
  { script: lunch }
]
