/** Replaces the key of a model that rejected the current one. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { useModels } from '../api/queries.ts';
import { forgetModels } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Note } from '../ui/note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useAction } from '../ui/use-action.ts';

interface KeyDialogProps {
  /** Name of the model in the settings. */
  readonly name: string;
  readonly onClose: () => void;
  /** Called after the key was saved. */
  readonly onSaved: () => Promise<void>;
}

export function KeyDialog({ name, onClose, onSaved }: KeyDialogProps) {
  const { t } = useTranslation();
  const client = useApi();
  const queries = useQueryClient();
  const [key, setKey] = useState('');
  const { data } = useModels();
  const override = data?.models
    .find((model) => model.name === name)
    ?.overrides.find(({ field }) => field === 'key');
  const save = useAction(async () => {
    await client.models.setKey({ name, body: { key: key.trim() } });
    await forgetModels(queries);
    await onSaved();
    onClose();
  });
  return (
    <Dialog
      isOpen
      title={t('recovery.keyTitle', { name })}
      closeLabel={t('action.close')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            kind="primary"
            type="submit"
            form="key-form"
            disabled={key.trim() === '' || override !== undefined}
            isBusy={save.isBusy}
          >
            {t('recovery.saveAndRetry')}
          </Button>
        </>
      }
    >
      <form
        id="key-form"
        noValidate
        className="flex flex-col gap-3 pt-1"
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        {override ? (
          <Note level="warning" title={t('recovery.keyFromEnv', { variable: override.variable })} />
        ) : undefined}
        <Field label={t('recovery.key')} hint={t('recovery.keyHint')}>
          {(ids) => (
            <Input
              {...ids}
              type="password"
              autoComplete="new-password"
              spellCheck={false}
              value={key}
              disabled={override !== undefined}
              data-autofocus
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <ErrorNote issue={save.issue} />
      </form>
    </Dialog>
  );
}
