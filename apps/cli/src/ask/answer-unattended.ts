/**
 * Answers approvals for unattended autopilot runs: a write to a file that something runs later is denied unless
 * `--allow-executable` matches the file.
 */
import { CrewError, type Glob, matchesGlob, type Pending, parseGlob } from '@crewagent/core';
import type { WorkCommand } from './ask-person.ts';

export interface Unattended {
  readonly isAutopilot: boolean;
  /** Patterns from `--allow-executable`. */
  readonly allowed: readonly Glob[];
}

/** Undefined for anything only a person can decide. */
export function answerUnattended(
  pending: Pending | undefined,
  { isAutopilot, allowed }: Unattended,
): WorkCommand | undefined {
  if (pending?.kind !== 'approval' || !pending.runsLater || !isAutopilot) return undefined;
  const path = pending.action.target.replace(/^@project\//, '');
  if (allowed.some((glob) => matchesGlob(glob, path)))
    return (work) => work.approve({ decision: 'once', speaker: 'flag' });
  return (work) => work.approve({ decision: 'no', note: UNATTENDED_NOTE, speaker: 'flag' });
}

const UNATTENDED_NOTE =
  'Nobody is available to approve a file that something runs later. Continue without it; the user can allow it with --allow-executable.';

/** Patterns as in a `.gitignore`: `*` matches within one folder, `**` across folders. */
export function parseAllowed(patterns: readonly string[]): readonly Glob[] {
  return patterns.map((pattern) => {
    const glob = parseGlob(pattern.replace(/^(?:@project\/|\.\/)/, ''));
    if (glob) return glob;
    throw new CrewError(
      'USAGE',
      `The --allow-executable pattern "${pattern}" is not valid. Close its brackets and braces.`,
    );
  });
}
