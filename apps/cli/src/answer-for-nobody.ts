/**
 * What is answered where nobody sits at a run that was told to go on by itself: a file that something runs later is refused,
 * unless the command that started it allows the file.
 */
import { CrewError, type Glob, matchesGlob, parseGlob } from '@crewagent/core';
import type { RunCommand } from './ask-person.ts';
import type { Pending } from './pending.ts';

export interface Unattended {
  readonly isAutopilot: boolean;
  /** By `--allow-executable`. */
  readonly allowed: readonly Glob[];
}

/** Undefined for what only a person can say. */
export function answerForNobody(
  pending: Pending | undefined,
  { isAutopilot, allowed }: Unattended,
): RunCommand | undefined {
  if (pending?.kind !== 'approval' || !pending.runsLater || !isAutopilot) return undefined;
  const path = pending.action.target.replace(/^@project\//, '');
  if (allowed.some((glob) => matchesGlob(glob, path))) return (to) => to.approve({ decision: 'once' });
  return (to) => to.approve({ decision: 'no', note: NOBODY });
}

const NOBODY =
  'Nobody is here to allow a file that something runs later (--allow-executable would). Go on without it.';

/** As in a `.gitignore`: `*` stands for anything within a folder, `**` for folders, too. */
export function parseAllowed(patterns: readonly string[]): readonly Glob[] {
  return patterns.map((pattern) => {
    const glob = parseGlob(pattern.replace(/^(?:@project\/|\.\/)/, ''));
    if (glob) return glob;
    throw new CrewError(
      'USAGE',
      `The pattern "${pattern}" of --allow-executable was not understood; close its brackets and braces.`,
    );
  });
}
