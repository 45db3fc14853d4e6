/** File changes of a run that were not undone. Pure. */
import type { ItemOf, StoryItem } from '@crewagent/protocol/story/items';
import { isFileChange, pathsOf } from '@crewagent/protocol/tool-effects';

export interface StandingChange {
  readonly path: string;
  readonly item: ItemOf<'tool'>;
}

export interface StandingChanges {
  readonly changes: readonly StandingChange[];
  /** Paths of files that an undo deleted. */
  readonly deleted: ReadonlySet<string>;
}

export function standingChangesIn(timeline: readonly StoryItem[]): StandingChanges {
  const changes: (StandingChange & { isUndone: boolean })[] = [];
  const deleted = new Set<string>();
  for (const item of timeline) {
    if (item.kind === 'undone') {
      for (const { path, outcome } of item.files) {
        if (!MOVED.has(outcome)) continue;
        const isDeleted = outcome === 'deleted';
        if (isDeleted) deleted.add(path);
        else deleted.delete(path);
        for (const [index, change] of changes.entries()) {
          // A file that is deleted has none of its changes, whichever the person selected.
          const isSelected = isDeleted || selects(item.selection, change.item, index + 1);
          if (change.path === path && isSelected) change.isUndone = item.direction === 'undo';
        }
      }
    } else if (item.kind === 'tool' && item.status === 'ok' && isFileChange(item.effect)) {
      const paths = pathsOf({ path: item.path, ...item.effect });
      for (const path of paths) {
        deleted.delete(path);
        changes.push({ path, item, isUndone: false });
      }
    }
  }
  return { changes: changes.filter(({ isUndone }) => !isUndone), deleted };
}

/** Other outcomes left the file as it was. */
const MOVED: ReadonlySet<string> = new Set(['restored', 'deleted', 'recreated']);

function selects(
  selection: ItemOf<'undone'>['selection'],
  { callId, nodeId }: ItemOf<'tool'>,
  changeNumber: number,
): boolean {
  if ('callId' in selection) return selection.callId === callId;
  if ('nodeId' in selection) return selection.nodeId === nodeId;
  return 'all' in selection || changeNumber >= selection.fromChange;
}
