import { defineConfig } from "vitest/config"

const report = process.env["TOOLSPAN_TEST_REPORT"]

// The real programs, built by scripts/programs.ts: minutes when nothing is built yet.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // One after the other: programs are built once, and the figures of faults and load are of one program.
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 1_800_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
