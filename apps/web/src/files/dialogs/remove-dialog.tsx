/** Asks before a file or folder is deleted; asks again if it is too large to be undone. */
import { ApiError } from '@crewagent/protocol/api/client';
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { AlertDialog } from '../../ui/overlays/alert-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { nameOf } from '../paths.ts';
import { useFileActions } from '../use-file-actions.ts';

interface RemoveDialogProps {
  readonly projectId: string;
  readonly path: string;
  readonly isFolder: boolean;
  readonly onClose: () => void;
}

export function RemoveDialog({ projectId, path, isFolder, onClose }: RemoveDialogProps) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const [isFinal, setFinal] = useState(false);
  const remove = useAction(async () => {
    try {
      await actions.remove(path, isFinal);
      onClose();
    } catch (error) {
      if (!(error instanceof ApiError && error.details.isFinalNeeded === true)) throw error;
      setFinal(true);
    }
  });
  return (
    <AlertDialog
      // Remounted for the second question, so that Cancel has the focus again.
      key={String(isFinal)}
      isOpen
      title={t('files.ask.remove.title', { name: toShownLine(nameOf(path)) })}
      confirmLabel={t(isFinal ? 'files.ask.remove.doFinal' : 'files.ask.remove.do')}
      onCancel={onClose}
      onConfirm={() => remove.run()}
    >
      <p>
        {isFinal
          ? t('files.ask.remove.final')
          : t(isFolder ? 'files.ask.remove.folder' : 'files.ask.remove.file')}
      </p>
      <div className="mt-3 empty:hidden">
        <ErrorNote issue={remove.issue} />
      </div>
    </AlertDialog>
  );
}
