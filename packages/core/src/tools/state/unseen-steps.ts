/**
 * Steps of nodes that the run has not reached. Tools do not show them: a model that reads ahead does the work of later
 * steps without updating the state.
 */
import type { ToolFailure } from '@crewagent/protocol/tools';
import { formatMountPath, type MountPath } from '../../mounts/mount-path.ts';
import { effectiveNode } from '../../workflow/transition.ts';
import { failure } from '../tool.ts';
import { DamagedState } from './state-file.ts';
import type { StateGate } from './state-gate.ts';

export interface UnseenSteps {
  /** Returns a check against the current state: the failure for an unseen step, or undefined. */
  load(): Promise<(path: MountPath) => ToolFailure | undefined>;
}

export interface UnseenStepsSources {
  readonly gate: StateGate;
  /** Step file of each node, as a path inside the package. */
  readonly steps: readonly { readonly nodeId: string; readonly file: string }[];
  /** Nodes the run has visited, whatever its state document says. */
  visited(): Iterable<string>;
}

export function createUnseenSteps({ gate, steps, visited }: UnseenStepsSources): UnseenSteps {
  return {
    async load() {
      const seen = new Set([...visited(), ...(await readNodes(gate))]);
      const open = new Set(steps.filter(({ nodeId }) => seen.has(nodeId)).map(({ file }) => toKey(file)));
      const closed = new Map(
        steps.map(({ nodeId, file }) => [toKey(file), nodeId] as const).filter(([key]) => !open.has(key)),
      );
      return (path) => {
        const nodeId = path.mount === '@pkg' ? closed.get(toKey(path.segments.join('/'))) : undefined;
        return nodeId === undefined ? undefined : notActive(formatMountPath(path), nodeId);
      };
    },
  };
}

/** For a thread, and for runs that allow reading ahead. */
export const NO_UNSEEN_STEPS: UnseenSteps = { load: () => Promise.resolve(() => undefined) };

/** The current node and the completed ones. */
async function readNodes(gate: StateGate): Promise<readonly string[]> {
  try {
    const { state } = await gate.read();
    return [effectiveNode(state, gate.graph), ...state.stepsCompleted];
  } catch (error) {
    if (error instanceof DamagedState) return [];
    throw error;
  }
}

/** File systems may ignore case and Unicode normalization, so a file can have several spellings. */
function toKey(path: string): string {
  return path
    .replace(/^(?:\.\/+)+/, '')
    .normalize('NFC')
    .toLowerCase();
}

function notActive(path: string, nodeId: string): ToolFailure {
  return failure(
    'E_STEP_NOT_ACTIVE',
    `"${path}" is the step of "${nodeId}", which the run has not reached. Complete the current node and move on; you receive the step then. What you write for it before that does not count.`,
    { nodeId },
  );
}
