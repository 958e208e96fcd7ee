import * as MemoryStore from "../../src/store/MemoryStore.ts"
import { conformance } from "./conformance.ts"

conformance("memory", MemoryStore.layer)
