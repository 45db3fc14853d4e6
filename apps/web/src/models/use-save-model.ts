/**
 * Saves a model and its key. The key is sent to the server and then gone from the page; if it is rejected, a newly added model is
 * removed again.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { forgetModels } from '../api/settings-queries.ts';
import { useFailedModels } from '../state/failed-models.ts';
import type { KeyDraft } from './key-draft.ts';
import type { ParsedModel } from './model-form.ts';
import type { ModelTester } from './use-model-test.ts';

export interface ModelToSave extends Omit<Extract<ParsedModel, { ok: true }>, 'ok'> {
  /** Changes to several keys of a saved model. */
  readonly keys?: KeyDraft | undefined;
  readonly isNew: boolean;
}

export function useSaveModel(): (model: ModelToSave) => Promise<void> {
  const { models } = useApi();
  const queries = useQueryClient();
  return async (model) => {
    const { name, settings, key, isNew } = model;
    // The default is chosen separately.
    await models.put({ name, body: { settings, isDefault: false } });
    try {
      // The chosen key first: a typed key replaces it.
      await saveKeys(models, model);
      if (key !== undefined) await models.setKey({ name, body: { key } });
    } catch (error) {
      if (isNew) await models.remove({ name });
      throw error;
    } finally {
      useFailedModels.getState().note(name, true);
      await forgetModels(queries);
    }
  };
}

async function saveKeys(models: ApiClient['models'], { name, keys, addedKey }: ModelToSave): Promise<void> {
  if (!keys) return;
  const { removed, names, used, useNext } = keys;
  for (const keyName of removed) await models.removeKey({ name, query: { keyName } });
  if (addedKey) await models.setKey({ name, body: { key: addedKey.key, keyName: addedKey.name } });
  if (names.length > 1 || addedKey) await models.chooseKey({ name, body: { use: used, useNext } });
}

export function useMakeDefault(): (name: string | null) => Promise<void> {
  const client = useApi();
  const queries = useQueryClient();
  return async (name) => {
    await client.settings.update({ body: { defaultModel: name } });
    await forgetModels(queries);
  };
}

/** Tests a model; if it works and no model was chosen yet, it becomes the default. */
export function useTryAndChoose(
  tester: ModelTester,
): (name: string, hasDefault: boolean) => Promise<boolean> {
  const makeDefault = useMakeDefault();
  return async (name, hasDefault) => {
    const works = (await tester.run(name))?.report?.ok === true;
    if (works && !hasDefault) await makeDefault(name);
    return works;
  };
}
