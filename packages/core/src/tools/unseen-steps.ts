/**
 * The steps of nodes that a run has not come to. Their text reaches the model when the run gets there and not before: a model
 * that reads on would do the work of later steps while the state stays behind.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import { effectiveNode } from '../workflow/transition.ts';
import { DamagedState, type StateGate } from './state-gate.ts';
import { failure } from './tool.ts';

export interface UnseenSteps {
  /** As it is now: why a file may not be read, or undefined. */
  look(): Promise<(path: MountPath) => ToolFailure | undefined>;
}

export interface UnseenStepsSources {
  readonly gate: StateGate;
  /** The step of each node, as a path inside the package. */
  readonly steps: readonly { readonly nodeId: string; readonly file: string }[];
  /** Nodes that the run was at, whatever its document says of them. */
  visited(): Iterable<string>;
}

export function createUnseenSteps({ gate, steps, visited }: UnseenStepsSources): UnseenSteps {
  return {
    async look() {
      const seen = new Set([...visited(), ...(await findNodesIn(gate))]);
      const open = new Set(steps.filter(({ nodeId }) => seen.has(nodeId)).map(({ file }) => toKey(file)));
      const closed = new Map(
        steps.map(({ nodeId, file }) => [toKey(file), nodeId] as const).filter(([key]) => !open.has(key)),
      );
      return (path) => {
        const nodeId = path.mount === '@pkg' ? closed.get(toKey(path.segments.join('/'))) : undefined;
        return nodeId === undefined ? undefined : refuse(formatMountPath(path), nodeId);
      };
    },
  };
}

/** For a talk, and where reading ahead is allowed. */
export const NO_UNSEEN_STEPS: UnseenSteps = { look: () => Promise.resolve(() => undefined) };

/** Where the run is, and what it left. */
async function findNodesIn(gate: StateGate): Promise<readonly string[]> {
  try {
    const { state } = await gate.read();
    return [effectiveNode(state, gate.graph), ...state.stepsCompleted];
  } catch (error) {
    if (error instanceof DamagedState) return [];
    throw error;
  }
}

/** One file has several spellings on disks that do not tell case or composed letters apart. */
function toKey(path: string): string {
  return path
    .replace(/^(?:\.\/+)+/, '')
    .normalize('NFC')
    .toLowerCase();
}

function refuse(path: string, nodeId: string): ToolFailure {
  return failure(
    'E_STEP_NOT_ACTIVE',
    `"${path}" is the step of "${nodeId}", which the run has not come to. Finish this node and move on; its step comes to you then.`,
    { nodeId },
  );
}
