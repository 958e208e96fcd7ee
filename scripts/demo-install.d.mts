/** The project's folder. */
export const root: string
/** The demo's folder. */
export const demo: string
/** The Node of the project's own devDependencies. */
export const node: string
/** The environment in which that Node comes first. */
export const environment: () => Readonly<Record<string, string | undefined>>
/** Installs the project's own packages and builds it. `say` is told each step; throws what a failed command said. */
export const installProject: (say: (step: string) => void) => void
/** Installs the demo's packages, and beside them the build as a packed package. Like `installProject` otherwise. */
export const installDemo: (say: (step: string) => void) => void
