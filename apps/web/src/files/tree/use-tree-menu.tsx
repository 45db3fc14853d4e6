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
import { useMay } from '../../state/team-server.ts';
import { type MenuList, menuItem } from '../../ui/overlays/menu.tsx';
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

export function useTreeMenu(options: TreeMenuOptions): MenuList {
  const { projectId, entry, actions, attempt, onRename } = options;
  const { t } = useTranslation();
  const canReveal = useCanReveal();
  const mayRun = useMay(projectId, 'run');
  const path = entry === undefined || options.path === undefined ? PROJECT : options.path;
  const isFolder = path === PROJECT || entry?.kind === 'folder';
  const ask = (kind: 'new-file' | 'new-folder'): void =>
    askAboutFiles({ kind, projectId, path: isFolder ? path : parentOf(path) });
  const isReachable = entry !== undefined && !entry.isOutOfReach;
  const isFile = isReachable && !isFolder;
  const isChangeable = isReachable && mayRun;
  return [
    isFile && menuItem('open', Eye, t('action.open'), () => openFile(projectId, path)),
    isFile &&
      !entry.isSecret &&
      menuItem('download', Download, t('action.download'), () => attempt(actions.download(path))),
    'separator',
    mayRun && menuItem('new-file', FilePlus2, t('files.newFile'), () => ask('new-file')),
    mayRun && menuItem('new-folder', FolderPlus, t('files.newFolder'), () => ask('new-folder')),
    'separator',
    isChangeable &&
      menuItem('rename', PencilLine, t('action.rename'), () => onRename(path), { shortcut: 'F2' }),
    isChangeable &&
      menuItem('move', FolderInput, t('files.move'), () => askAboutFiles({ kind: 'move', projectId, path })),
    isReachable && menuItem('copy', Copy, t('files.copyPath'), () => attempt(actions.copyPath(path))),
    canReveal &&
      !entry?.isOutOfReach &&
      menuItem('reveal', SquareArrowOutUpRight, t('files.reveal'), () => attempt(actions.reveal(path))),
    'separator',
    isChangeable &&
      menuItem(
        'remove',
        Trash2,
        t('action.delete'),
        () => askAboutFiles({ kind: 'remove', projectId, path, isFolder }),
        { shortcut: 'Del', isDanger: true },
      ),
  ];
}
