/**
 * Built-in models over HTTP: an installation runs in the background, one at a time; clients poll its progress.
 */
import { CrewError } from '@crewagent/core';
import { ENDPOINTS } from '@crewagent/protocol/api/endpoints';
import type { BuiltinModels } from '@crewagent/protocol/api/settings';
import { mount, type Router } from '../mount.ts';
import type { ServerParts } from '../server-parts.ts';

type Installation = NonNullable<BuiltinModels['installation']>;

export function mountBuiltinModels(
  router: Router,
  { runtime, onBug }: Pick<ServerParts, 'runtime' | 'onBug'>,
): void {
  const { models } = ENDPOINTS;
  const { store } = runtime;
  let installation: Installation | undefined;
  let stopper = new AbortController();
  const isUnderWay = (): boolean =>
    installation?.status === 'runtime' || installation?.status === 'downloading';

  const show = async (): Promise<BuiltinModels> => {
    const { RECOMMENDED_MODELS, recommendModel, listBuiltinModels } = await runtime.builtinModels();
    const best = recommendModel().name;
    return {
      recommended: RECOMMENDED_MODELS.map(({ url: _, ...model }) => ({
        ...model,
        isBest: model.name === best,
      })),
      installed: (await listBuiltinModels(store)).map(({ name, bytes }) => ({
        name,
        ...(bytes === undefined ? {} : { bytes }),
      })),
      ...(installation ? { installation } : {}),
    };
  };

  const install = async (name: string, signal: AbortSignal): Promise<void> => {
    const { planBuiltinModel, installBuiltinModel } = await runtime.builtinModels();
    const report = (change: Partial<Installation>): void => {
      if (installation?.name === name) installation = { ...installation, ...change };
    };
    try {
      const plan = await planBuiltinModel(name, store);
      await installBuiltinModel(plan, store, {
        signal,
        onRuntime: () => report({ status: 'runtime' }),
        onProgress: (receivedBytes, totalBytes) =>
          report({
            status: 'downloading',
            receivedBytes,
            ...(totalBytes === undefined ? {} : { totalBytes }),
          }),
      });
      report({ status: 'done' });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof CrewError)) onBug('install', error);
      const message = error instanceof CrewError ? error.message : 'The installation failed. Try again.';
      report({ status: 'failed', message });
    }
  };

  mount(router, models.showBuiltin, show);
  mount(router, models.installBuiltin, async ({ body: { name } }) => {
    const { RECOMMENDED_MODELS } = await runtime.builtinModels();
    if (!RECOMMENDED_MODELS.some((model) => model.name === name))
      throw new CrewError('NOT_FOUND', `There is no recommended model "${name}".`);
    if (isUnderWay() && installation?.name !== name)
      throw new CrewError(
        'USAGE',
        `${installation?.name} is being installed; wait for it, or remove it first.`,
      );
    if (!isUnderWay()) {
      installation = { name, status: 'downloading', receivedBytes: 0 };
      stopper = new AbortController();
      void install(name, stopper.signal);
    }
    return show();
  });
  mount(router, models.removeBuiltin, async ({ params: { name } }) => {
    const { listBuiltinModels, removeBuiltinModel } = await runtime.builtinModels();
    if (installation?.name === name) {
      stopper.abort();
      installation = undefined;
    }
    if ((await listBuiltinModels(store)).some((model) => model.name === name))
      await removeBuiltinModel(name, store);
    return show();
  });
}
