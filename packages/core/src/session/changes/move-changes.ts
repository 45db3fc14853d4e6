/**
 * Undo and redo: restores files through the journal and records the result in the log, with or without an open
 * engine.
 */
import type { RunFact } from '@crewagent/protocol/events';
import type { ChangeSelection, UndoneFile } from '@crewagent/protocol/journal';
import type { Journal } from '../../store/journal.ts';

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
