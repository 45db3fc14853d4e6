/** File commands of the palette, with their shortcuts. */
import { useMemo } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useTranslation } from '../i18n/use-translation.ts';
import { type Command, useCommands } from '../palette/commands.ts';
import { useFinder } from '../palette/finders.ts';
import { openFile } from '../state/open-files.ts';
import { useMay, useOffers } from '../state/team-server.ts';
import { askAboutFiles, type FileAsk } from './dialogs/file-asks.ts';
import { FileIcon } from './file-kinds.tsx';
import { nameOf, PROJECT, parentOf, withoutMount } from './paths.ts';

export function useFileCommands(projectId: string): void {
  const { t } = useTranslation();
  const client = useApi();
  const hasChanges = useOffers('files.changes');
  const mayRun = useMay(projectId, 'run');
  useCommands(
    useMemo(() => {
      const toCommand = (id: string, title: string, ask: FileAsk): Command => ({
        id: `files.${id}`,
        title,
        group: t('rail.files'),
        run: () => askAboutFiles(ask),
      });
      return [
        { ...toCommand('open', t('files.find'), { kind: 'find', projectId }), shortcut: 'Mod+P' },
        mayRun && toCommand('new', t('files.newFile'), { kind: 'new-file', projectId, path: PROJECT }),
        mayRun &&
          toCommand('new-folder', t('files.newFolder'), { kind: 'new-folder', projectId, path: PROJECT }),
        hasChanges && toCommand('changes', t('files.changes.title'), { kind: 'changes', projectId }),
      ];
    }, [t, projectId, hasChanges, mayRun]),
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
    detail: withoutMount(parentOf(path)),
    icon: <FileIcon name={nameOf(path)} />,
    group,
    run: () => openFile(projectId, path, { takesFocus: true }),
  };
}
