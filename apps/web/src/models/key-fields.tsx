/** The API keys of a saved model: which one is used, and adding or removing one. Keys are never shown. */
import { Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Field } from '../ui/forms/field.tsx';
import { FormField, type FormState } from '../ui/forms/form-field.tsx';
import { Select } from '../ui/forms/input.tsx';
import { type KeyDraft, withoutKey } from './key-draft.ts';
import { MODEL_SHAPE } from './model-form.ts';
import { toShownKeyName } from './shown-key-name.ts';

interface KeyFieldsProps {
  readonly form: FormState;
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
}

export function KeyFields({ form, draft, onChange }: KeyFieldsProps) {
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
            <Field label={t('modelForm.usedKey')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={used}
                  onChoose={(use) => onChange({ ...draft, used: use })}
                  options={names.map((name) => ({ value: name, label: shown(name) }))}
                />
              )}
            </Field>
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
          icon={<Plus aria-hidden="true" className="size-4" />}
          onClick={() => onChange({ ...draft, isAdding: true })}
        >
          {t('modelForm.addKey')}
        </Button>
      )}
    </div>
  );
}
