/** What a test sees of a run and of the runs that it calls. */
import type { RunEvent } from '@crewagent/protocol/events';
import { addUsage, NO_USAGE } from '@crewagent/protocol/model';
import { edgeKey } from '../rehearse/route.ts';

export type SeenRun = ReturnType<typeof createRunWatch>;

export function createRunWatch() {
  const path: string[] = [];
  const edges: { readonly from: string; readonly to: string; readonly label: string }[] = [];
  const calls = new Map<string, number>();
  const refusals: { readonly code: string; readonly message: string }[] = [];
  const followed = new Map<string, { workflow: string; edges: string[]; nodesCompleted: string[] }>();
  let turns = 0;
  let usage = NO_USAGE;
  let variables: Readonly<Record<string, unknown>> = {};

  return {
    /** Visited nodes of the run itself. */
    path,
    edges,
    calls,
    refusals,
    /** Those that the run started with. */
    get variables() {
      return variables;
    },
    get turns() {
      return turns;
    },
    get tokens() {
      return usage.promptTokens + usage.completionTokens;
    },
    get usage() {
      return usage;
    },
    /** By run id: what the run itself and called runs have covered. */
    followed,
    note(event: RunEvent, runId: string): void {
      const isOwn = event.runId === runId;
      switch (event.type) {
        case 'run.created':
          followed.set(event.runId, { workflow: event.workflow.ref, edges: [], nodesCompleted: [] });
          if (!isOwn) return;
          path.push(event.entryNodeId);
          ({ variables } = event);
          return;
        case 'state.changed': {
          const { from, to, label = '' } = event;
          followed.get(event.runId)?.nodesCompleted.push(...event.stepsAdded);
          if (from === to) return;
          followed.get(event.runId)?.edges.push(edgeKey({ from, to, label }));
          edges.push({ from, to, label });
          if (isOwn) path.push(to);
          return;
        }
        case 'turn.started':
          turns++;
          return;
        case 'usage.updated':
          usage = addUsage(usage, event.usage);
          return;
        case 'tool.started':
          calls.set(event.name, (calls.get(event.name) ?? 0) + 1);
          return;
        case 'transition.refused':
          refusals.push({ code: event.code ?? 'E_INVALID_TRANSITION', message: event.message });
          return;
        default:
          return;
      }
    },
  };
}
