/**
 * Formats the outcome of undo or redo for one file. Pure.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';
import { sanitize } from '../terminal.ts';

const OUTCOMES: Readonly<Record<UndoneFile['outcome'], string>> = {
  restored: 'restored',
  deleted: 'removed',
  recreated: 'recreated',
  unchanged: 'unchanged',
  conflict: 'skipped',
  'not-recorded': 'skipped',
  failed: 'failed',
};

export function describeUndone({ path, outcome, reason }: UndoneFile): string {
  return `${sanitize(path)} ${OUTCOMES[outcome]}${reason === undefined ? '' : `: ${sanitize(reason)}`}`;
}

/** Whether the file has the intended content now. */
export function isUndone({ outcome }: UndoneFile): boolean {
  return outcome !== 'conflict' && outcome !== 'not-recorded' && outcome !== 'failed';
}
