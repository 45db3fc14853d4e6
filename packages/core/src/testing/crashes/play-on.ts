/** Plays in a process that is killed, and then on, in this process. */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { driverPath } from '../driver-path.ts';
import type { Kill } from './moments.ts';
import { PLAYS } from './plays.ts';

type Plays = typeof PLAYS;
type Ending<Name extends keyof Plays> = Awaited<ReturnType<Plays[Name]>>;

/** Without a kill it plays only here. A process of its own is needed only to be killed: starting it takes longer than a run. */
export async function playOn<Name extends keyof Plays>(
  name: Name,
  options: Parameters<Plays[Name]>[0],
  kill: Kill,
): Promise<Ending<Name>> {
  if (kill.at > 0) {
    const args = [driverPath('play-and-die'), name, JSON.stringify(options), JSON.stringify(kill)];
    const { signal, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ kill, signal, stderr }).toEqual({ kill, signal: 'SIGKILL', stderr: '' });
  }
  const play = PLAYS[name] as (given: typeof options, never: Kill) => Promise<Ending<Name>>;
  const ending = await play(options, { ...kill, at: 0 });
  expect({ kill, bugs: ending.bugs }).toEqual({ kill, bugs: [] });
  return ending;
}
