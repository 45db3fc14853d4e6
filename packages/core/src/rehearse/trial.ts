/**
 * A trial: one run of a workflow by a scripted reader, and what it says about the workflow. A lazy reader must not complete it, a
 * literal and an asking one must.
 */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EventOf } from '@crewagent/protocol/events';
import type { EvidenceVisit } from '@crewagent/protocol/evidence';
import { isUnmet } from '@crewagent/protocol/proof';
import type {
  Circle,
  Escape,
  ReaderKind,
  ReaderTrial,
  StepRef,
  TrialStop,
} from '@crewagent/protocol/reader-trials';
import { toStatus } from '@crewagent/protocol/status';
import type { Workflow } from '../bmad/check/workflow-package.ts';
import type { StopPoint } from '../engine/stop-point.ts';
import { parseMountPath } from '../mounts/mount-path.ts';
import type { Count } from './coverage.ts';
import { type DriveDeps, type DrivenRun, driveRun, type SharedDeps } from './drive-run.ts';
import { toPlaceholder } from './models/content.ts';
import { createReader } from './models/reader.ts';
import type { Step } from './models/step.ts';
import { createPerson, isUnprovable, respondSilently } from './person.ts';
import type { WithProject } from './project.ts';

interface TrialDeps extends DriveDeps {
  /** Those of the package. */
  readonly workflows: readonly Workflow[];
  /** By path of their file. */
  readonly steps: ReadonlyMap<string, Step>;
}

const TURNS_PER_NODE = 20;
const MORE_TURNS = 60;

async function tryReader(as: ReaderKind, workflow: Workflow, deps: TrialDeps): Promise<ReaderTrial> {
  const { ref, title, graph } = workflow;
  const maxTurns = TURNS_PER_NODE * graph.nodes.length + MORE_TURNS;
  const refusals: Refused[] = [];
  const writers = new Map<string, Writer>();
  let turns = 0;
  const person = as === 'lazy' ? respondSilently : createPerson();
  const driven = await driveRun(deps, {
    respond: async (engine, stop, seen) =>
      (await provideFiles(stop, deps.projectPath)) ? engine.resume() : person(engine, stop, seen),
    createModel: () => createReader(as),
    note(event) {
      if (event.type === 'turn.started') turns++;
      if (event.type === 'transition.refused' && !isUnprovable(event.checks ?? [])) refusals.push(event);
      if (event.type === 'artifact.written') writers.set(event.path, event);
    },
    get isOver() {
      return turns > maxTurns;
    },
  });
  const visits = toVisits(driven, deps.workflows);
  const isCompleted = toStatus(driven.stop).isCompleted;
  const left = visits.filter(({ visit: { outcome } }) => outcome !== 'open');
  return {
    as,
    workflow: ref,
    title,
    ok: isCompleted !== (as === 'lazy'),
    isCompleted,
    turns,
    nodes: {
      covered: new Set(left.filter(({ step }) => step.workflow === ref).map(({ step }) => step.nodeId)).size,
      total: graph.nodes.length,
    },
    escapes: as === 'lazy' ? await findEscapes(left, writers, deps) : [],
    ...(isCompleted ? {} : { stop: toStop(driven, visits, turns > maxTurns ? maxTurns : undefined) }),
    circles: as === 'lazy' ? [] : findCircles(visits, refusals),
    waived: driven.evidence.flatMap(({ sheet }) => sheet.waivers.map(({ check }) => check)),
  };
}

type Refused = EventOf<'transition.refused'>;
type Writer = Pick<EventOf<'artifact.written'>, 'runId' | 'nodeId'>;

interface SteppedVisit {
  readonly step: StepRef;
  readonly runId: string;
  readonly visit: EvidenceVisit;
  /** The node calls another workflow. */
  readonly isCall: boolean;
}

function toVisits({ evidence }: DrivenRun, workflows: readonly Workflow[]): SteppedVisit[] {
  return evidence.flatMap(({ workflow, sheet }) => {
    const nodes = workflows.find(({ ref }) => ref === workflow)?.nodes;
    return sheet.visits.map((visit) => {
      const node = nodes?.get(visit.nodeId);
      const step = { workflow, nodeId: visit.nodeId, file: node?.file ?? '' };
      return { step, runId: sheet.runId, visit, isCall: node?.subworkflow !== undefined };
    });
  });
}

