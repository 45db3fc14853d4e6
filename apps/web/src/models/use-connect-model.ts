/**
 * Connects a model: what is typed is tested first, and saved only if it works. A refused key is an issue of its field. The first
 * model that works becomes the default.
 */
import '../i18n/settings-texts.ts';
import type { ShownModel } from '@crewagent/protocol/api/settings';
import { useModels } from '../api/queries.ts';
import { useTranslation } from '../i18n/use-translation.ts';
import type { FormState } from '../ui/forms/form-field.tsx';
import { useToasts } from '../ui/overlays/toast-store.ts';
import { toShownLine } from '../ui/sanitize-text.ts';
import { useAction } from '../ui/use-action.ts';
import { hasOwnDefault } from './answering-model.ts';
import { type KeyDraft, type KeyOwner, parseModel } from './model-form.ts';
import { adviceFor } from './trial-report.tsx';
import { type ModelTester, useMakeDefault, useSaveModel } from './use-save-model.ts';

interface ConnectOptions {
  readonly form: FormState;
  readonly tester: ModelTester;
  /** The saved model that is edited; undefined: one is added. */
  readonly model?: ShownModel | undefined;
  readonly keys?: KeyDraft | undefined;
  readonly keyFor?: KeyOwner | undefined;
  /** Called after the model was saved; `works` is false if it was saved in spite of its test. */
  readonly onSaved: (name: string, works: boolean) => Promise<void> | void;
}

export function useConnectModel({ form, tester, model, keys, keyFor, onSaved }: ConnectOptions) {
  const { t } = useTranslation();
  const { data } = useModels();
  const save = useSaveModel();
  const makeDefault = useMakeDefault();
  const saved = data?.models ?? [];
  const isSaved = (name: string): boolean => saved.some((other) => other.name === name);
  const parse = () => {
    const wanted = parseModel(form.values, {
      otherNames: saved.map(({ name }) => name).filter((name) => name !== model?.name),
      saved: model ? undefined : saved,
      keyNames: keys?.names,
      keyFor,
      hasKeyVariable: data?.environment.hasKey ?? true,
    });
    if (!wanted.ok) form.setIssues(wanted.issues);
    return wanted.ok ? wanted : undefined;
  };
  const keep = async (wanted: NonNullable<ReturnType<typeof parse>>, works: boolean): Promise<void> => {
    await save({ ...wanted, keys, isNew: !isSaved(wanted.name) });
    if (works && !hasOwnDefault(data)) await makeDefault(wanted.name);
    useToasts.getState().show(t('models.saved', { name: toShownLine(wanted.name) }));
    await onSaved(wanted.name, works);
  };
  const testAndSave = useAction(async () => {
    const wanted = parse();
    if (!wanted) return;
    const { name, settings, key } = wanted;
    const outcome = await tester.run(name, { settings, key, savedModel: isSaved(name) ? name : undefined });
    const failed = outcome?.report?.steps.find(({ ok }) => !ok);
    const advice = failed && adviceFor(failed);
    if (advice === 'key' || advice === 'noKey') {
      tester.stop();
      form.setIssues({ key: advice === 'key' ? 'refused' : 'missing' });
    } else if (outcome?.report?.ok) await keep(wanted, true);
  });
  /** For a model that failed its test; it does not become the default. */
  const saveAnyway = useAction(async () => {
    const wanted = parse();
    if (wanted) await keep(wanted, false);
  });
  return { testAndSave, saveAnyway };
}
