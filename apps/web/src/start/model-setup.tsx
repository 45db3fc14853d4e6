/** Sets up a model from a preset: saved, then tested. A model that does not work is saved, but does not become the default. */

import type { LocalServer } from '@crewagent/protocol/api/settings';
import type { Provider } from '@crewagent/protocol/model';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import { ModelFields } from '../models/model-fields.tsx';
import { type KeyOwner, parseModel, toModelValues } from '../models/model-form.ts';
import { brandOf } from '../models/model-presets.ts';
import { type ModelTester, useSaveModel, useTryAndChoose } from '../models/use-save-model.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Form } from '../ui/forms/field.tsx';
import { useForm } from '../ui/forms/form-field.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { useAction } from '../ui/use-action.ts';

interface ModelSetupProps {
  readonly provider: Provider;
  /** A detected server: its URL and its first model are filled in. */
  readonly server?: LocalServer | undefined;
  readonly names: readonly string[];
  readonly hasDefault: boolean;
  /** A variable of the environment has a key. */
  readonly hasKeyVariable: boolean;
  readonly tester: ModelTester;
  readonly onClose: () => void;
}

export function ModelSetup(props: ModelSetupProps) {
  const { provider, server, names, hasDefault, hasKeyVariable, tester, onClose } = props;
  const { t } = useTranslation();
  const form = useForm(() =>
    toModelValues({
      provider,
      ...(server && { baseUrl: server.baseUrl, model: server.models[0]?.id ?? '' }),
    }),
  );
  const [savedName, setSavedName] = useState<string>();
  const [keyFor, setKeyFor] = useState<KeyOwner>();
  const saveModel = useSaveModel();
  const tryOut = useTryAndChoose(tester);
  const saving = useAction(async () => {
    // A second attempt edits the same model.
    const otherNames = names.filter((name) => name !== savedName);
    const values = { ...form.values, name: form.values.name || (savedName ?? '') };
    const wanted = parseModel(values, { otherNames, keyFor, hasKeyVariable });
    if (!wanted.ok) return form.setIssues(wanted.issues);
    await saveModel({ ...wanted, isNew: savedName === undefined });
    setSavedName(wanted.name);
    const withoutKey = { ...form.values, key: '' };
    if (wanted.key !== undefined) setKeyFor(withoutKey);
    form.change(withoutKey);
    if (!(await tryOut(wanted.name, hasDefault))) return;
    useToasts.getState().show(t('models.saved', { name: wanted.name }));
    onClose();
  });
  const element = useRef<HTMLFormElement>(null);
  // What was pressed to open the form is gone.
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  // The button loses the focus while it is disabled.
  useEffect(() => {
    if (!saving.isBusy) return undefined;
    return () => element.current?.querySelector<HTMLElement>('[aria-invalid=true], [type=submit]')?.focus();
  }, [saving.isBusy]);
  return (
    <Form
      ref={element}
      aria-label={t('model.setUp', { name: brandOf(provider) ?? t('modelForm.custom') })}
      className="flex flex-col gap-3.5 border-t pt-4"
      onSubmit={() => saving.run()}
    >
      <h3 className="font-semibold">{brandOf(provider) ?? t('modelForm.custom')}</h3>
      <ModelFields form={form} keyFor={keyFor} />
      <ErrorNote issue={saving.issue} />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button type="submit" kind="primary" isBusy={saving.isBusy}>
          {t('models.saveAndTest')}
        </Button>
      </div>
    </Form>
  );
}
