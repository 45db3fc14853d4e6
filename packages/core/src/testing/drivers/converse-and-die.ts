/**
 * A process that talks to an agent with the rehearsal model and kills itself right after an event was stored. Started again
 * it goes on where the conversation says it is, and at the end prints what came of it.
 *
 * Arguments: a folder with `store` and `project`, a package, what the person does as JSON, and after how many events to die
 * (0: never).
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TimelineItem } from '@crewagent/protocol/timeline';
import { activeView } from '@crewagent/protocol/work-view';
import { CrewError } from '../../base/crew-error.ts';
import { createRuntime } from '../../runtime.ts';
import { readLog } from '../../session/look-at-work.ts';
import type { Session } from '../../session/session.ts';
import { createStoreLayout } from '../../store/disk/layout.ts';
import { toAddress } from '../../store/work-address.ts';

/** Says it to whoever is there, chooses a workflow or a script from the menu, or leaves that again. */
export type ThreadLine = readonly ['says' | 'chooses' | 'leaves', text: string];

export interface ThreadEnding {
  /** How many events were stored. */
  readonly events: number;
  /** Of the last run; and how many runs there are. */
  readonly state: string;
  readonly runs: number;
  /** The replies of the talk that end a turn. */
  readonly said: readonly string[];
  /** What the model was told in the talk, by the person and for them. */
  readonly told: readonly string[];
}

const [root = '', pkg = '', plan = '[]', at = '0'] = process.argv.slice(2);
const lines = JSON.parse(plan) as readonly ThreadLine[];
let events = 0;

const runtime = createRuntime({
  storeRoot: join(root, 'store'),
  onBug: (_, error) => process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`),
});
const session = await openOrCreate();
session.subscribe((event) => {
  if (event.type === 'message.delta') return;
  if (++events === Number(at)) process.kill(process.pid, 'SIGKILL');
});
let isOver = false;
while (!isOver) isOver = await continueRun();
await session.close();
process.stdout.write(JSON.stringify(await endingOf(session)));

/** One thing said, done or answered; true when there is nothing left to do. */
async function continueRun(): Promise<boolean> {
  const { view } = session;
  const { done, since } = whatWasDone(view.own.timeline);
  const { phase, pending } = activeView(view);
  const lastPhase = since.findLast((item) => item.kind === 'phase');
  const isAtRest =
    view.state.activeRunId === undefined ? lastPhase?.reason?.code === 'reply' : phase === 'Completed';
  const next = lines[done];
  if (pending?.kind === 'question') {
    await session.answer(Object.fromEntries(pending.questions.map(({ id }) => [id, `the ${id}`])));
  } else if (done > 0 && lines[done - 1]?.[0] !== 'leaves' && !isAtRest) await session.resume();
  else if (next) await type(next, since);
  else return true;
  return false;
}

/** How far down the lines it got, and what was seen since. */
function whatWasDone(timeline: readonly TimelineItem[]): { done: number; since: readonly TimelineItem[] } {
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

function isDone([what, text]: ThreadLine, item: TimelineItem): boolean {
  switch (what) {
    case 'says':
      return item.kind === 'person' && item.text === text;
    case 'chooses':
      return item.kind === 'run' || (item.kind === 'script' && !item.isOver);
    case 'leaves':
      return item.kind === 'run-left' || (item.kind === 'script' && item.isOver);
  }
}

/** A command that was typed and came to nothing: perhaps its run was made all the same. */
async function type([what, text]: ThreadLine, since: readonly TimelineItem[]): Promise<void> {
  const isTyped = since.some((item) => item.kind === 'command' && item.input === text);
  if (what === 'chooses' && isTyped && !(await session.input('/resume')).refusal) return;
  await session.input(text);
}

async function endingOf({ view, record }: Session): Promise<ThreadEnding> {
  const { projectId } = record;
  const said: string[] = [];
  const told: string[] = [];
  await readLog(runtime.store, toAddress(record), (event) => {
    if (event.type !== 'message.completed') return;
    const { purpose, content, toolCalls = [] } = event;
    if (purpose !== 'reply') told.push(content);
    // One that called for something may be said again: its calls were cut off.
    else if (toolCalls.length === 0) said.push(content);
  });
  const [runId = ''] = view.state.runIds.slice(-1);
  return {
    events,
    state: readFileSync(
      createStoreLayout(runtime.store.root).work({ projectId, workId: runId, isRun: true }).stateDocument,
      'utf8',
    ),
    runs: readdirSync(createStoreLayout(runtime.store.root).worksFolder(projectId, true)).length,
    said,
    told,
  };
}

async function openOrCreate(): Promise<Session> {
  try {
    return await runtime.openConversation('last');
  } catch (error) {
    if (!(error instanceof CrewError) || error.code !== 'CONVERSATION_NOT_FOUND') throw error;
    return runtime.createConversation({
      kind: 'agent',
      package: pkg,
      projectPath: join(root, 'project'),
      model: { model: 'rehearsal' },
    });
  }
}
