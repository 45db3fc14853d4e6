/** Actions for the file of a tab. */
import {
  Copy,
  Download,
  FolderInput,
  ListTree,
  MoreHorizontal,
  SquareArrowOutUpRight,
  Trash2,
  X,
} from 'lucide-react';
import { useCanReveal } from '../../api/files-queries.ts';
import { useTranslation } from '../../i18n/use-translation.ts';
import { changeLayout } from '../../state/layout.ts';
import { IconButton } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/errors/error-note.tsx';
import { Menu, type MenuItem } from '../../ui/overlays/menu.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useIsNarrow } from '../../ui/use-media.ts';
import { askAboutFiles, closeTab } from '../dialogs/file-asks.ts';
import { showInTree } from '../tree/tree-state.ts';
import { useFileActions } from '../use-file-actions.ts';

interface FileMenuProps {
  readonly projectId: string;
  readonly path: string;
}

export function FileMenu({ projectId, path }: FileMenuProps) {
  const { t } = useTranslation();
  const { reveal, download, copyPath } = useFileActions(projectId);
  const canReveal = useCanReveal();
  const isNarrow = useIsNarrow();
  const act = useAction((work: (path: string) => Promise<void>) => work(path));
  const item = (id: string, Icon: typeof Copy, label: string, onChoose: () => void): MenuItem => ({
    id,
    label,
    icon: <Icon aria-hidden="true" />,
    onChoose,
  });
  return (
    <>
      <ErrorLine issue={act.issue} />
      <Menu
        label={t('files.actions')}
        trigger={
          <IconButton label={t('files.actions')} hasTooltip={false}>
            <MoreHorizontal aria-hidden="true" />
          </IconButton>
        }
        items={[
          ...(isNarrow
            ? []
            : [
                item('tree', ListTree, t('files.showInTree'), () => {
                  changeLayout(projectId, { sidePanel: 'files' });
                  showInTree(projectId, path);
                }),
              ]),
          item('download', Download, t('action.download'), () => act.run(download)),
          item('copy', Copy, t('files.copyPath'), () => act.run(copyPath)),
          ...(canReveal
            ? [item('reveal', SquareArrowOutUpRight, t('files.reveal'), () => act.run(reveal))]
            : []),
          'separator',
          item('close', X, t('files.closeTab'), () => closeTab(projectId, path)),
          item('move', FolderInput, t('files.move'), () =>
            askAboutFiles({ kind: 'move', projectId, path, isFolder: false }),
          ),
          {
            id: 'remove',
            label: t('action.delete'),
            icon: <Trash2 aria-hidden="true" />,
            isDanger: true,
            onChoose: () => askAboutFiles({ kind: 'remove', projectId, path, isFolder: false }),
          },
        ]}
      />
    </>
  );
}
