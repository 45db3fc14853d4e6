/** Adds or edits a model. */
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { useState } from 'react';
import { useModels } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { useForm } from '../ui/forms/form-field.tsx';
import { FormDialog } from '../ui/overlays/dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import { type KeyDraft, toKeyDraft } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { ModelFields } from './model-fields.tsx';
import { parseModel, toModelValues } from './model-form.ts';
import { useSaveModel } from './use-save-model.ts';

interface ModelDialogProps {
  /** Undefined: a new model. */
  readonly model: ShownModel | undefined;
  readonly otherNames: readonly string[];
  /** Focuses the key field first. */
  readonly startsAtKey: boolean;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

export function ModelDialog(props: ModelDialogProps) {
  const { model, otherNames, startsAtKey, onClose, onSaved } = props;
  const { t } = useTranslation();
  const toSaved = () =>
    toModelValues(model ? { name: model.name, ...model.settings } : { provider: 'openai' });
  const form = useForm(toSaved);
  const [keys, setKeys] = useState<KeyDraft | undefined>(model?.hasKey ? toKeyDraft(model) : undefined);
  const { data: models } = useModels();
  const keyFor = model?.hasKey ? toSaved() : undefined;
  const save = useSaveModel();
  const keep = useAction(async () => {
    const hasKeyVariable = models?.environment.hasKey ?? true;
    const wanted = parseModel(form.values, { otherNames, keyNames: keys?.names, keyFor, hasKeyVariable });
    if (!wanted.ok) return form.setIssues(wanted.issues);
    await save({ ...wanted, keys, isNew: model === undefined });
    useToasts.getState().show(t('models.saved', { name: wanted.name }));
    onSaved(wanted.name);
  });
  return (
    <FormDialog
      title={model ? t('models.editTitle', { name: model.name }) : t('models.add')}
      submitLabel={t('models.saveAndTest')}
      submit={keep}
      onClose={onClose}
    >
      <ModelFields
        {...{ form, keyFor, startsAtKey }}
        usedKey={keys && (keys.names.length > 1 ? keys.used : undefined)}
        keyFields={keys ? <KeyFields form={form} draft={keys} onChange={setKeys} /> : undefined}
        overrides={model?.overrides ?? []}
        asksName={model === undefined}
        hasPresets
      />
    </FormDialog>
  );
}
