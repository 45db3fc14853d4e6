/**
 * Keeps a rehearsed run on its route and notes what its events tell: the edges it moved along, the warnings, and why it must
 * not go on. Pure.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { effectOf, failureOf, isChange } from '@crewagent/protocol/tool-effects';
import type { ToolEffect } from '@crewagent/protocol/tools';
import type { GraphEdge } from '@crewagent/protocol/workflow';
import { edgeKey, type Route } from './route.ts';

export interface Walk {
  readonly edges: readonly string[];
  readonly visited: readonly string[];
  readonly warnings: readonly RunWarning[];
  /** Why the run must not go on, if so. */
  readonly lost: RunWarning | undefined;
  readonly isOver: boolean;
  /** What names the edge that the route takes from here. */
  wish(nodeId: string, ways: readonly Way[]): string | undefined;
  note(event: RunEvent): void;
}

export interface RunWarning {
  readonly code: string;
  readonly message: string;
}

type Way = Pick<GraphEdge, 'to' | 'label'>;

/** What the run of a sub-workflow covered of its graph. */
export interface CalledWalk {
  /** Ref of the workflow. */
  readonly workflow: string;
  readonly edges: string[];
  readonly nodesCompleted: string[];
}

/** Notes what called runs do, by the id of the run. */
export function noteCalled(walks: Map<string, CalledWalk>, event: RunEvent): void {
  if (event.type === 'run.created' && event.call)
    walks.set(event.runId, { workflow: event.workflow.ref, edges: [], nodesCompleted: [] });
  if (event.type !== 'state.changed') return;
  const walk = walks.get(event.runId);
  walk?.nodesCompleted.push(...event.stepsAdded);
  const { from, to, label = '' } = event;
  if (from !== to) walk?.edges.push(edgeKey({ from, to, label }));
}

export function createWalk({ edges: planned, isFinal }: Route): Walk {
  const edges: string[] = [];
  const visited: string[] = [];
  const warnings = new Map<string, RunWarning>();
  const missing = new Map<string, string>();
  let lost: RunWarning | undefined;

  const noteMove = ({
    from,
    to,
    label = '',
  }: {
    from: string;
    to: string;
    label?: string | undefined;
  }): void => {
    const wanted = planned[edges.length];
    edges.push(edgeKey({ from, to, label }));
    visited.push(to);
    if (wanted && edgeKey(wanted) !== edges.at(-1)) {
      const message = `From "${from}" the run took the way "${label}" to "${to}" instead of "${wanted.label}" to "${wanted.to}".`;
      lost = { code: 'another-way', message };
    } else if (!isFinal && edges.length === planned.length) {
      lost = { code: 'no-way-out', message: `No way that can be taken leads from "${to}" to an end.` };
    }
  };

  return {
    edges,
    visited,
    get warnings() {
      return [...warnings.values(), ...[...missing.values()].map(toBrokenReference)];
    },
    get lost() {
      return lost;
    },
    get isOver() {
      return lost !== undefined;
    },
    wish(nodeId, ways) {
      const next = planned[edges.length];
      return next?.from === nodeId ? nameOf(next, ways) : undefined;
    },
    note(event) {
      if (event.type === 'state.changed' && event.from !== event.to) noteMove(event);
      if (event.type === 'tool.ended') noteReading(effectOf(event), event, missing);
      const warning = toWarning(event);
      if (warning) warnings.set(JSON.stringify(warning), warning);
    },
  };
}

/** A rehearsal looks for a label first: one that several ways bear tells nothing. */
function nameOf({ label, to }: Way, ways: readonly Way[]): string {
  const isSame = (way: Way): boolean => way.label.toLowerCase() === label.toLowerCase();
  return ways.filter(isSame).length === 1 ? label : to;
}

export const BROKEN_REFERENCE = 'broken-reference';

/** A file of the package may be looked for in several folders; it is missing while none of them has it. */
function noteReading(
  { kind, path = '' }: ToolEffect,
  { outcome, code }: { readonly outcome: string; readonly code?: string | undefined },
  missing: Map<string, string>,
): void {
  if (kind !== 'read' || !path.startsWith('@pkg/')) return;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (outcome === 'ok') missing.delete(name);
  else if (code === 'ENOENT' && !missing.has(name)) missing.set(name, path);
}

function toBrokenReference(path: string): RunWarning {
  return { code: BROKEN_REFERENCE, message: `A step names "${path}", which is not in the package.` };
}

/** Refusals of a move. */
const MOVES: readonly string[] = ['E_INVALID_TRANSITION', 'E_OUTPUTS_MISSING'];

function toWarning(event: RunEvent): RunWarning | undefined {
  switch (event.type) {
    case 'warning':
      return { code: event.code ?? 'warning', message: event.message };
    case 'transition.refused':
      // Told as a warning when the node is left all the same.
      if (event.code === 'E_OUTPUTS_MISSING') return undefined;
      return { code: 'transition-refused', message: event.message };
    case 'error':
      return { code: event.code, message: event.message };
    case 'tool.ended':
      // A refused move is told above; an input that is not there is what an empty project is like.
      if (event.outcome === 'ok' || !isChange(effectOf(event)) || MOVES.includes(event.code ?? ''))
        return undefined;
      return {
        code: event.code ?? 'TOOL_EXEC_FAILED',
        message: `${event.name}: ${failureOf(event) ?? 'it failed'}`,
      };
    default:
      return undefined;
  }
}
