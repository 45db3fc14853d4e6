/** Renames a conversation. */
import type { WorkSummary } from '@crewagent/protocol/api/work-messages';
import { useState } from 'react';
import { useApi } from '../../api/api-context.tsx';
import { useTranslation } from '../../i18n/use-translation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/errors/error-note.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
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
    <Dialog
      isOpen
      title={t('works.rename')}
      closeLabel={t('action.close')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="primary"
            isBusy={rename.isBusy}
            disabled={title.trim() === ''}
            onClick={() => rename.run()}
          >
            {t('works.rename')}
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() !== '') rename.run();
        }}
      >
        <Field label={t('works.name')}>
          {(ids) => (
            <Input
              {...ids}
              value={title}
              maxLength={200}
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <ErrorNote issue={rename.issue} />
      </form>
    </Dialog>
  );
}
