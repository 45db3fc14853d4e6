/** The open dialog about files of a project; one at a time. */
import { create } from 'zustand';
import { draftOf } from '../../state/file-drafts.ts';
import { closeFile } from '../../state/open-files.ts';

export type FileAsk = { readonly projectId: string } & (
  | {
      readonly kind: 'new-file' | 'new-folder' | 'move';
      /** The file to move, or the parent folder of the new one. */
      readonly path: string;
    }
  | { readonly kind: 'remove'; readonly path: string; readonly isFolder: boolean }
  | {
      readonly kind: 'changes';
      /** Why one of them could not be undone. */
      readonly issue?: { readonly id: string; readonly error: Error };
    }
  | { readonly kind: 'find' }
  /** The tab has unsaved changes. */
  | { readonly kind: 'close'; readonly path: string }
);

export const useFileAsk = create<{ readonly ask: FileAsk | undefined }>(() => ({ ask: undefined }));

export function askAboutFiles(ask: FileAsk): void {
  useFileAsk.setState({ ask });
}

/** Closes a tab; asks first if there are unsaved changes. */
export function closeTab(projectId: string, path: string): void {
  if (draftOf(projectId, path)) askAboutFiles({ kind: 'close', projectId, path });
  else closeFile(projectId, path);
}

export function endFileAsk(): void {
  useFileAsk.setState({ ask: undefined });
}
