/**
 * What became of a file when its changes were undone or redone, in words. Pure.
 */
import type { UndoneFile } from '@crewagent/protocol/journal';
import { sanitize } from './terminal.ts';

const WORDS: Readonly<Record<UndoneFile['outcome'], string>> = {
  restored: 'restored',
  deleted: 'removed',
  recreated: 'brought back',
  unchanged: 'as it was',
  conflict: 'left alone',
  'not-recorded': 'left alone',
  failed: 'failed',
};

export function describeUndone({ path, outcome, reason }: UndoneFile): string {
  return `${sanitize(path)} ${WORDS[outcome]}${reason === undefined ? '' : `: ${sanitize(reason)}`}`;
}

/** Whether it is now as it should be. */
export function isUndone({ outcome }: UndoneFile): boolean {
  return outcome !== 'conflict' && outcome !== 'not-recorded' && outcome !== 'failed';
}
