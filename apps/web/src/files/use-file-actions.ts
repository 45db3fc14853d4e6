/** File actions of a person. Each can be undone; tabs and the tree follow. */
import type { FileChange } from '@crewagent/protocol/api/files';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApi } from '../api/api-context.tsx';
import { forgetFiles, revealFile } from '../api/files-queries.ts';
import { saveResponse } from '../api/save-response.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { draftOf } from '../state/file-drafts.ts';
import { layoutOf } from '../state/layout.ts';
import { closeFile, moveOpenFiles, openFile } from '../state/open-files.ts';
import { toError } from '../ui/errors/error-texts.ts';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { askAboutFiles } from './dialogs/file-asks.ts';
import { isAtOrIn, nameOf, toMovedPath, withoutMount } from './paths.ts';
import { moveOpenFolders, openFolders, showInTree, toggleFolder } from './tree/tree-state.ts';

export type FileActions = ReturnType<typeof useFileActions>;

export function useFileActions(projectId: string) {
  const client = useApi();
  const queries = useQueryClient();
  const { t } = useTranslation();
  return useMemo(() => {
    const { files } = client;
    const showToast = useToasts.getState().show;
    const shown = (path: string): string => toShownLine(nameOf(path));

    const moveBack = async (direction: 'undo' | 'redo', id: string): Promise<void> => {
      const { change } = await files[direction]({ projectId, body: { id } });
      follow(change);
    };
    const follow = (change: FileChange): void => {
      followMove(projectId, change);
      // Deferred: by then the old path is unmounted and not requested again.
      setTimeout(() => forgetFiles(queries, projectId));
    };
    const showUndoable = (text: string, { id }: FileChange): void =>
      showToast(text, {
        label: t('action.undo'),
        onChoose: () =>
          void moveBack('undo', id).catch((error: unknown) =>
            askAboutFiles({ kind: 'changes', projectId, issue: { id, error: toError(error) } }),
          ),
      });

    return {
      async createFile(path: string) {
        await files.createFile({ projectId, body: { path } });
        forgetFiles(queries, projectId);
        openFolders(projectId, path);
        openFile(projectId, path, { takesFocus: true });
      },
      async createFolder(path: string) {
        const { change } = await files.createFolder({ projectId, body: { path } });
        follow(change);
        showInTree(projectId, path);
        toggleFolder(projectId, path, true);
      },
      async move(from: string, to: string) {
        const { change } = await files.move({ projectId, body: { from, to } });
        follow(change);
        showInTree(projectId, to);
        showUndoable(t('files.moved', { name: shown(from), to: toShownLine(withoutMount(to)) }), change);
      },
      /** With `isFinal` it cannot be undone. */
      async remove(path: string, isFinal: boolean) {
        const { change } = await files.remove({ projectId, body: { path, isFinal } });
        closeClean(projectId, path);
        follow(change);
        if (isFinal) showToast(t('files.removed', { name: shown(path) }));
        else showUndoable(t('files.removed', { name: shown(path) }), change);
      },
      undo: (id: string) => moveBack('undo', id),
      redo: (id: string) => moveBack('redo', id),
      reveal: (path: string) => revealFile(client, projectId, path),
      async download(path: string) {
        await saveResponse(await files.download({ projectId, query: { path } }), nameOf(path));
      },
      async copyPath(path: string) {
        await navigator.clipboard.writeText(withoutMount(path));
        showToast(t('files.copied'));
      },
    };
  }, [client, queries, projectId, t]);
}

/** Updates tabs and expanded folders after a move, or its undo. */
function followMove(projectId: string, { kind, path, to, isUndone }: FileChange): void {
  if (kind !== 'moved' || to === undefined) return;
  const [before, after] = isUndone ? [to, path] : [path, to];
  moveOpenFiles(projectId, (open) => toMovedPath(open, before, after));
  moveOpenFolders(projectId, before, after);
}

/** Tabs with unsaved changes stay open: they hold the only copy. */
function closeClean(projectId: string, removed: string): void {
  for (const path of layoutOf(projectId).openFiles) {
    if (isAtOrIn(path, removed) && !draftOf(projectId, path)) closeFile(projectId, path);
  }
}
