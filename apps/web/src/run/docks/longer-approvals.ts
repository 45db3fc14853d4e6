/** The longer approvals of a dock as items of a menu: for how long, and for which files or tool. */
import { type ApprovalDecision, type ApprovalReach, covers } from '@crewagent/protocol/approvals';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { ItemOf } from '@crewagent/protocol/story/items';
import { isRead } from '@crewagent/protocol/tool-effects';
import type { TFunction } from 'i18next';
import type { MenuItem } from '../../ui/overlays/menu.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { reachesOf, toReachName } from '../approval-reach.ts';

interface LongerApprovals {
  readonly item: ItemOf<'approval'>;
  /** Outside a workflow: there is no step and no run to approve for. */
  readonly isThread: boolean;
  readonly onChoose: (decision: ApprovalDecision, reach: ApprovalReach) => void;
}

/** Each item names its files, so that nobody allows more than intended. With several changes, each item covers all of them. */
export function toLongerApprovals(t: TFunction, { item, isThread, onChoose }: LongerApprovals): MenuItem[] {
  const { tool, action, following = [] } = item;
  const { target } = action;
  const isFile = isFileAction(action) || isRead({ kind: action.effect });
  const reaches = (isFile ? reachesOf(target) : (['file'] as const)).filter((reach) =>
    following.every((change) => covers({ tool, path: target, reach }, change.tool, change.action.target)),
  );
  return reaches.flatMap((reach, index): MenuItem[] => [
    ...(index === 0 ? [] : (['separator'] as const)),
    ...(isThread ? IN_A_THREAD : IN_A_RUN).map(([decision, key]) => ({
      id: `${reach}-${decision}`,
      label: t(`approval.longer.${key}`, {
        files: isFile ? toReachName(t, target, reach) : toShownLine(tool),
      }),
      onChoose: () => onChoose(decision, reach),
    })),
  ]);
}

const IN_A_RUN = [
  ['node', 'node'],
  ['run', 'run'],
  ['always', 'always'],
] as const;

const IN_A_THREAD = [
  ['run', 'thread'],
  ['always', 'always'],
] as const;
