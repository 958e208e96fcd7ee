import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>>; readonly resolved?: string }>
  >
}

describe("package locks", () => {
  for (const folder of ["", "test/older", "test/bench/peer"]) {
    const { packages }: Lock = JSON.parse(fs.readFileSync(path.join(root, folder, "package-lock.json"), "utf8"))

    // `npm install` leaves out packages of other platforms that its registry lacks, and `npm ci` then refuses the lock.
    it(`of ${folder || "the project"} names the packages of every platform`, () => {
      const missing = Object.entries(packages).flatMap(([place, each]) =>
        Object.keys(each.optionalDependencies ?? {}).filter((name) =>
          packages[`node_modules/${name}`] === undefined && packages[`${place}/node_modules/${name}`] === undefined
        )
      )
      assert.isAbove(Object.keys(packages).length, 10)
      assert.deepStrictEqual(missing, [])
    })

    it(`of ${folder || "the project"} has one copy of each package of OpenTelemetry`, () => {
      const names = Object.keys(packages).flatMap((place) => /@opentelemetry\/[^/]+$/.exec(place) ?? [])
      assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
    })

    it(`of ${folder || "the project"} names no registry`, () => {
      assert.deepStrictEqual(Object.keys(packages).filter((place) => packages[place]?.resolved !== undefined), [])
    })
  }
})
