/** What the command needs of the machine it runs on. Imports nothing, so that it can be checked before anything loads. */

/** The versions that were found; `effect` is absent when it is not installed. */
export interface Versions {
  readonly node: string
  readonly effect: string | undefined
}

const atLeast = (version: string, major: number, minor: number): boolean => {
  const [foundMajor = 0, foundMinor = 0] = version.split(".").map((part) => Number.parseInt(part, 10))
  return foundMajor > major || (foundMajor === major && foundMinor >= minor)
}

/** What is missing, and what to do about it; `undefined` when nothing is. */
export const missingRequirement = ({ effect, node }: Versions): string | undefined => {
  if (!atLeast(node, 22, 15)) {
    return `toolspan needs Node 22.15 or newer, this is Node ${node}. Install a newer Node and try again.`
  }
  if (effect === undefined) {
    return "toolspan needs the package effect beside it, and there is none. Install it: npm install effect@4.1.0"
  }
  if (!atLeast(effect, 4, 1)) {
    return `The toolspan command needs effect 4.1 or newer, this project has ${effect}. Your app can stay as it is: `
      + "it is traced with this version too. Run the command from elsewhere: "
      + "npx --package toolspan --package effect@4.1.0 toolspan"
  }
  return undefined
}
