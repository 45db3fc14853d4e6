/** Names of the files an approval covers. Pure. */
import { type ApprovalReach, folderOf } from '@crewagent/protocol/approvals';
import type { ToolApproval } from '@crewagent/protocol/story/items';
import { toVisibleText } from '@crewagent/protocol/visible-text';
import type { TFunction } from 'i18next';
import { toShownLine } from '../ui/sanitize-text.ts';
import { toShownPath } from './shown-names.ts';

export function toReachName(t: TFunction, path: string, reach: ApprovalReach): string {
  switch (reach) {
    case 'file':
      return toShownLine(path.slice(folderOf(path).length));
    case 'folder':
      return t('approval.reach.folder', { folder: toShownPath(folderOf(path)) });
    case 'all':
      return t('approval.reach.all');
  }
}

/** The folder of a file in the project root is the project itself: all files. */
export function reachesOf(path: string): readonly ApprovalReach[] {
  return folderOf(path) === '@project/' ? ['file', 'all'] : ['file', 'folder', 'all'];
}

/** The name of a file for somebody who decides on it: every character is visible. */
export function toShownName(path: string): string {
  return toVisibleText(path)
    .replaceAll('\n', '⟨A⟩')
    .replace(/^@project\//, '');
}

/** Short label of a decision. */
export function toDecisionLabel(
  t: TFunction,
  path: string,
  { decision, reach, by }: Pick<ToolApproval, 'decision' | 'reach' | 'by'>,
): string {
  if (decision === undefined) return '';
  const word = t(`decision.${decision}`);
  const decided = by === undefined ? word : t('decision.by', { decided: word, name: toShownLine(by) });
  return reach === undefined
    ? decided
    : t('approval.saidFor', { word: decided, files: toReachName(t, path, reach) });
}
