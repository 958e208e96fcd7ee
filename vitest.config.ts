import { defineConfig } from "vitest/config"

const report = process.env["TOOLSPAN_TEST_REPORT"]

export default defineConfig({
  test: {
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
    projects: [
      {
        test: {
          name: "toolspan",
          include: ["test/**/*.test.ts"],
          setupFiles: ["test/house/propertySize.ts"],
          exclude: [
            "**/node_modules/**",
            "test/older/**",
            "test/package/**",
            "test/backends/**",
            "test/browser/**",
            "test/runtimes/**"
          ]
        }
      },
      {
        // Imports of `effect` and `toolspan` in these files find test/older/node_modules: see scripts/prepare-tests.ts.
        test: { name: "older", include: ["test/older/**/*.test.ts"], exclude: ["**/node_modules/**"] }
      },
      {
        // Installs the tarball beside both effect lines: about 15 s, most of it npm.
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000
        }
      }
    ]
  }
})
