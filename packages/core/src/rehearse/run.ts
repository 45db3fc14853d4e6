/**
 * One rehearsed run: the real engine with the rehearsal instead of a model, guided along a route, with placeholder input of a
 * person. Reports the events of the run.
 */

import type { CheckKind } from '@crewagent/protocol/proof';
import type { RunPhase } from '@crewagent/protocol/run';
import type { Settings } from '@crewagent/protocol/settings';
import { toStatus } from '@crewagent/protocol/status';
import type { ValidationContext } from '../bmad/validate-package.ts';
import type { ExecutionEngine } from '../engine/execution-engine.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { MENU_ID } from '../llm/rehearsal/letter-menu.ts';
import { createRehearsal } from '../llm/rehearsal/rehearsal.ts';
import { openRun } from '../session/open-run.ts';
import { startRun } from '../session/start-run.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import { PLACEHOLDER_MESSAGE, placeholderAnswers } from './answers.ts';
import type { Route } from './route.ts';
import { type CalledWalk, createWalk, type RunWarning, recordCalled, type Walk } from './walk.ts';

export interface RehearsalDeps {
  readonly store: Store;
  readonly settings: Settings;
  readonly context: ValidationContext;
  readonly packageHash: string;
  readonly workflowRef: string;
  readonly projectPath: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly signal: AbortSignal;
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

export interface MenuChoice {
  readonly nodeId: string;
  readonly option: string;
}

export interface WalkedRun {
  readonly run: RehearsedRun;
  /** Edges that the state document followed, by key. */
  readonly edges: readonly string[];
  readonly nodesCompleted: readonly string[];
  /** Coverage of the sub-workflows that it called. */
  readonly called: readonly CalledWalk[];
}

export async function rehearseRun(entry: string, route: Route, deps: RehearsalDeps): Promise<WalkedRun> {
  const { packageHash, workflowRef, projectPath, signal } = deps;
  const { record } = await startRun(
    { package: packageHash, projectPath, workflow: workflowRef, model: { kind: 'rehearsal' } },
    deps,
  );
  const walk = createWalk(route);
  const bugs: unknown[] = [];
  const choices: MenuChoice[] = [];
  const called = new Map<string, CalledWalk>();
  const written = new Set<string>();
  const run = await openRun(toAddress(record), {
    ...deps,
    createAdapter: async () => createGuidedModel(record.workId, walk),
    onBug: (_, error) => bugs.push(error),
  });
  const { engine } = run;
  const stopEngine = (): void => void engine.stop();
  engine.subscribe((event) => {
    recordCalled(called, event);
    if (event.type === 'artifact.written') written.add(event.path.replace(/^@project\//, ''));
    if (event.runId === record.workId) walk.note(event);
    if (walk.isOver) stopEngine();
  });
  signal.addEventListener('abort', stopEngine);
  try {
    const stop = signal.aborted ? STOPPED : await drive(engine, walk, { ...deps, choices });
    // A bug of the runtime must not be reported as an error of the package.
    if (bugs.length > 0) throw bugs[0];
    const { turn, state } = engine.memory;
    const reason = walk.deviation ?? stop.reason;
    return {
      run: {
        path: [entry, ...walk.visited],
        phase: stop.phase,
        ...(reason ? { reason } : {}),
        turns: turn,
        warnings: walk.warnings,
        choices,
        files: [
          ...new Set([...run.journal.list().map(({ path }) => path.replace(/^@project\//, '')), ...written]),
        ],
      },
      edges: walk.edges,
      nodesCompleted: state.stepsCompleted,
      called: [...called.values()],
    };
  } finally {
    signal.removeEventListener('abort', stopEngine);
    await run.close();
  }
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

const STOPPED: StopPoint = {
  phase: 'WaitingUser',
  reason: { code: 'stopped', message: 'The rehearsal was stopped before this run began.' },
};

/** Messages without progress at one node before the run is given up. */
const MAX_MESSAGES_PER_VISIT = 3;
/** A letter menu is asked for again until each of its options was chosen. */
const MAX_QUESTIONS_PER_VISIT = 20;

async function drive(
  engine: ExecutionEngine,
  walk: Walk,
  { signal, chosenAt, choices }: Pick<RehearsalDeps, 'signal' | 'chosenAt'> & { choices: MenuChoice[] },
): Promise<StopPoint> {
  let stop = await engine.start();
  let attempts = 0;
  let transitions = 0;
  while (toStatus(stop).isWaiting && !walk.isOver && !signal.aborted) {
    if (walk.edges.length > transitions) {
      transitions = walk.edges.length;
      attempts = 0;
    }
    const { pending } = engine;
    const limit = pending?.kind === 'question' ? MAX_QUESTIONS_PER_VISIT : MAX_MESSAGES_PER_VISIT;
    if (++attempts > limit) break;
    if (pending?.kind === 'question') {
      const nodeId = engine.memory.state.currentNodeId;
      const answers = placeholderAnswers(pending.questions, chosenAt(nodeId));
      const option = answers[MENU_ID];
      if (typeof option === 'string') choices.push({ nodeId, option });
      stop = await engine.answer(answers);
    } else if (await waiveUnprovable(engine)) stop = await engine.resume();
    else if (toStatus(stop).kind === 'reply' || stop.reason?.code === 'CONSUMED_FILE_MISSING')
      stop = await engine.say(PLACEHOLDER_MESSAGE);
    else break;
  }
  return stop;
}

const UNPROVABLE: ReadonlySet<CheckKind> = new Set<CheckKind>(['verify', 'schema']);

/** A rehearsal runs no commands and does not understand schemas. False if something else is missing, too. */
async function waiveUnprovable({ memory, waive }: ExecutionEngine): Promise<boolean> {
  const { checks = [] } = memory.visit.refusal ?? {};
  if (checks.length === 0 || !checks.every(({ kind }) => UNPROVABLE.has(kind))) return false;
  for (const check of new Set(checks.map(({ id }) => id)))
    await waive({ check, reason: 'A rehearsal cannot prove this.' });
  return true;
}
