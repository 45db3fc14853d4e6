/** The last chosen view per kind of file; stored in this browser. */
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted, persistedRecord } from '../../state/persisted.ts';
import { FILE_VIEWS, type FileView } from './file-views.ts';

interface Choices {
  /** By the available views. */
  readonly chosen: Readonly<Record<string, FileView>>;
}

const useChoices = create<Choices>()(
  persist((): Choices => ({ chosen: {} }), {
    name: 'crewagent.file-views',
    merge: mergePersisted(z.object({ chosen: persistedRecord(z.enum(FILE_VIEWS)) })),
  }),
);

/** An empty file opens in the editor. */
export function useView(
  views: readonly FileView[],
  isEmpty: boolean,
): readonly [FileView, (view: FileView) => void] {
  const kind = views.join();
  const stored = useChoices((state) => state.chosen[kind]);
  const chosen = views.find((each) => each === stored);
  const [first = 'facts'] = views;
  const view = chosen ?? (isEmpty && views.includes('write') ? 'write' : first);
  return [view, (next) => useChoices.setState((state) => ({ chosen: { ...state.chosen, [kind]: next } }))];
}
