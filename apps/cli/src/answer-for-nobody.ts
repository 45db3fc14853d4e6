/**
 * What is answered where nobody sits at a run that was told to go on by itself: a file that something runs later is refused,
 * unless the command that started it allows the file.
 */
import type { RunCommand } from './ask-person.ts';
import type { Pending } from './pending.ts';

export interface Unattended {
  readonly isAutopilot: boolean;
  /** Patterns of `--allow-executable`. */
  readonly allowed: readonly string[];
}

/** Undefined for what only a person can say. */
export function answerForNobody(
  pending: Pending | undefined,
  { isAutopilot, allowed }: Unattended,
): RunCommand | undefined {
  if (pending?.kind !== 'approval' || !pending.runsLater || !isAutopilot) return undefined;
  const path = pending.path.replace(/^@project\//, '');
  if (allowed.some((pattern) => toRegExp(pattern).test(path)))
    return (to) => to.approve({ decision: 'once' });
  return (to) => to.approve({ decision: 'no', note: NOBODY });
}

const NOBODY =
  'Nobody is here to allow a file that something runs later (--allow-executable would). Go on without it.';

/** `*` stands for anything within a folder, `**` for folders, too. */
function toRegExp(pattern: string): RegExp {
  const parts = pattern
    .replace(/^(?:@project\/|\.\/)/, '')
    .split(/(\*\*\/?|\*)/)
    .map((part) =>
      part === '*' ? '[^/]*' : part.startsWith('**') ? '.*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
    );
  return new RegExp(`^${parts.join('')}$`);
}
