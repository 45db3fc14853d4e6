/** Saves a completed run as a test of its package. */
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { TextField } from '../../ui/forms/simple-fields.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { useToasts } from '../../ui/overlays/toast-store.ts';
import { toShownLine } from '../../ui/sanitize-text.ts';
import { useAction } from '../../ui/use-action.ts';

interface SaveTestDialogProps {
  readonly runId: string;
  /** Title of the workflow. */
  readonly title: string;
  readonly onClose: () => void;
}

export default function SaveTestDialog({ runId, title, onClose }: SaveTestDialogProps) {
  const { t } = useTranslation();
  const { works } = useApi();
  const [name, setName] = useState(title);
  const submit = useAction(async () => {
    const { file, folder } = await works.saveTest({ workId: runId, body: { name: name.trim() } });
    useToasts
      .getState()
      .show(t('control.savedTest', { file: toShownLine(file), folder: toShownLine(folder) }));
    onClose();
  });
  return (
    <FormDialog
      title={t('control.saveTestTitle')}
      submitLabel={t('control.saveTestSubmit')}
      submit={submit}
      canSubmit={name.trim() !== ''}
      onClose={onClose}
    >
      <p className="text-ink-soft">{t('control.saveTestText')}</p>
      <TextField
        label={t('control.saveTestName')}
        value={name}
        maxLength={200}
        data-autofocus
        onChange={setName}
      />
    </FormDialog>
  );
}
