// The first argument names what is wrapped: the service, the layers, or every piece.
import * as Toolspan from "toolspan"
import { main } from "./coverage.mjs"
const { instrument: layer, languageModel, provider, toolkit } = Toolspan
await main(
  { service: { languageModel }, layer: { layer }, all: { layer, languageModel, provider, toolkit } }[process.argv[2]]
)
