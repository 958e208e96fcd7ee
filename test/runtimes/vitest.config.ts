import { defineConfig } from "vitest/config"

const report = process.env["TOOLSPAN_TEST_REPORT"]

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    globalSetup: "./install.ts",
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
