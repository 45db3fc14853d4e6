/** The expanded part of a project's files as tree nodes. */
import type { FileEntry, FileList } from '@crewagent/protocol/api/files';
import { useQueryClient } from '@tanstack/react-query';
import { Ban, Folder, FolderOpen, Link2, Lock } from 'lucide-react';
import { useMemo } from 'react';
import { folderKey, useFolderLists } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { toErrorLine } from '../../ui/errors/error-texts.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import type { TreeNode } from '../../ui/tree/tree.tsx';
import { FileIcon } from '../file-kinds.tsx';
import { nameOf, PROJECT, parentOf } from '../paths.ts';
import { useTreeState } from './tree-state.ts';

export function useFileTree(projectId: string) {
  const translation = useTranslation();
  const { openFolders, hasHidden } = useTreeState(projectId);
  const paths = useShownFolders(projectId, { openFolders, hasHidden });
  const folders = useFolderLists(projectId, paths, hasHidden);
  const { nodes, entries, root } = useMemo(() => {
    const { t } = translation;
    const known = new Map(folders.map((folder, index) => [paths[index] ?? '', folder]));
    const found = new Map<string, FileEntry>();
    const open = new Set(openFolders);

    const toNode = (folder: string, entry: FileEntry, index: number): TreeNode => {
      const id = entry.isOutOfReach ? `${folder}/\n${index}` : `${folder}/${entry.name}`;
      found.set(id, entry);
      const isOpen = open.has(id);
      return {
        id,
        label: toShownLine(entry.name),
        icon: iconOf(entry, isOpen),
        isDim: entry.isIgnored || entry.isOutOfReach === true || entry.kind === 'other',
        note: noteOf(entry),
        ...(entry.kind === 'folder' && !entry.isOutOfReach ? { children: isOpen ? childrenOf(id) : [] } : {}),
      };
    };
    const noteOf = ({ isSecret, isOutOfReach, kind }: FileEntry): string | undefined => {
      if (isOutOfReach) return t('files.notes.outOfReach');
      if (isSecret) return t('files.notes.secret');
      return kind === 'link' ? t('files.notes.link') : undefined;
    };
    const childrenOf = (folder: string): TreeNode[] => {
      const { list, error } = known.get(folder) ?? {};
      const placeholder = (label: string): TreeNode => ({
        id: `${folder}/\nplaceholder`,
        label,
        isDim: true,
      });
      if (error) return [{ ...placeholder(t('files.unreadable')), note: toErrorLine(error, translation) }];
      if (!list) return [placeholder(t('files.loading'))];
      if (list.entries.length === 0) return folder === PROJECT ? [] : [placeholder(t('files.emptyFolder'))];
      const rest = list.total - list.entries.length;
      return [
        ...list.entries.map((entry, index) => toNode(folder, entry, index)),
        ...(rest > 0 ? [placeholder(t('files.more', { count: rest }))] : []),
      ];
    };
    const first = known.get(PROJECT);
    return { nodes: first?.list ? childrenOf(PROJECT) : [], entries: found, root: first };
  }, [translation, paths, folders, openFolders]);
  return {
    nodes,
    entryAt: (id: string) => entries.get(id),
    /** Why the project's own folder cannot be listed. */
    issue: root?.error ?? undefined,
    isLoading: !root?.list && !root?.error,
  };
}

/** Expanded folders that exist and are visible; others are not requested. */
function useShownFolders(
  projectId: string,
  { openFolders, hasHidden }: { readonly openFolders: readonly string[]; readonly hasHidden: boolean },
): readonly string[] {
  const queries = useQueryClient();
  const isThere = (path: string): boolean => {
    const key = folderKey(projectId, parentOf(path), hasHidden);
    const entries = queries.getQueryData<FileList>(key)?.entries ?? [];
    return entries.some(({ name, kind }) => name === nameOf(path) && kind === 'folder');
  };
  const isShown = (path: string): boolean =>
    path === PROJECT || (openFolders.includes(path) && isThere(path) && isShown(parentOf(path)));
  const shown = [PROJECT, ...openFolders.filter(isShown)].join('\n');
  return useMemo(() => shown.split('\n'), [shown]);
}

function iconOf({ name, kind, isSecret, isOutOfReach }: FileEntry, isOpen: boolean) {
  const look = { className: 'text-ink-faint' };
  if (isOutOfReach || kind === 'other') return <Ban {...look} />;
  if (isSecret) return <Lock {...look} />;
  if (kind === 'link') return <Link2 {...look} />;
  if (kind === 'folder') return isOpen ? <FolderOpen {...look} /> : <Folder {...look} />;
  return <FileIcon name={name} />;
}
