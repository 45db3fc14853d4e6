/** Context menu of a row of the tree; without a row, of the project. */
import type { FileEntry } from '@crewagent/protocol/api/files';
import {
  Copy,
  Download,
  Eye,
  FilePlus2,
  FolderInput,
  FolderPlus,
  PencilLine,
  SquareArrowOutUpRight,
  Trash2,
} from 'lucide-react';
import { useCanReveal } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { openFile } from '../../state/open-files.ts';
import type { MenuItem } from '../../ui/overlays/menu.tsx';
import { askAboutFiles } from '../dialogs/file-asks.ts';
import { PROJECT, parentOf } from '../paths.ts';
import type { FileActions } from '../use-file-actions.ts';

interface TreeMenuOptions {
  readonly projectId: string;
  readonly path: string | undefined;
  readonly entry: FileEntry | undefined;
  readonly actions: FileActions;
  /** Runs an action and shows its error in the panel. */
  readonly attempt: (work: Promise<unknown>) => void;
  readonly onRename: (path: string) => void;
}

export function useTreeMenu(options: TreeMenuOptions): readonly MenuItem[] {
  const { projectId, entry, actions, attempt, onRename } = options;
  const { t } = useTranslation();
  const canReveal = useCanReveal();
  const path = entry === undefined || options.path === undefined ? PROJECT : options.path;
  const isFolder = path === PROJECT || entry?.kind === 'folder';
  const folder = isFolder ? path : parentOf(path);
  const isReachable = !entry?.isOutOfReach;
  const make: MenuItem[] = [
    {
      id: 'new-file',
      label: t('files.newFile'),
      icon: <FilePlus2 aria-hidden="true" />,
      onChoose: () => askAboutFiles({ kind: 'new-file', projectId, folder }),
    },
    {
      id: 'new-folder',
      label: t('files.newFolder'),
      icon: <FolderPlus aria-hidden="true" />,
      onChoose: () => askAboutFiles({ kind: 'new-folder', projectId, folder }),
    },
  ];
  const reveal: MenuItem[] = canReveal
    ? [
        {
          id: 'reveal',
          label: t('files.reveal'),
          icon: <SquareArrowOutUpRight aria-hidden="true" />,
          onChoose: () => attempt(actions.reveal(path)),
        },
      ]
    : [];
  if (!entry) return reveal.length === 0 ? make : [...make, 'separator', ...reveal];
  if (!isReachable) return make;
  const open: MenuItem[] = isFolder
    ? []
    : [
        {
          id: 'open',
          label: t('action.open'),
          icon: <Eye aria-hidden="true" />,
          onChoose: () => openFile(projectId, path),
        },
        ...(entry.isSecret
          ? []
          : [
              {
                id: 'download',
                label: t('action.download'),
                icon: <Download aria-hidden="true" />,
                onChoose: () => attempt(actions.download(path)),
              },
            ]),
        'separator',
      ];
  return [
    ...open,
    ...make,
    'separator',
    {
      id: 'rename',
      label: t('action.rename'),
      icon: <PencilLine aria-hidden="true" />,
      shortcut: 'F2',
      onChoose: () => onRename(path),
    },
    {
      id: 'move',
      label: t('files.move'),
      icon: <FolderInput aria-hidden="true" />,
      onChoose: () => askAboutFiles({ kind: 'move', projectId, path, isFolder }),
    },
    {
      id: 'copy',
      label: t('files.copyPath'),
      icon: <Copy aria-hidden="true" />,
      onChoose: () => attempt(actions.copyPath(path)),
    },
    ...reveal,
    'separator',
    {
      id: 'remove',
      label: t('action.delete'),
      icon: <Trash2 aria-hidden="true" />,
      shortcut: 'Del',
      isDanger: true,
      onChoose: () => askAboutFiles({ kind: 'remove', projectId, path, isFolder }),
    },
  ];
}
