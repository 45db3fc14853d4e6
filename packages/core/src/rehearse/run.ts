/**
 * One rehearsed run: the rehearsal in place of a model, guided along a route. Reports the events of the run.
 */
import type { RunPhase } from '@crewagent/protocol/run';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { createRehearsal } from '../llm/rehearsal/rehearsal.ts';
import { type DriveDeps, driveRun, type RunEvidence } from './drive-run.ts';
import { createPerson, type MenuChoice } from './person.ts';
import type { Route } from './route.ts';
import { type CalledWalk, createWalk, type RunWarning, recordCalled, type Walk } from './walk.ts';

export interface RehearsalDeps extends DriveDeps {
  /** Options of letter menus that were chosen in this run or an earlier one, by node. */
  chosenAt(nodeId: string): Set<string>;
}

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

export interface WalkedRun {
  readonly run: RehearsedRun;
  /** Edges that the state document followed, by key. */
  readonly edges: readonly string[];
  readonly nodesCompleted: readonly string[];
  /** Coverage of the sub-workflows that it called. */
  readonly called: readonly CalledWalk[];
  readonly evidence: readonly RunEvidence[];
}

export async function rehearseRun(entry: string, route: Route, deps: RehearsalDeps): Promise<WalkedRun> {
  const walk = createWalk(route);
  const choices: MenuChoice[] = [];
  const called = new Map<string, CalledWalk>();
  const { stop, turns, stepsCompleted, files, evidence } = await driveRun(deps, {
    respond: createPerson({ chosenAt: deps.chosenAt, onChoice: (choice) => choices.push(choice) }),
    createModel: (runId) => createGuidedModel(runId, walk),
    note(event, runId) {
      recordCalled(called, event);
      if (event.runId === runId) walk.note(event);
    },
    get isOver() {
      return walk.isOver;
    },
  });
  const reason = walk.deviation ?? stop.reason;
  return {
    run: {
      path: [entry, ...walk.visited],
      phase: stop.phase,
      ...(reason ? { reason } : {}),
      turns,
      warnings: walk.warnings,
      choices,
      files,
    },
    edges: walk.edges,
    nodesCompleted: stepsCompleted,
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
