// Two copies of effect: a library in `other` brings its own.
import "toolspan/auto"
const { main } = await import(`./${process.argv[2]}/coverage.mjs`)
await main()
