// Two copies of toolspan see one effect: `second` has one of its own.
import "toolspan/auto"
await import("./second/auto-first.mjs")
