/** Asks for a path: of a new file or folder, or the target of a move. */
import { useState } from 'react';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';
import { joinPath, nameOf, PROJECT, toShownPath } from '../paths.ts';
import { useFileActions } from '../use-file-actions.ts';

interface PathDialogProps {
  readonly kind: 'new-file' | 'new-folder' | 'move';
  readonly projectId: string;
  /** The file to move, or the parent folder of the new one. */
  readonly path: string;
  readonly onClose: () => void;
}

export function PathDialog({ kind, projectId, path, onClose }: PathDialogProps) {
  const { t } = useTranslation();
  const actions = useFileActions(projectId);
  const shown = toShownPath(path);
  const [typed, setTyped] = useState(kind === 'move' ? shown : shown === '' ? '' : `${shown}/`);
  const target = joinPath(PROJECT, typed);
  const isReady = target !== PROJECT && target !== path && !typed.endsWith('/');
  const act = useAction(async () => {
    if (kind === 'new-file') await actions.createFile(target);
    else if (kind === 'new-folder') await actions.createFolder(target);
    else await actions.move(path, target);
    onClose();
  });
  return (
    <FormDialog
      title={
        kind === 'move'
          ? t('files.ask.move.title', { name: toShownLine(nameOf(path)) })
          : t(`files.ask.${kind}.title`)
      }
      submitLabel={t(`files.ask.${kind}.do`)}
      submit={act}
      canSubmit={isReady}
      onClose={onClose}
    >
      <Field label={t(`files.ask.${kind}.label`)} hint={t(`files.ask.${kind}.hint`)}>
        {(ids) => (
          <Input
            {...ids}
            data-autofocus
            value={typed}
            maxLength={1_000}
            spellCheck={false}
            autoComplete="off"
            placeholder={kind === 'new-file' ? 'notes.md' : undefined}
            className="font-mono"
            onChange={(event) => {
              act.forget();
              setTyped(event.target.value);
            }}
          />
        )}
      </Field>
    </FormDialog>
  );
}
