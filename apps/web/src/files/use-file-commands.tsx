/** File commands of the palette, with their shortcuts. */
import { useMemo } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { type Command, useCommands } from '../palette/commands.ts';
import { useFinder } from '../palette/finders.ts';
import { openFile } from '../state/open-files.ts';
import { askAboutFiles } from './dialogs/file-asks.ts';
import { FileIcon } from './file-icon.tsx';
import { nameOf, PROJECT, parentOf, toShownPath } from './paths.ts';

export function useFileCommands(projectId: string): void {
  const { t } = useTranslation();
  const client = useApi();
  useCommands(
    useMemo(
      () => [
        {
          id: 'action.open',
          title: t('files.find'),
          group: t('rail.files'),
          shortcut: 'Mod+P',
          run: () => askAboutFiles({ kind: 'find', projectId }),
        },
        {
          id: 'files.new',
          title: t('files.newFile'),
          group: t('rail.files'),
          run: () => askAboutFiles({ kind: 'new-file', projectId, folder: PROJECT }),
        },
        {
          id: 'files.new-folder',
          title: t('files.newFolder'),
          group: t('rail.files'),
          run: () => askAboutFiles({ kind: 'new-folder', projectId, folder: PROJECT }),
        },
        {
          id: 'files.changes',
          title: t('files.changes.title'),
          group: t('rail.files'),
          run: () => askAboutFiles({ kind: 'changes', projectId }),
        },
      ],
      [t, projectId],
    ),
  );
  useFinder(
    useMemo(
      () => ({
        find: async (text, signal) => {
          const { paths } = await client.files.find({ projectId, query: { text, limit: '8' } }, { signal });
          return paths.map((path) => toFileCommand(projectId, path, t('rail.files')));
        },
      }),
      [t, client, projectId],
    ),
  );
}

export function toFileCommand(projectId: string, path: string, group: string): Command {
  return {
    id: `file ${path}`,
    title: nameOf(path),
    detail: toShownPath(parentOf(path)),
    icon: <FileIcon name={nameOf(path)} />,
    group,
    run: () => openFile(projectId, path, { takesFocus: true }),
  };
}
