/** Gives a conversation a name. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useApi } from '../api/api-context.tsx';
import type { Conversation } from '../state/work-list.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { FaultNote } from '../ui/fault-note.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { useAction } from '../ui/use-action.ts';

interface RenameDialogProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

export function RenameDialog({
  conversation: { conversationId, title: before },
  onClose,
}: RenameDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const [title, setTitle] = useState(before);
  const rename = useAction(async () => {
    await client.conversations.change({ conversationId, body: { title } });
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
        <FaultNote fault={rename.fault} />
      </form>
    </Dialog>
  );
}
