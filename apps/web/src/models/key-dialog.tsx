/** Replaces the key of a model that rejected the current one. */
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { useModels } from '../api/queries.ts';
import { forgetModels } from '../api/settings-queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { FormField, useForm } from '../ui/forms/form-field.tsx';
import { Note } from '../ui/note.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useAction } from '../ui/use-action.ts';
import { MODEL_SHAPE, textOf } from './model-form.ts';

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
  const form = useForm(() => ({ key: '' }));
  const key = textOf(form.values, 'key');
  const { data } = useModels();
  const override = data?.models
    .find((model) => model.name === name)
    ?.overrides.find(({ field }) => field === 'key');
  const save = useAction(async () => {
    await client.models.setKey({ name, body: { key } });
    await forgetModels(queries);
    await onSaved();
    onClose();
  });
  return (
    <FormDialog
      title={t('recovery.keyTitle', { name })}
      submitLabel={t('recovery.saveAndRetry')}
      submit={save}
      canSubmit={key !== '' && override === undefined}
      isDirty={form.isDirty}
      onClose={onClose}
    >
      {override ? (
        <Note level="warning" title={t('recovery.keyFromEnv', { variable: override.variable })} />
      ) : undefined}
      <FormField
        {...{ form, texts: 'model', shape: MODEL_SHAPE, path: 'key' }}
        label={t('recovery.key')}
        hint={t('recovery.keyHint')}
        isDisabled={override !== undefined}
        data-autofocus
      />
    </FormDialog>
  );
}
