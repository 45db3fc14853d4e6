/** Taking changes back and bringing them back, and what became of each file. */
import type { UndoneFile, UndoSelection } from '@crewagent/protocol/journal';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { useAction } from '../../ui/use-action.ts';

export type Direction = 'undo' | 'redo';

export type Move = (direction: Direction, selection: UndoSelection) => void;

export interface Moved {
  readonly direction: Direction;
  readonly files: readonly UndoneFile[];
}

export function useUndo(projectId: string, workId: string) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const show = useToasts((toasts) => toasts.show);
  const [outcome, setOutcome] = useState<Moved>();
  const { run, isBusy, issue } = useAction(async (direction: Direction, selection: UndoSelection) => {
    setOutcome(undefined);
    const { files } = await client.works[direction]({ workId, body: selection });
    // Also of a run that nobody follows any more.
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['changes', workId] }),
      queries.invalidateQueries({ queryKey: ['file-diff', workId] }),
      queries.invalidateQueries({ queryKey: ['existing', projectId] }),
    ]);
    const moved = files.filter(({ outcome: became }) => HAS_MOVED.has(became)).length;
    if (moved === files.length) show(t(`event.${direction}`, { count: moved }));
    else setOutcome({ direction, files });
  });
  return { run, isBusy, issue, outcome, dismiss: () => setOutcome(undefined) };
}

export const HAS_MOVED: ReadonlySet<UndoneFile['outcome']> = new Set(['restored', 'deleted', 'recreated']);
