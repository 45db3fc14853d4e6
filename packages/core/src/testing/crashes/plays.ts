/**
 * What a process does until a test kills it. Played again with the same folder, each continues, and returns the result at the end.
 */
import { join } from 'node:path';
import { toAddress } from '../../store/work-address.ts';
import { answerAll, driveToEnd, openOrCreate } from '../drive-to-end.ts';
import { converse } from './converse.ts';
import { fork } from './fork.ts';
import { type Kill, openRuntimeToKill } from './moments.ts';

export const PLAYS = { run, rewind, converse, fork };

export interface RunPlay {
  /** A folder with `project`, in which the store is created. */
  readonly root: string;
  readonly pkg: string;
}

/** Completes a run with the rehearsal model. */
async function run({ root, pkg }: RunPlay, kill: Kill) {
  const { runtime, moments } = openRuntimeToKill(root, kill);
  const ending = await driveToEnd(runtime, pkg, join(root, 'project'), ({ type }) => {
    if (type !== 'message.delta') moments.pass('event');
  });
  return { ...ending, moments: { ...moments.counts }, bugs: moments.bugs };
}

/** Completes a run, rewinds it with its files, and completes it again. The moments are those of the rewind. */
async function rewind({ root, pkg, nodeId }: RunPlay & { readonly nodeId: string }, kill: Kill) {
  const { runtime, moments } = openRuntimeToKill(root, kill);
  moments.areCounted = false;
  const opened = await openOrCreate(runtime, pkg, join(root, 'project'));
  const { engine } = opened;
  engine.subscribe(() => moments.pass('event'));
  if (engine.memory.turn === 0) {
    await answerAll(opened, await engine.start());
    moments.areCounted = true;
    await opened.rewind({ nodeId, undoesFiles: true });
    moments.areCounted = false;
  }
  /** The node at which this process found the run, or to which it rewound it. */
  const wasAt = engine.memory.state.currentNodeId;
  const stop = await answerAll(opened, await engine.resume());
  const { text: state } = await runtime.store.works.openState(toAddress(opened.record)).read();
  await opened.close();
  return { stop, state, wasAt, moments: { ...moments.counts }, bugs: moments.bugs };
}
