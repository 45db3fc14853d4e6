/** Adds or edits a model. */
import '../i18n/settings-texts.ts';
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { FormField, type FormState, useForm } from '../ui/forms/form-field.tsx';
import { SelectField } from '../ui/forms/simple-fields.tsx';
import { FormDialog } from '../ui/overlays/form-dialog.tsx';
import { FoundServers } from './found-servers.tsx';
import { ModelFields } from './model-fields.tsx';
import {
  type KeyDraft,
  MODEL_SHAPE,
  toKeyDraft,
  toModelValues,
  toShownKeyName,
  withoutKey,
} from './model-form.ts';
import { TrialReport } from './trial-report.tsx';
import { useConnectModel } from './use-connect-model.ts';
import type { ModelTester } from './use-save-model.ts';

interface ModelDialogProps {
  /** Undefined: a new model. */
  readonly model: ShownModel | undefined;
  readonly tester: ModelTester;
  /** Focuses the key field first. */
  readonly startsAtKey?: boolean;
  /** What follows as soon as the model works, where something waits for it; else it is only saved. */
  readonly next?: ConnectNext | undefined;
  readonly onClose: () => void;
}

export interface ConnectNext {
  /** Beside the button: where it acts. */
  readonly beside: ReactNode;
  readonly run: (name: string) => Promise<void>;
}

export function ModelDialog({ model, tester, startsAtKey = false, next, onClose }: ModelDialogProps) {
  const { t } = useTranslation();
  const toSaved = () =>
    toModelValues(model ? { name: model.name, ...model.settings } : { provider: 'openai' });
  const form = useForm(toSaved);
  const [keys, setKeys] = useState<KeyDraft | undefined>(model?.hasKey ? toKeyDraft(model) : undefined);
  const keyFor = model?.hasKey ? toSaved() : undefined;
  const { testAndSave, saveAnyway } = useConnectModel({
    ...{ form, tester, model, keys, keyFor },
    onSaved: async (name, works) => {
      if (works) await next?.run(name);
      onClose();
    },
  });
  const close = (): void => {
    tester.stop();
    onClose();
  };
  return (
    <FormDialog
      title={model ? t('models.editTitle', { name: model.name }) : t(next ? 'model.connect' : 'models.add')}
      submitLabel={t(next ? 'models.testAndStart' : 'models.testAndSave')}
      submit={testAndSave}
      isDirty={form.isDirty}
      beside={next?.beside}
      onClose={close}
    >
      {model ? undefined : (
        <FoundServers isWanted onChoose={(found) => form.change({ ...form.values, ...found })} />
      )}
      <ModelFields
        {...{ form, keyFor, startsAtKey }}
        usedKey={keys && (keys.names.length > 1 ? keys.used : undefined)}
        keyFields={keys ? <KeyFields form={form} draft={keys} onChange={setKeys} /> : undefined}
        overrides={model?.overrides ?? []}
        asksName={model === undefined}
        hasPresets
      />
      <ErrorNote issue={saveAnyway.issue} />
      <TrialReport tester={tester} saveAnyway={saveAnyway} />
    </FormDialog>
  );
}

interface KeyFieldsProps {
  readonly form: FormState;
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

/** The API keys of a saved model: which one is used, and adding or removing one. Keys are never shown. */
function KeyFields({ form, draft, onChange }: KeyFieldsProps) {
  const { t } = useTranslation();
  const { names, used, useNext, isAdding } = draft;
  const shown = (name: string): string => toShownKeyName(name, t);
  const added = useRef<HTMLInputElement>(null);
  // The button that was pressed is gone.
  useEffect(() => {
    if (isAdding) added.current?.focus();
  }, [isAdding]);
  return (
    <div className="flex flex-col items-start gap-3.5">
      {names.length > 1 ? (
        <div className="flex w-full flex-wrap items-end gap-2">
          <div className="grow">
            <SelectField
              label={t('modelForm.usedKey')}
              value={used}
              onChoose={(use) => onChange({ ...draft, used: use })}
              options={names.map((name) => ({ value: name, label: shown(name) }))}
            />
          </div>
          <Button onClick={() => onChange(withoutKey(draft, used))}>
            {t('modelForm.removeKey', { name: shown(used) })}
          </Button>
        </div>
      ) : undefined}
      {isAdding ? (
        <div className="grid w-full gap-3.5 sm:grid-cols-2">
          <FormField {...{ form, ref: added }} shape={MODEL_SHAPE} texts="model" path="addedKey.name" />
          <FormField
            form={form}
            shape={MODEL_SHAPE}
            texts="model"
            path="addedKey.key"
            hint={t('modelForm.keyHint')}
          />
        </div>
      ) : undefined}
      {names.length > 1 || isAdding ? (
        <Checkbox
          label={t('modelForm.useNextKey')}
          isChecked={useNext}
          onChange={(next) => onChange({ ...draft, useNext: next })}
        />
      ) : undefined}
      {isAdding ? undefined : (
        <Button
          size="sm"
          kind="quiet"
          icon={<Plus className="size-4" />}
          onClick={() => onChange({ ...draft, isAdding: true })}
        >
          {t('modelForm.addKey')}
        </Button>
      )}
    </div>
  );
}
