import { defineConfig } from "oxlint"
import { overrides } from "./scripts/arrows.ts"

const clock = "Effect programs read it from a service: Clock, Random, or src/settings."

export default defineConfig({
  plugins: ["import", "typescript", "unicorn", "oxc"],
  options: { typeAware: true },
  categories: { correctness: "error" },
  ignorePatterns: ["**/node_modules", "dist", "coverage", ".cache"],
  rules: {
    "import/no-cycle": "error",
    // Services of Effect are plain records behind a class type: spreading one is how a changed copy is made.
    "typescript/no-misused-spread": "off"
  },
  overrides: [
    {
      files: ["**/src/**"],
      rules: {
        "no-console": "error",
        "typescript/no-explicit-any": "error",
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: clock },
          { object: "Math", property: "random", message: clock },
          { object: "process", property: "env", message: clock }
        ]
      }
    },
    // The shapes of foreign modules are known to capture alone.
    { files: ["**/src/capture/**"], rules: { "typescript/no-explicit-any": "off" } },
    // These two take methods off foreign objects in order to put them back.
    { files: ["**/src/{capture,boot}/**"], rules: { "typescript/unbound-method": "off" } },
    {
      files: ["**/src/{settings,boot,cli}/**", "**/src/viewer/client/**"],
      rules: { "no-restricted-properties": "off" }
    },
    ...overrides
  ]
})
