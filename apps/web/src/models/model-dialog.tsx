/** Adds or edits a model. */
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';
import { type AddedKeyIssue, issueOfAdded, type KeyDraft, toKeyDraft } from './key-draft.ts';
import { KeyFields } from './key-fields.tsx';
import { emptyDraft, type ParsedDraft, parseDraft, toDraft } from './model-draft.ts';
import { ModelFields } from './model-fields.tsx';
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
  const [draft, setDraft] = useState(() =>
    model ? toDraft(model.name, model.settings) : emptyDraft('openai'),
  );
  const [secret, setSecret] = useState('');
  const [keys, setKeys] = useState<KeyDraft | undefined>(model?.hasKey ? toKeyDraft(model) : undefined);
  const [keyIssue, setKeyIssue] = useState<AddedKeyIssue>();
  const [parsed, setParsed] = useState<ParsedDraft>();
  const save = useSaveModel();
  const keep = useAction(async () => {
    const wanted = parseDraft(draft, otherNames);
    setParsed(wanted);
    const issue = keys && issueOfAdded(keys);
    setKeyIssue(issue);
    if (!wanted.ok || issue !== undefined) return;
    await save({ ...wanted, key: secret, keys, isNew: model === undefined });
    useToasts.getState().show(t('models.saved', { name: wanted.name }));
    onSaved(wanted.name);
  });
  return (
    <Dialog
      isOpen
      title={model ? t('models.editTitle', { name: model.name }) : t('models.add')}
      closeLabel={t('action.close')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button kind="primary" type="submit" form="model-form" isBusy={keep.isBusy}>
            {t('models.saveAndTest')}
          </Button>
        </>
      }
    >
      <form
        id="model-form"
        noValidate
        className="flex flex-col gap-3.5 pt-1"
        onSubmit={(event) => {
          event.preventDefault();
          keep.run();
        }}
      >
        <ModelFields
          draft={draft}
          issues={parsed?.ok === false ? parsed.issues : {}}
          onChange={(next) => {
            setDraft(next);
            setParsed(undefined);
          }}
          secret={secret}
          onSecret={setSecret}
          hasKey={model?.hasKey ?? false}
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
        <ErrorNote issue={keep.issue} />
      </form>
    </Dialog>
  );
}
