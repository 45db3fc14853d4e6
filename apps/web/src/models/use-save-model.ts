/**
 * Keeps a model with its key. The key goes to the server and is nowhere on the page afterwards; where it is not taken, a model
 * that was not there before is taken away again.
 */
import type { ModelSettings } from '@crewagent/protocol/model';
import { useQueryClient } from '@tanstack/react-query';
import { useApi } from '../api/api-context.tsx';
import { forgetModels } from '../api/settings-queries.ts';
import { useFailedModels } from '../state/failed-models.ts';
import type { ModelTester } from './use-model-test.ts';

export interface ModelToSave {
  readonly name: string;
  readonly settings: ModelSettings;
  /** Empty: the key stays as it is. */
  readonly key: string;
  readonly isNew: boolean;
}

export function useSaveModel(): (model: ModelToSave) => Promise<void> {
  const { models } = useApi();
  const queries = useQueryClient();
  return async ({ name, settings, key, isNew }) => {
    // Which one is the default is a choice of its own.
    await models.put({ name, body: { settings, isDefault: false } });
    try {
      if (key !== '') await models.setKey({ name, body: { key } });
    } catch (error) {
      if (isNew) await models.remove({ name });
      throw error;
    } finally {
      useFailedModels.getState().note(name, true);
      await forgetModels(queries);
    }
  };
}

export function useMakeDefault(): (name: string | null) => Promise<void> {
  const client = useApi();
  const queries = useQueryClient();
  return async (name) => {
    await client.settings.update({ body: { defaultModel: name } });
    await forgetModels(queries);
  };
}

/** Tries a model out; where none was chosen yet and it works, it is the one that answers from now on. */
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
