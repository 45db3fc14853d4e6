/**
 * Resumes the active run or script, or a left run. If several runs match, offers them to the person.
 */
import type { RunRecord } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../base/crew-error.ts';
import type { ActiveConversation, UnfinishedRun } from './conversation/active-conversation.ts';
import type { Begin, EngineRun } from './conversation/input-queue.ts';

interface ResumeSources {
  readonly current: ActiveConversation;
  readonly begin: Begin;
}

/** `ref`: the number of an offered run, or at least four characters of either end of a run id of the project. */
export async function resumeRun({ current, begin }: ResumeSources, ref?: string): Promise<EngineRun> {
  const { state } = current.view;
  const isInside = state.activeRunId !== undefined || state.script !== undefined;
  if (ref === undefined ? isInside : ref === state.activeRunId) {
    const { engine } = await current.active();
    return begin(() => engine.resume());
  }
  const { engine } = current.thread;
  const { memory } = engine;
  if (ref === undefined && memory.reason && toStatus(memory).kind !== 'reply')
    return begin(() => engine.resume());
  const runs = await current.unfinishedRuns();
  const own = runs.filter(({ isOwn }) => isOwn);
  const matching = ref === undefined ? (own.length === 1 ? own : runs) : findMatching(runs, ref);
  const [only, ...others] = matching;
  if (!only) throw new CrewError('RUN_NOT_FOUND', nothingFound(ref));
  // A run of another conversation is entered only when it is chosen explicitly.
  if (others.length > 0 || (ref === undefined && !only.isOwn)) {
    current.emit(toOffer(matching.slice(0, MAX_OFFERED), current));
    return undefined;
  }
  const run = await current.openRun(only.record.workId);
  await current.enterRun(run);
  return begin(() => run.engine.resume());
}

const MAX_OFFERED = 20;
const SHORTEST_ID = 4;

function findMatching(runs: readonly UnfinishedRun[], ref: string): readonly UnfinishedRun[] {
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
    : `There is no unfinished run "${ref.slice(0, 40)}" in this project. List them with /resume.`;
}

function toOffer(
  runs: readonly UnfinishedRun[],
  current: ActiveConversation,
): Parameters<ActiveConversation['emit']>[0] {
  return {
    type: 'choice.offered',
    reason: 'Choose the run to resume by its number.',
    candidates: runs.map(({ record }, at) => ({
      index: at + 1,
      label: `${at + 1}. ${describe(record, current)}`,
      input: `/resume ${record.workId}`,
    })),
    runIds: runs.map(({ record }) => record.workId),
  };
}

/** Node and time of the last event distinguish runs of the same workflow. */
function describe(
  { workId, workflowTitle, workflowRef, updatedAt }: RunRecord,
  { view }: ActiveConversation,
): string {
  const nodeId = view.runs.get(workId)?.state.currentNodeId;
  return [workflowTitle || workflowRef, nodeId, updatedAt.slice(0, 16).replace('T', ' ')]
    .filter(Boolean)
    .join(' · ');
}
