import { defineConfig } from "vitest/config"

const report = process.env["TOOLSPAN_TEST_REPORT"]

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // Two browsers at once on two cores would measure each other.
    fileParallelism: false,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
