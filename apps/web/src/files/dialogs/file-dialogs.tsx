/** Renders the open dialog about files of a project. */
import { useTranslation } from '../../i18n/use-translation.ts';
import { closeFile } from '../../state/open-files.ts';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { nameOf } from '../paths.ts';
import { ChangesDialog } from './changes-dialog.tsx';
import { endFileAsk, type FileAsk } from './file-asks.ts';
import { FindFileDialog } from './find-file-dialog.tsx';
import { PathDialog } from './path-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

export default function FileDialogs({ ask }: { readonly ask: FileAsk }) {
  switch (ask.kind) {
    case 'new-file':
    case 'new-folder':
      return <PathDialog kind={ask.kind} projectId={ask.projectId} path={ask.folder} onClose={endFileAsk} />;
    case 'move':
      return <PathDialog kind="move" projectId={ask.projectId} path={ask.path} onClose={endFileAsk} />;
    case 'remove':
      return <RemoveDialog {...ask} onClose={endFileAsk} />;
    case 'changes':
      return <ChangesDialog projectId={ask.projectId} issue={ask.issue} onClose={endFileAsk} />;
    case 'find':
      return <FindFileDialog projectId={ask.projectId} onClose={endFileAsk} />;
    case 'close':
      return <CloseDialog {...ask} />;
  }
}

function CloseDialog({ projectId, path }: { readonly projectId: string; readonly path: string }) {
  const { t } = useTranslation();
  return (
    <AlertDialog
      isOpen
      title={t('workspace.unsavedTitle', { title: toShownLine(nameOf(path)) })}
      confirmLabel={t('workspace.closeUnsaved')}
      onCancel={endFileAsk}
      onConfirm={() => {
        closeFile(projectId, path);
        endFileAsk();
      }}
    >
      {t('workspace.unsavedText')}
    </AlertDialog>
  );
}
