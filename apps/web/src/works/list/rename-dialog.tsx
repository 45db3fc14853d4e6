/** Renames a conversation. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';

interface RenameDialogProps {
  readonly work: WorkSummary;
  /** The derived title that is used until it has a name. */
  readonly shownTitle: string;
  readonly onClose: () => void;
}

export function RenameDialog({ work: { workId, title: before }, shownTitle, onClose }: RenameDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [title, setTitle] = useState(before || shownTitle);
  const rename = useAction(async () => {
    await client.works.change({ workId, body: { title } });
    onClose();
  });
  return (
    <FormDialog
      title={t('action.rename')}
      submitLabel={t('action.rename')}
      submit={rename}
      canSubmit={title.trim() !== ''}
      onClose={onClose}
    >
      <Field label={t('works.name')}>
        {(ids) => (
          <Input {...ids} value={title} maxLength={200} onChange={(event) => setTitle(event.target.value)} />
        )}
      </Field>
    </FormDialog>
  );
}
