/**
 * One rehearsed run: the rehearsal in place of a model, guided along a route. Reports the events of the run.
 */

import type { EventOf, RunEvent } from '@crewagent/protocol/events';
import type { RunPhase } from '@crewagent/protocol/run';
import { effectOf, failureOf, isChange } from '@crewagent/protocol/tool-effects';
import type { ToolEffect } from '@crewagent/protocol/tools';
import type { GraphEdge } from '@crewagent/protocol/workflow';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { type DriveDeps, driveRun } from './drive-run.ts';
import { createRehearsal } from './models/rehearsal.ts';
import { createPerson, type MenuChoice, type PersonOptions } from './person.ts';
import { edgeKey, type Route } from './route.ts';

export type RehearsalDeps = DriveDeps & Pick<PersonOptions, 'chosen' | 'answers'>;

export interface RehearsedRun {
  /** Visited node ids in order. */
  readonly path: readonly string[];
  readonly phase: RunPhase;
  /** Why it did not complete. */
  readonly reason?: RunWarning;
  readonly turns: number;
  readonly warnings: readonly RunWarning[];
  /** Options chosen from letter menus, in order. */
  readonly choices: readonly MenuChoice[];
  /** Written files, relative to the project. */
  readonly files: readonly string[];
}

export type WalkedRun = Awaited<ReturnType<typeof rehearseRun>>;

export async function rehearseRun(entry: string, route: Route, deps: RehearsalDeps) {
  const walk = createWalk(route);
  const choices: MenuChoice[] = [];
  const called = new Map<string, CalledWalk>();
  const { stop, turns, stepsCompleted, files, evidence } = await driveRun(deps, {
    respond: createPerson({
      chosen: deps.chosen,
      answers: deps.answers,
      onChoice: (choice) => choices.push(choice),
    }),
    createModel: (runId) => createGuidedModel(runId, walk),
    note(event, runId) {
      recordCalled(called, event);
      if (event.runId === runId) walk.note(event);
    },
    get isOver() {
      return walk.deviation() !== undefined;
    },
  });
  const reason = walk.deviation() ?? stop.reason;
  return {
    run: {
      path: [entry, ...walk.visited],
      phase: stop.phase,
      reason,
      turns,
      warnings: walk.warnings(),
      choices,
      files,
    },
    /** Edges that the state document followed, by key. */
    edges: walk.edges,
    nodesCompleted: stepsCompleted,
    /** Coverage of the sub-workflows that it called. */
    called: [...called.values()],
    evidence,
  };
}

/** Guides the run along its route; called runs are not guided. */
function createGuidedModel(runId: string, walk: Walk): LLMAdapter {
  const guided = createRehearsal({ choose: (nodeId, edges) => walk.choose(nodeId, edges) });
  const free = createRehearsal();
  return {
    ...guided,
    chat: (request, watch) => (watch.scope === runId ? guided : free).chat(request, watch),
  };
}

export interface RunWarning {
  readonly code: string;
  readonly message: string;
}

type EdgeTarget = Pick<GraphEdge, 'to' | 'label'>;

/** Coverage of a called workflow by its run. */
export interface CalledWalk {
  /** Ref of the workflow. */
  readonly workflow: string;
  readonly edges: string[];
  readonly nodesCompleted: string[];
}

/** Records the events of called runs, by run id. */
function recordCalled(walks: Map<string, CalledWalk>, event: RunEvent): void {
  if (event.type === 'run.created' && event.call)
    walks.set(event.runId, { workflow: event.workflow.ref, edges: [], nodesCompleted: [] });
  if (event.type !== 'state.changed') return;
  const walk = walks.get(event.runId);
  walk?.nodesCompleted.push(...event.stepsAdded);
  const { from, to, label = '' } = event;
  if (from !== to) walk?.edges.push(edgeKey({ from, to, label }));
}

type Walk = ReturnType<typeof createWalk>;

/** Guides a run along its route and records its events: the edges it followed, its warnings, and why it must be stopped. */
function createWalk({ edges: planned, isFinal }: Route) {
  const edges: string[] = [];
  const visited: string[] = [];
  const warnings = new Map<string, RunWarning>();
  const missing = new Map<string, string>();
  let deviation: RunWarning | undefined;

  const recordTransition = ({ from, to, label = '' }: EventOf<'state.changed'>): void => {
    const expected = planned[edges.length];
    edges.push(edgeKey({ from, to, label }));
    visited.push(to);
    if (expected && edgeKey(expected) !== edges.at(-1)) {
      const message = `From "${from}" the run followed "${label}" to "${to}" instead of "${expected.label}" to "${expected.to}".`;
      deviation = { code: 'another-way', message };
    } else if (!isFinal && edges.length === planned.length) {
      deviation = { code: 'no-way-out', message: `No usable edge leads from "${to}" to an end.` };
    }
  };

  return {
    edges,
    visited,
    warnings: (): RunWarning[] => [...warnings.values(), ...[...missing.values()].map(toBrokenReference)],
    /** Why the run must be stopped. */
    deviation: (): RunWarning | undefined => deviation,
    /** The label or target of the next edge of the route. */
    choose(nodeId: string, candidates: readonly EdgeTarget[]): string | undefined {
      const next = planned[edges.length];
      return next?.from === nodeId ? nameOf(next, candidates) : undefined;
    },
    note(event: RunEvent): void {
      if (event.type === 'state.changed' && event.from !== event.to) recordTransition(event);
      if (event.type === 'tool.ended') recordRead(effectOf(event), event, missing);
      const warning = toWarning(event);
      if (warning) warnings.set(JSON.stringify(warning), warning);
    },
  };
}

/** The rehearsal matches labels first, so a label that several edges have is ambiguous. */
function nameOf({ label, to }: EdgeTarget, candidates: readonly EdgeTarget[]): string {
  const isSame = (edge: EdgeTarget): boolean => edge.label.toLowerCase() === label.toLowerCase();
  return candidates.filter(isSame).length === 1 ? label : to;
}

export const BROKEN_REFERENCE = 'broken-reference';

/** A package file may be looked up in several folders; it is missing if none of them contains it. */
function recordRead(
  { kind, path = '' }: ToolEffect,
  { outcome, code }: EventOf<'tool.ended'>,
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

/** Error codes of rejected transitions. */
const TRANSITION_ERRORS: readonly string[] = [
  'E_INVALID_TRANSITION',
  'E_OUTPUTS_MISSING',
  'E_OUTPUT_INCOMPLETE',
];

function toWarning(event: RunEvent): RunWarning | undefined {
  switch (event.type) {
    case 'warning':
      return { code: event.code ?? 'warning', message: event.message };
    case 'transition.refused':
      // Reported as a warning if the node is left anyway.
      if (event.code === 'E_OUTPUTS_MISSING') return undefined;
      // A placeholder like the one of an earlier visit; it is written again.
      if (event.checks?.every(({ kind }) => kind === 'change')) return undefined;
      return { code: 'transition-refused', message: event.message };
    case 'error':
      return { code: event.code, message: event.message };
    case 'tool.ended':
      // A rejected transition is reported above; missing inputs are normal in an empty project.
      if (
        event.outcome === 'ok' ||
        !isChange(effectOf(event)) ||
        TRANSITION_ERRORS.includes(event.code ?? '')
      )
        return undefined;
      return {
        code: event.code ?? 'TOOL_EXEC_FAILED',
        message: `${event.name}: ${failureOf(event) ?? 'it failed'}`,
      };
    default:
      return undefined;
  }
}
