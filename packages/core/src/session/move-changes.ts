/**
 * Undo and redo: files go back or forward over what was changed, and the log is told. One way, whether or not an engine is
 * open.
 */
import type { RunFact } from '@crewagent/protocol/events';
import type { ChangeSelection, UndoneFile } from '@crewagent/protocol/journal';
import type { Journal } from '../store/disk/journal.ts';

export async function moveChanges(
  journal: Journal,
  direction: 'undo' | 'redo',
  selection: ChangeSelection,
  append: (fact: RunFact) => unknown,
): Promise<UndoneFile[]> {
  const files = await journal[direction](selection);
  if (files.length > 0) append({ type: 'changes.undone', direction, selection, files });
  return files;
}
