/** Adds or edits a model. */
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { useState } from 'react';
import { useModels } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import { type AddedKeyIssue, issueOfAdded, type KeyDraft, toKeyDraft } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { emptyDraft, toDraft } from './model-draft.ts';
import { ModelFields } from './model-fields.tsx';
import { useModelForm } from './use-model-form.ts';
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
  const form = useModelForm(() => (model ? toDraft(model.name, model.settings) : emptyDraft('openai')));
  const [keys, setKeys] = useState<KeyDraft | undefined>(model?.hasKey ? toKeyDraft(model) : undefined);
  const [keyIssue, setKeyIssue] = useState<AddedKeyIssue>();
  const { data: models } = useModels();
  const keyFor = model?.hasKey ? toDraft(model.name, model.settings) : undefined;
  const save = useSaveModel();
  const keep = useAction(async () => {
    const wanted = form.parse(otherNames);
    const issue = keys && issueOfAdded(keys);
    setKeyIssue(issue);
    const lacksKey = form.lacksKey(keyFor, models?.environment.hasKey ?? true);
    if (!wanted.ok || issue !== undefined || lacksKey) return;
    await save({ ...wanted, key: form.fields.secret, keys, isNew: model === undefined });
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
        {...form.fields}
        keyFor={keyFor}
        usedKey={keys && (keys.names.length > 1 ? keys.used : undefined)}
        keyFields={
          keys ? (
            <KeyFields
              draft={keys}
              issue={keyIssue}
              onChange={(next) => {
                setKeys(next);
                setKeyIssue(undefined);
              }}
            />
          ) : undefined
        }
        overrides={model?.overrides ?? []}
        asksName={model === undefined}
        startsAtKey={startsAtKey}
        hasPresets
      />
    </FormDialog>
  );
}
