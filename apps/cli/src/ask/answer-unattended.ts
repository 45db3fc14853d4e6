/**
 * Answers approvals for unattended autopilot runs: a write to a file that something runs later, and what a program changed of
 * protected files, is denied unless `--allow-executable` matches every file; so is the use of files that the author did not declare.
 */
import { CrewError, type Glob, matchesGlob, type Pending, parseGlob } from '@crewagent/core';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { DescribedAction } from '@crewagent/protocol/tools';
import { unseenOf } from '../print/pending.ts';
import type { WorkCommand } from './work-command.ts';

/** Undefined for anything only a person can decide. `allowed`: patterns from `--allow-executable`. */
export function answerUnattended(
  pending: Pending | undefined,
  { isAutopilot, allowed }: { readonly isAutopilot: boolean; readonly allowed: readonly Glob[] },
): WorkCommand | undefined {
  if (pending?.kind !== 'approval' || !isAutopilot) return undefined;
  const { action, runsLater } = pending;
  const undeclared = describeUndeclared(action);
  if (undeclared !== undefined) {
    const note = `${undeclared} Nobody is here to approve it. Continue without it.`;
    return (work) => work.approve({ decision: 'no', note, speaker: 'flag' });
  }
  // Only changes of a program are files that can be approved once.
  const isOfProgram = isFileAction(action) && action.isOnceOnly === true;
  if (!runsLater && !isOfProgram) return undefined;
  const targets = action.files?.map(({ path }) => path) ?? [action.target];
  const isAllowed = (path: string): boolean => allowed.some((glob) => matchesGlob(glob, path));
  if (targets.every((path) => isAllowed(path.replace(/^@project\//, ''))))
    return (work) => work.approve({ decision: 'once', speaker: 'flag', ...unseenOf(action) });
  return (work) => work.approve({ decision: 'no', note: UNATTENDED_NOTE, speaker: 'flag' });
}

/** Why the model is refused what the preset allows. */
function describeUndeclared({ undeclared }: Pick<DescribedAction, 'undeclared'>): string | undefined {
  if (!undeclared) return undefined;
  const { by, access, globs = [] } = undeclared;
  if (by === 'writes') return `This workflow declared that it writes only to ${globs.join(', ')}.`;
  const who =
    by === 'preset'
      ? 'The user allows only files that this step declares'
      : `This ${by} declared which files it uses`;
  return access === 'program'
    ? `${who}, and a program can read all files of the project.`
    : `${who}; it did not declare that it ${access === 'read' ? 'reads' : 'writes'} this one.`;
}

const UNATTENDED_NOTE =
  'Something runs this file later. Continue without it; the user can allow it with --allow-executable.';

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
