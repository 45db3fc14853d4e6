/**
 * Whether the calls between the workflows of a package can end: no circle, and no deeper than the runtime goes. Pure.
 */
import { MAX_CALL_DEPTH } from '@crewagent/protocol/call-depth';
import { components } from '../../workflow/graph.ts';
import type { Findings } from '../findings/findings.ts';
import { locate } from '../findings/schema-findings.ts';
import { describeCycle } from './package-rules.ts';
import type { LoadedWorkflow } from './read-workflows.ts';

export function checkCalls(workflows: readonly LoadedWorkflow[], findings: Findings): void {
  const calls = new Map(workflows.map((workflow) => [workflow.ref, callsOf(workflow)]));
  const depths = new Map<string, number>();
  // Callees come before their callers.
  for (const group of components(calls)) {
    const members = new Set(group);
    const inside = group.flatMap((ref) => calls.get(ref) ?? []).filter(({ to }) => members.has(to));
    const [first] = inside;
    if (first) {
      findings.add('CALL_CYCLE', {
        ...first.place,
        message: `workflows call each other in a circle: ${describeCycle(group, 'workflows')}`,
        fix: 'Remove one of these calls; a loop belongs into the edges of one graph.',
      });
      continue;
    }
    const [ref = ''] = group;
    const below = (calls.get(ref) ?? []).map((call) => ({ call, depth: (depths.get(call.to) ?? 0) + 1 }));
    const deepest = below.reduce((found, one) => (one.depth > found.depth ? one : found), NO_CALL);
    depths.set(ref, deepest.depth);
    // Callers of this workflow are deeper still; the first one that is too deep is the one to report.
    if (deepest.depth === MAX_CALL_DEPTH + 1 && deepest.call)
      findings.add('CALL_TOO_DEEP', {
        ...deepest.call.place,
        message: `calls are nested ${deepest.depth} levels deep from here; the runtime allows ${MAX_CALL_DEPTH}`,
        fix: 'Call fewer workflows from within workflows.',
      });
  }
}

interface Call {
  readonly to: string;
  readonly place: ReturnType<typeof locate>;
}

const NO_CALL: { readonly call: Call | undefined; readonly depth: number } = { call: undefined, depth: 0 };

function callsOf({ nodes, steps }: LoadedWorkflow): Call[] {
  return [...nodes.values()].flatMap(({ id, subworkflow }) => {
    const step = steps.get(id);
    return subworkflow === undefined || !step
      ? []
      : [{ to: subworkflow, place: locate(step, ['subworkflow']) }];
  });
}
