/**
 * Resuming: what the conversation is in, else a run that was left. Where several could be meant, the person is asked which.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../base/crew-error.ts';
import type { Stage, UnfinishedRun } from './stage.ts';
import type { Begin, Pump } from './turn-taking.ts';

interface ResumeSources {
  readonly stage: Stage;
  readonly begin: Begin;
}

/** `ref`: a number of the runs that are offered, or the id of a run of the project, four characters of either end at least. */
export async function resumeRun({ stage, begin }: ResumeSources, ref?: string): Promise<Pump> {
  const { state } = stage.view;
  const isInside = state.activeRunId !== undefined || state.script !== undefined;
  if (ref === undefined ? isInside : ref === state.activeRunId) {
    const { engine } = await stage.active();
    return begin(() => engine.resume());
  }
  const { engine } = stage.talk;
  const { memory } = engine;
  if (ref === undefined && memory.reason && toStatus(memory).kind !== 'reply')
    return begin(() => engine.resume());
  const runs = await stage.unfinishedRuns();
  const own = runs.filter(({ isOwn }) => isOwn);
  const meant = ref === undefined ? (own.length === 1 ? own : runs) : findMeant(runs, ref);
  const [only, ...others] = meant;
  if (!only) throw new CrewError('RUN_NOT_FOUND', nothingFound(ref));
  // A run of another conversation is never entered unasked.
  if (others.length > 0 || (ref === undefined && !only.isOwn)) {
    stage.emit(toOffer(meant.slice(0, MAX_OFFERED), stage));
    return undefined;
  }
  const run = await stage.openRun(only.record.workId);
  await stage.enterRun(run);
  return begin(() => run.engine.resume());
}

const MAX_OFFERED = 20;
const SHORTEST_ID = 4;

function findMeant(runs: readonly UnfinishedRun[], ref: string): readonly UnfinishedRun[] {
  if (/^[0-9]{1,2}$/.test(ref)) {
    const numbered = runs[Number(ref) - 1];
    return numbered ? [numbered] : [];
  }
  if (ref.length < SHORTEST_ID) return [];
  return runs.filter(({ record: { workId } }) => workId.startsWith(ref) || workId.endsWith(ref));
}

function nothingFound(ref: string | undefined): string {
  return ref === undefined
    ? 'There is nothing to resume in this conversation or project.'
    : `There is no unfinished run "${ref.slice(0, 40)}" in this project; /resume lists those there are.`;
}

function toOffer(runs: readonly UnfinishedRun[], stage: Stage): Parameters<Stage['emit']>[0] {
  return {
    type: 'choice.offered',
    reason: 'Choose the run to resume by its number.',
    candidates: runs.map(({ record }, at) => ({
      index: at + 1,
      label: `${at + 1}. ${describe(record, stage)}`,
      input: `/resume ${record.workId}`,
    })),
    runIds: runs.map(({ record }) => record.workId),
  };
}

/** Two runs of one workflow are told apart by where they are and when something happened last. */
function describe({ workId, workflowTitle, workflowRef, updatedAt }: RunRecord, { view }: Stage): string {
  const nodeId = view.runs.get(workId)?.state.currentNodeId;
  return [workflowTitle || workflowRef, nodeId, updatedAt.slice(0, 16).replace('T', ' ')]
    .filter(Boolean)
    .join(' · ');
}
