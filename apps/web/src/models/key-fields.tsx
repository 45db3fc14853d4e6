/** The API keys of a saved model: which one is used, and adding or removing one. Keys are never shown. */
import { Plus } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/forms/checkbox.tsx';
import { Field } from '../ui/forms/field.tsx';
import { Input } from '../ui/forms/input.tsx';
import { Select } from '../ui/forms/select.tsx';
import { type AddedKey, type AddedKeyIssue, type KeyDraft, withoutKey } from './key-draft.ts';
import { KeyInput } from './key-input.tsx';
import { toShownKeyName } from './shown-key-name.ts';

interface KeyFieldsProps {
  readonly draft: KeyDraft;
  readonly onChange: (draft: KeyDraft) => void;
  readonly issue: AddedKeyIssue | undefined;
}

export function KeyFields({ draft, onChange, issue }: KeyFieldsProps) {
  const { t } = useTranslation();
  const { names, used, useNext, added } = draft;
  const shown = (name: string): string => toShownKeyName(name, t);
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
      {added ? (
        <AddedKeyFields
          added={added}
          issue={issue}
          onChange={(next) => onChange({ ...draft, added: next })}
        />
      ) : undefined}
      {names.length > 1 || added ? (
        <Checkbox
          label={t('modelForm.useNextKey')}
          isChecked={useNext}
          onChange={(next) => onChange({ ...draft, useNext: next })}
        />
      ) : undefined}
      {added ? undefined : (
        <Button
          size="sm"
          kind="quiet"
          icon={<Plus aria-hidden="true" className="size-4" />}
          onClick={() => onChange({ ...draft, added: { name: '', key: '' } })}
        >
          {t('modelForm.addKey')}
        </Button>
      )}
    </div>
  );
}

interface AddedKeyFieldsProps {
  readonly added: AddedKey;
  readonly issue: AddedKeyIssue | undefined;
  readonly onChange: (added: AddedKey) => void;
}

function AddedKeyFields({ added, issue, onChange }: AddedKeyFieldsProps) {
  const { t } = useTranslation();
  const nameRef = useRef<HTMLInputElement>(null);
  // The button that was pressed is gone.
  useEffect(() => nameRef.current?.focus(), []);
  const issueText = issue === undefined ? undefined : t(`modelForm.issues.${issue}`);
  return (
    <div className="grid w-full gap-3.5 sm:grid-cols-2">
      <Field
        label={t('modelForm.keyName')}
        hint={t('modelForm.keyNameHint')}
        issue={issue === 'keyMissing' ? undefined : issueText}
      >
        {(ids) => (
          <Input
            {...ids}
            ref={nameRef}
            value={added.name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...added, name: event.target.value })}
          />
        )}
      </Field>
      <Field
        label={t('modelForm.anotherKey')}
        hint={t('modelForm.keyHint')}
        issue={issue === 'keyMissing' ? issueText : undefined}
      >
        {(ids) => <KeyInput {...ids} value={added.key} onChange={(key) => onChange({ ...added, key })} />}
      </Field>
    </div>
  );
}
