/** Header of the files panel: actions to create files, and display options. */
import { useQueryClient } from '@tanstack/react-query';
import {
  ChevronsDownUp,
  Eye,
  EyeOff,
  FilePlus2,
  FolderPlus,
  History,
  MoreHorizontal,
  RotateCw,
} from 'lucide-react';
import { forgetFiles } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/overlays/menu.tsx';
import { PanelHead } from '../../ui/panel-head.tsx';
import { askAboutFiles } from '../dialogs/file-asks.ts';
import { PROJECT } from '../paths.ts';
import { closeAllFolders, showHidden, useTreeState } from './tree-state.ts';

export function FilesPanelHeader({ projectId }: { readonly projectId: string }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { hasHidden } = useTreeState(projectId);
  return (
    <PanelHead title={t('rail.files')}>
      <IconButton
        label={t('files.newFile')}
        side="bottom"
        onClick={() => askAboutFiles({ kind: 'new-file', projectId, folder: PROJECT })}
      >
        <FilePlus2 aria-hidden="true" />
      </IconButton>
      <IconButton
        label={t('files.newFolder')}
        side="bottom"
        onClick={() => askAboutFiles({ kind: 'new-folder', projectId, folder: PROJECT })}
      >
        <FolderPlus aria-hidden="true" />
      </IconButton>
      <Menu
        label={t('files.view')}
        trigger={
          <IconButton label={t('files.view')} hasTooltip={false}>
            <MoreHorizontal aria-hidden="true" />
          </IconButton>
        }
        items={[
          {
            id: 'changes',
            label: t('files.changes.title'),
            icon: <History aria-hidden="true" />,
            onChoose: () => askAboutFiles({ kind: 'changes', projectId }),
          },
          'separator',
          {
            id: 'hidden',
            label: t(hasHidden ? 'files.hideHidden' : 'files.showHidden'),
            icon: hasHidden ? <EyeOff aria-hidden="true" /> : <Eye aria-hidden="true" />,
            onChoose: () => showHidden(projectId, !hasHidden),
          },
          {
            id: 'close',
            label: t('files.closeFolders'),
            icon: <ChevronsDownUp aria-hidden="true" />,
            onChoose: () => closeAllFolders(projectId),
          },
          {
            id: 'refresh',
            label: t('action.refresh'),
            icon: <RotateCw aria-hidden="true" />,
            onChoose: () => forgetFiles(queries, projectId),
          },
        ]}
      />
    </PanelHead>
  );
}