async function findEscapes(
  left: readonly SteppedVisit[],
  writers: ReadonlyMap<string, Writer>,
  { steps, projectPath }: TrialDeps,
): Promise<Escape[]> {
  const escapes = new Map<string, Escape>();
  const add = (found: Escape): void => void escapes.set(JSON.stringify(found), found);
  for (const { step, visit, isCall } of left) {
    // What a called workflow did is in the visits of that workflow.
    if (isCall) continue;
    if (visit.outcome === 'nothing') add({ kind: 'nothing-to-prove', ...step });
    for (const path of visit.outputsMissing) add({ kind: 'output-missing', ...step, path });
    if (visit.spoken.length > 0) continue;
    const text = steps.get(step.file);
    if (text?.menu.length) add({ kind: 'menu-not-shown', ...step });
    else if (text?.isWaiting) add({ kind: 'wait-skipped', ...step });
  }
  for (const [path, { runId, nodeId }] of writers) {
    const writer = left.findLast(({ visit, runId: id }) => id === runId && visit.nodeId === nodeId);
    const name = path.replace(/^@project\//, '');
    if (writer && (await sizeOf(join(projectPath, name))) <= 1)
      add({ kind: 'one-byte-file', ...writer.step, path: name });
  }
  return [...escapes.values()];
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => Number.POSITIVE_INFINITY,
  );
}

function toStop(
  { stop }: DrivenRun,
  visits: readonly SteppedVisit[],
  maxTurns: number | undefined,
): TrialStop {
  const open = visits.findLast(({ visit: { outcome } }) => outcome === 'open') ?? visits.at(-1);
  const { code, message } = stop.reason ?? { code: stop.phase, message: stop.phase };
  return {
    ...(open?.step ?? { workflow: '', nodeId: '', file: '' }),
    ...(maxTurns === undefined
      ? { code, message }
      : { code: 'too-many-turns', message: `It took more than ${maxTurns} turns.` }),
    checks: (open?.visit.checks ?? [])
      .filter(isUnmet)
      .map(({ id, kind, message: issue }) => ({ id, kind, message: issue })),
  };
}

const CIRCLE = 2;

/** Visits with several refused attempts to leave. */
function findCircles(visits: readonly SteppedVisit[], refused: readonly Refused[]): Circle[] {
  return visits.flatMap(({ step, runId, visit }) => {
    const own = refused.filter(
      (event) =>
        event.runId === runId &&
        event.from === visit.nodeId &&
        event.ts >= visit.startedAt &&
        event.ts <= visit.endedAt,
    );
    const counts = new Map<string, Circle['refusals'][number]>();
    for (const { code = 'E_INVALID_TRANSITION', message } of own) {
      const key = `${code} ${message}`;
      counts.set(key, { code, message, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    return own.length < CIRCLE ? [] : [{ ...step, turns: visit.turns, refusals: [...counts.values()] }];
  });
}

export interface TrialParts {
  readonly deps: SharedDeps;
  readonly steps: TrialDeps['steps'];
  readonly withProject: WithProject;
  /** `done`: steps of the workflows that were tried. */
  readonly onTrial: ((trial: ReaderTrial, done: Count) => void) | undefined;
}

/** Ends early when it is aborted, with the trials before. */
export async function tryReaders(
  kinds: readonly ReaderKind[],
  workflows: readonly Workflow[],
  { deps, steps, withProject, onTrial }: TrialParts,
): Promise<ReaderTrial[]> {
  const trials: ReaderTrial[] = [];
  const total = kinds.length * workflows.reduce((sum, { graph }) => sum + graph.nodes.length, 0);
  let covered = 0;
  for (const as of kinds) {
    for (const workflow of workflows) {
      if (deps.signal.aborted) return trials;
      const trial = await withProject((projectPath) =>
        tryReader(as, workflow, { ...deps, workflowRef: workflow.ref, projectPath, workflows, steps }),
      );
      if (deps.signal.aborted) return trials;
      trials.push(trial);
      covered += workflow.graph.nodes.length;
      onTrial?.(trial, { covered, total });
    }
  }
  return trials;
}

/** Whether the run waited for files and now has them. Paths with variables or wildcards cannot be added. */
async function provideFiles({ reason }: StopPoint, projectPath: string): Promise<boolean> {
  const paths = reason?.code === 'CONSUMED_FILE_MISSING' ? reason.details?.consumes : undefined;
  if (!Array.isArray(paths)) return false;
  const targets = paths.map(String).map(toSegments);
  if (targets.includes(undefined)) return false;
  for (const segments of targets) {
    const file = join(projectPath, ...(segments ?? []));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, toPlaceholder(file, { title: 'Input', nodeId: 'none', read: [], said: [] }));
  }
  return true;
}

function toSegments(path: string): readonly string[] | undefined {
  const parsed = /[{}*?[\]]/.test(path) ? undefined : parseMountPath(path);
  return parsed?.ok && parsed.path.mount === '@project' ? parsed.path.segments : undefined;
}
