/**
 * Saves a model and its key. The key is sent to the server and then gone from the page; if it is rejected, a newly added model is
 * removed again.
 */
import type { ApiClient } from '@crewagent/protocol/api/client';
import type { ModelDraft } from '@crewagent/protocol/api/settings';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useApi } from '../api/api-context.tsx';
import { forgetModels, type ModelTest } from '../api/settings-queries.ts';
import { useFailedModels } from '../state/failed-models.ts';
import { toError } from '../ui/errors/error-texts.ts';
import type { KeyDraft, ParsedModel } from './model-form.ts';

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

interface ModelTrial {
  /** Undefined: the default model. */
  readonly name: string | undefined;
  readonly isBusy: boolean;
  readonly outcome?: ModelTest;
  readonly issue?: Error;
}

export type ModelTester = ReturnType<typeof useModelTest>;

/** Tests a model with a real request, one at a time; the result names its model. */
export function useModelTest() {
  const client = useApi();
  const [trial, setTrial] = useState<ModelTrial>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  /** `draft`: tested as it is typed, and not what is saved under the name. */
  const run = async (name?: string, draft?: ModelDraft): Promise<ModelTest | undefined> => {
    underWay.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    underWay.current = controller;
    setTrial({ name, isBusy: true });
    try {
      const outcome = await client.models.test({ body: draft ? { draft } : { model: name } }, { signal });
      if (signal.aborted) return undefined;
      if (name !== undefined && !draft && outcome.report)
        useFailedModels.getState().note(name, outcome.report.ok);
      setTrial({ name, isBusy: false, outcome });
      return outcome;
    } catch (error) {
      if (!signal.aborted) setTrial({ name, isBusy: false, issue: toError(error) });
      return undefined;
    }
  };
  const stop = (): void => {
    underWay.current?.abort();
    setTrial(undefined);
  };
  return { trial, run, stop };
}
