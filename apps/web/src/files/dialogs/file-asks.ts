/** What is being asked about the files of a project; one thing at a time, shown over the page. */
import { create } from 'zustand';
import { draftOf } from '../../state/file-drafts.ts';
import { closeFile } from '../../state/open-files.ts';

export type FileAsk =
  | { readonly kind: 'new-file' | 'new-folder'; readonly projectId: string; readonly folder: string }
  | {
      readonly kind: 'move' | 'remove';
      readonly projectId: string;
      readonly path: string;
      readonly isFolder: boolean;
    }
  | {
      readonly kind: 'changes';
      readonly projectId: string;
      /** Why one of them could not be undone. */
      readonly issue?: { readonly id: string; readonly error: Error };
    }
  | { readonly kind: 'find'; readonly projectId: string }
  /** It holds text that is not saved. */
  | { readonly kind: 'close'; readonly projectId: string; readonly path: string };

export const useFileAsk = create<{ readonly ask: FileAsk | undefined }>(() => ({ ask: undefined }));

export function askAboutFiles(ask: FileAsk): void {
  useFileAsk.setState({ ask });
}

/** Closes a tab; asks before if that would lose something. */
export function closeTab(projectId: string, path: string): void {
  if (draftOf(projectId, path)) askAboutFiles({ kind: 'close', projectId, path });
  else closeFile(projectId, path);
}

export function endFileAsk(): void {
  useFileAsk.setState({ ask: undefined });
}
