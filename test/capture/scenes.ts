/** Whatever can happen to a tool call, as small apps; every value that must not be told holds the canary. */
import { approvalScenes } from "./approvalScenes.ts"
import { endingScenes } from "./endingScenes.ts"
import { handlerScenes } from "./handlerScenes.ts"
import { historyScenes } from "./historyScenes.ts"
import type { Scene } from "./scene.ts"
import { surroundingScenes } from "./surroundingScenes.ts"
import type { Mode } from "./World.ts"
import { modes } from "./World.ts"

/** All of them. */
export const scenes: ReadonlyArray<Scene> = [
  ...handlerScenes,
  ...endingScenes,
  ...historyScenes,
  ...approvalScenes,
  ...surroundingScenes
]

/** Each scene in each of its modes. */
export const performances: ReadonlyArray<{ readonly scene: Scene; readonly mode: Mode; readonly title: string }> =
  scenes
    .flatMap((scene) => (scene.modes ?? modes).map((mode) => ({ scene, mode, title: `${scene.name}: ${mode}` })))
