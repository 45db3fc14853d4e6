/** Connects a model from a preset. If it works, the example starts with it in the folder that is shown beside the button. */
import '../i18n/settings-texts.ts';
import type { Provider } from '@crewagent/protocol/model';
import { Play } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from '../i18n/use-translation.ts';
import type { FoundModel } from '../models/found-servers.tsx';
import { ModelFields } from '../models/model-fields.tsx';
import { toModelValues } from '../models/model-form.ts';
import { presetOf } from '../models/model-presets.ts';
import { TrialReport } from '../models/trial-report.tsx';
import { useConnectModel } from '../models/use-connect-model.ts';
import type { ModelTester } from '../models/use-save-model.ts';
import { useOffers } from '../state/team-server.ts';
import { Button } from '../ui/button.tsx';
import { ErrorNote } from '../ui/errors/error-note.tsx';
import { Form } from '../ui/forms/field.tsx';
import { useForm } from '../ui/forms/form-field.tsx';
import { ExampleFolder, useExampleStart } from './example-start.tsx';

interface ModelSetupProps {
  readonly provider: Provider;
  /** A model of a server that was found: its URL and its name are filled in. */
  readonly found?: FoundModel | undefined;
  /** Another model is in use already: this one is only saved. */
  readonly hasDefault: boolean;
  readonly tester: ModelTester;
  readonly onClose: () => void;
}

export function ModelSetup({ provider, found, hasDefault, tester, onClose }: ModelSetupProps) {
  const { t } = useTranslation();
  const form = useForm(() => toModelValues({ provider, ...found }));
  const { example, folder, hasSamples, start } = useExampleStart();
  // The example works in a folder of this machine.
  const hasFolders = useOffers('projects.open');
  const starts = hasFolders && !hasDefault && example !== undefined;
  const { testAndSave, saveAnyway } = useConnectModel({
    form,
    tester,
    onSaved: async (name, works) => {
      if (works && starts) await start(name);
      onClose();
    },
  });
  const { isBusy } = testAndSave;
  const element = useRef<HTMLFormElement>(null);
  // What was pressed to open the form is gone.
  useEffect(() => element.current?.querySelector('input')?.focus(), []);
  // The button loses the focus while it is disabled.
  useEffect(() => {
    if (!isBusy) return undefined;
    return () => element.current?.querySelector<HTMLElement>('[aria-invalid=true], [type=submit]')?.focus();
  }, [isBusy]);
  const name = presetOf(provider).brand ?? t('modelForm.custom');
  return (
    <Form
      ref={element}
      aria-label={t('model.setUp', { name })}
      className="flex flex-col gap-3.5 border-t pt-4"
      onSubmit={() => testAndSave.run()}
    >
      <h3 className="font-semibold">{name}</h3>
      <ModelFields form={form} />
      <ErrorNote issue={testAndSave.issue ?? saveAnyway.issue} />
      <TrialReport tester={tester} saveAnyway={saveAnyway} />
      {starts ? <ExampleFolder folder={folder} hasSamples={hasSamples} /> : undefined}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button
          type="submit"
          kind="primary"
          icon={starts ? <Play className="size-4" /> : undefined}
          isBusy={isBusy}
        >
          {t(starts ? 'models.testAndStart' : 'models.testAndSave')}
        </Button>
      </div>
    </Form>
  );
}
