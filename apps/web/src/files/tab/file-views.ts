/** Available views of a file; the first is the default. */
import type { FileContent } from '@crewagent/protocol/api/files';
import * as z from '@crewagent/protocol/zod';
import { create } from 'zustand';
import { persist } from 'zustand/middleware';
import { mergePersisted, persistedRecord } from '../../state/persisted.ts';
import { kindOf } from '../file-kinds.tsx';

const FILE_VIEWS = ['read', 'both', 'write', 'table', 'picture', 'page', 'facts', 'versions'] as const;
export type FileView = (typeof FILE_VIEWS)[number];

/** The largest size the server sends at once. */
export const MAX_BYTES = 32 * 1_048_576;
/** A longer page is slow to lay out, so its preview is not the default. */
const MAX_PAGE_BYTES = 1_048_576;

export function viewsOf(name: string, content: FileContent | undefined): readonly FileView[] {
  const kind = kindOf(name);
  if (content?.isTooLarge || content?.kind === 'binary')
    return [(kind === 'image' || kind === 'drawing') && content.bytes <= MAX_BYTES ? 'picture' : 'facts'];
  switch (kind) {
    case 'markdown':
      return ['read', 'both', 'write'];
    case 'table':
      return ['table', 'write'];
    case 'drawing':
      return ['picture', 'write'];
    case 'page':
      return (content?.bytes ?? 0) > MAX_PAGE_BYTES ? ['write', 'page'] : ['page', 'write'];
    case 'image':
    case 'text':
      return ['write'];
  }
}

/** The last chosen view per kind of file; stored in this browser. */
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
