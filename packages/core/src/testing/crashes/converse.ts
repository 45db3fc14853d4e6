/** A conversation with an agent on the rehearsal model. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoryItem } from '@crewagent/protocol/story/items';
import { activeStory } from '@crewagent/protocol/story/work-story';
import { CrewError } from '../../base/crew-error.ts';
import type { Runtime } from '../../runtime.ts';
import type { Session } from '../../session/session.ts';
import { createStoreLayout } from '../../store/disk/layout.ts';
import { runBeside, toAddress } from '../../store/work-address.ts';
import { type Kill, openRuntimeToKill } from './moments.ts';

/** Sends a message, chooses a workflow or script from the menu, or leaves it. */
export type ThreadLine = readonly ['says' | 'chooses' | 'leaves', text: string];

export interface ThreadPlay {
  /** A folder with `project`, in which the store is created. */
  readonly root: string;
  readonly pkg: string;
  readonly lines: readonly ThreadLine[];
}

export type ThreadEnding = Awaited<ReturnType<typeof converse>>;

export async function converse({ root, pkg, lines }: ThreadPlay, kill: Kill) {
  const { runtime, moments } = openRuntimeToKill(root, kill);
  const session = await openOrCreate(runtime, { root, pkg });
  session.subscribe(({ type }) => {
    if (type !== 'message.delta') moments.pass('event');
  });
  let isOver = false;
  while (!isOver) isOver = await takeNextStep(session, lines);
  await session.close();
  const ending = await endingOf(runtime, session);
  return { ...ending, moments: { ...moments.counts }, bugs: moments.bugs };
}

/** Sends one line or answer; returns true when there is nothing left to do. */
async function takeNextStep(session: Session, lines: readonly ThreadLine[]): Promise<boolean> {
  const { view } = session;
  const { done, since } = findProgress(lines, view.own.timeline);
  const { phase, pending } = activeStory(view);
  const lastPhase = since.findLast((item) => item.kind === 'phase');
  const isIdle =
    view.state.activeRunId === undefined ? lastPhase?.reason?.code === 'reply' : phase === 'Completed';
  const next = lines[done];
  if (pending?.kind === 'question') {
    await session.answer(Object.fromEntries(pending.questions.map(({ id }) => [id, `the ${id}`])));
  } else if (done > 0 && lines[done - 1]?.[0] !== 'leaves' && !isIdle) await session.resume();
  else if (next) await type(session, next, since);
  else return true;
  return false;
}

/** Number of lines that were processed, and the timeline after the last one. */
function findProgress(
  lines: readonly ThreadLine[],
  timeline: readonly StoryItem[],
): { done: number; since: readonly StoryItem[] } {
  let since = timeline;
  let done = 0;
  for (const line of lines) {
    const found = since.findIndex((item) => isDone(line, item));
    if (found === -1) break;
    since = since.slice(found + 1);
    done++;
  }
  return { done, since };
}

function isDone([what, text]: ThreadLine, item: StoryItem): boolean {
  switch (what) {
    case 'says':
      return item.kind === 'person' && item.text === text;
    case 'chooses':
      return item.kind === 'run' || (item.kind === 'mark' && item.what === 'script');
    case 'leaves':
      return item.kind === 'mark' && (item.what === 'runLeft' || item.what === 'scriptLeft');
  }
}

/** A command may have been logged without an effect when the process died; its run may exist nevertheless. */
async function type(session: Session, [what, text]: ThreadLine, since: readonly StoryItem[]): Promise<void> {
  const isTyped = since.some((item) => item.kind === 'command' && item.input === text);
  if (what === 'chooses' && isTyped && !(await session.input('/resume')).refusal) return;
  await session.input(text);
}

async function endingOf(runtime: Runtime, { view, record }: Session) {
  const { projectId } = record;
  /** The replies of the thread that end a turn. */
  const said: string[] = [];
  /** Messages sent to the model in the thread: of the person, and directives. */
  const sent: string[] = [];
  await runtime.store.works.readLog(toAddress(record), (event) => {
    if (event.type !== 'message.completed') return;
    const { purpose, content, toolCalls = [] } = event;
    if (purpose !== 'reply') sent.push(content);
    // A reply with calls may be repeated, because its calls were interrupted.
    else if (toolCalls.length === 0) said.push(content);
  });
  const [runId = ''] = view.state.runIds.slice(-1);
  return {
    /** State document of the last run. */
    state: readFileSync(
      createStoreLayout(runtime.store.root).work(runBeside({ projectId }, runId)).stateDocument,
      'utf8',
    ),
    runs: readdirSync(createStoreLayout(runtime.store.root).worksFolder(projectId, true)).length,
    said,
    sent,
  };
}

async function openOrCreate(
  runtime: Runtime,
  { root, pkg }: Pick<ThreadPlay, 'root' | 'pkg'>,
): Promise<Session> {
  try {
    return await runtime.openConversation('last');
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'CONVERSATION_NOT_FOUND') throw error;
    return runtime.createWork({
      kind: 'agent',
      package: pkg,
      projectPath: join(root, 'project'),
      model: { model: 'rehearsal' },
    });
  }
}
