/**
 * Property tests draw as many items as they say: left alone, fast-check stops a list of at most 60 at its tenth item.
 *
 * Loaded before each test file (`setupFiles` of vitest.config.ts).
 */
import * as fc from "fast-check"

fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })
