/**
 * Drives one run of a rehearsal: the real engine with a stand-in for the model and a scripted person, until it is complete or
 * nobody has anything to say.
 */
import type { RunEvent } from '@crewagent/protocol/events';
import { createEvidence, type EvidenceFold, type EvidenceSheet } from '@crewagent/protocol/evidence';
import type { CheckResult } from '@crewagent/protocol/proof';
import type { Settings } from '@crewagent/protocol/settings';
import { toStatus } from '@crewagent/protocol/status';
import type { ValidationContext } from '../bmad/check/validate-package.ts';
import type { WorkflowPackage } from '../bmad/check/workflow-package.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import type { LLMAdapter } from '../llm/llm-adapter.ts';
import { openRun } from '../session/open-run.ts';
import { type RunRequest, startPinnedRun } from '../session/start-run.ts';
import type { Store } from '../store/store.ts';
import { toAddress } from '../store/work-address.ts';
import type { Respond } from './person.ts';

export interface DriveDeps {
  readonly store: Store;
  readonly settings: Settings;
  readonly context: ValidationContext;
  readonly packageHash: string;
  /** The package, which a rehearsal loads once for all its runs. */
  readonly loaded: WorkflowPackage;
  readonly workflowRef: string;
  readonly projectPath: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  /** Where and how the run starts, if not as usual. */
  readonly start?: Pick<RunRequest, 'given' | 'startNodeId' | 'approval'>;
}

/** The same for all runs of a rehearsal. */
export type SharedDeps = Omit<DriveDeps, 'projectPath' | 'workflowRef' | 'start'>;

export interface Driver {
  readonly respond: Respond;
  createModel(runId: string): LLMAdapter;
  /** Events of the run and of those that it calls. */
  note(event: RunEvent, runId: string): void;
  /** Whether the run is to be stopped. */
  readonly isOver: boolean;
}

export interface DrivenRun {
  readonly stop: StopPoint;
  readonly turns: number;
  readonly stepsCompleted: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** Written files, relative to the project. */
  readonly files: readonly string[];
  /** Of the run itself, then of those that it called. */
  readonly evidence: readonly RunEvidence[];
}

export interface RunEvidence {
  /** Ref of the workflow. */
  readonly workflow: string;
  readonly sheet: EvidenceSheet;
}

export async function driveRun(deps: DriveDeps, driver: Driver): Promise<DrivenRun> {
  const { store, packageHash, loaded, workflowRef, projectPath, signal, start } = deps;
  const { projectId } = await store.projects.open(projectPath, deps);
  const { record } = await startPinnedRun(
    { projectId, packageHash, loaded },
    { ...start, workflow: workflowRef, model: { kind: 'rehearsal' } },
    deps,
  );
  const { workId } = record;
  const bugs: unknown[] = [];
  const folds = new Map<string, { workflow: string; fold: EvidenceFold }>();
  const written = new Set<string>();
  let moves = 0;
  let lastReply = '';
  let refused: readonly CheckResult[] = [];
  const see = (event: RunEvent): void => {
    if (event.type === 'run.created')
      folds.set(event.runId, { workflow: event.workflow.ref, fold: createEvidence(event.runId) });
    folds.get(event.runId)?.fold.add(event);
    if (event.type === 'artifact.written') written.add(toProjectPath(event.path));
    if (event.type === 'message.completed' && event.purpose === 'reply') lastReply = event.content;
    if (event.type === 'transition.refused') refused = event.checks ?? [];
    if (event.type === 'check.waived') refused = [];
    if (event.type === 'state.changed' && event.from !== event.to) {
      moves++;
      refused = [];
    }
    driver.note(event, workId);
  };
  const address = toAddress(record);
  await store.works.readLog(address, see);
  const run = await openRun(address, {
    ...deps,
    createAdapter: async () => driver.createModel(workId),
    onBug: (_, error) => bugs.push(error),
    onEvent: see,
  });
  const { engine } = run;
  const stopEngine = (): void => void engine.stop();
  engine.subscribe((event) => {
    // Events of called runs.
    if (event.runId !== workId) see(event);
    if (driver.isOver) stopEngine();
  });
  signal.addEventListener('abort', stopEngine);
  try {
    let stop = signal.aborted ? STOPPED : await engine.start();
    while (toStatus(stop).isWaiting && !driver.isOver && !signal.aborted) {
      const next = await driver.respond(engine, stop, { moves, lastReply, refused });
      if (!next) break;
      stop = next;
    }
    // A bug of the runtime must not be reported as an error of the package.
    if (bugs.length > 0) throw bugs[0];
    return {
      stop,
      turns: engine.memory.turn,
      stepsCompleted: engine.memory.state.stepsCompleted,
      variables: engine.memory.state.variables,
      files: [...new Set([...run.journal.list().map(({ path }) => toProjectPath(path)), ...written])],
      evidence: [...folds.values()].map(({ workflow, fold }) => ({ workflow, sheet: fold.sheet() })),
    };
  } finally {
    signal.removeEventListener('abort', stopEngine);
    await run.close();
  }
}

const STOPPED: StopPoint = {
  phase: 'WaitingUser',
  reason: { code: 'stopped', message: 'The rehearsal was stopped before this run began.' },
};

function toProjectPath(path: string): string {
  return path.replace(/^@project\//, '');
}
