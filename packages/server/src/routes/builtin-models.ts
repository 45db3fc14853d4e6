/**
 * Built-in models over HTTP: an installation runs in the background, one at a time; clients poll its progress.
 */
import { isAbsolute } from 'node:path';
import { type BuiltinPlan, CrewError } from '@crewagent/core';
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
  /** Ends when nothing is written any more. */
  let running: Promise<void> = Promise.resolve();
  const isUnderWay = (): boolean =>
    installation?.status === 'runtime' || installation?.status === 'downloading';

  const show = async (): Promise<BuiltinModels> => {
    const { listRecommended, listBuiltinModels } = await runtime.builtinModels();
    return {
      recommended: listRecommended(),
      installed: (await listBuiltinModels(store)).map(({ name, bytes }) => ({
        name,
        bytes,
      })),
      installation,
    };
  };

  const install = async (plan: BuiltinPlan, signal: AbortSignal): Promise<void> => {
    const { installBuiltinModel } = await runtime.builtinModels();
    const { name } = plan;
    const report = (change: Partial<Installation>): void => {
      if (installation?.name === name) installation = { ...installation, ...change };
    };
    try {
      await installBuiltinModel(plan, store, {
        signal,
        onRuntime: () => report({ status: 'runtime' }),
        onProgress: (receivedBytes, totalBytes) =>
          report({ status: 'downloading', receivedBytes, totalBytes }),
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
  mount(router, models.installBuiltin, async ({ body }) => {
    const { planBuiltinModel } = await runtime.builtinModels();
    if ('file' in body && !isAbsolute(body.file))
      throw new CrewError('USAGE', 'Enter the whole path of a GGUF file on this computer.');
    const plan = await planBuiltinModel(body, store);
    if (isUnderWay() && installation?.name !== plan.name)
      throw new CrewError(
        'USAGE',
        `${installation?.name} is being installed; wait for it, or cancel it first.`,
      );
    if (!isUnderWay()) {
      await running;
      installation = { name: plan.name, status: 'downloading', receivedBytes: 0 };
      stopper = new AbortController();
      running = install(plan, stopper.signal);
    }
    return show();
  });
  mount(router, models.removeBuiltin, async ({ params: { name } }) => {
    const { removeBuiltinModel } = await runtime.builtinModels();
    const isCancelled = installation?.name === name && installation.status !== 'done';
    if (installation?.name === name) {
      stopper.abort();
      installation = undefined;
      await running;
    }
    // What was downloaded so far is kept, so that it can be resumed.
    if (!isCancelled) await removeBuiltinModel(name, store);
    return show();
  });
}
