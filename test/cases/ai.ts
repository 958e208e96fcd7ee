/** Effect's AI modules of the line that this process runs on: `effect/ai`, or `effect/unstable/ai` before it. */
type Ai = typeof import("effect/ai")

const load = async (name: string): Promise<Ai> => await import(name)

export const ai: Ai = await load("effect/ai").catch(() => load("effect/unstable/ai"))
