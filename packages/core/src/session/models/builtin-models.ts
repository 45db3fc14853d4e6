/**
 * Built-in models: installs them with their runtime into the store, lists and removes them. Each one is an ordinary
 * model entry in the settings.
 */
import { access, open, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import type { ModelSettings } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import { withDiskErrors } from '../../base/errno.ts';
import { downloadFile } from '../../llm/builtin/download-file.ts';
import { installRuntime, isRuntimeInstalled } from '../../llm/builtin/llama-runtime.ts';
import {
  contextFor,
  RECOMMENDED_MODELS,
  type RecommendedModel,
  recommendModel,
} from '../../llm/builtin/recommended-models.ts';
import type { LocalModels, UserStore } from '../../store/store.ts';

export { RECOMMENDED_MODELS, recommendModel } from '../../llm/builtin/recommended-models.ts';

export interface BuiltinPlan {
  /** Name of the entry in the settings. */
  readonly name: string;
  /** Undefined for a GGUF file of the user. */
  readonly recommended: RecommendedModel | undefined;
  /** Path of the GGUF file, existing or to be downloaded. */
  readonly file: string;
  readonly isDownloaded: boolean;
  readonly needsRuntime: boolean;
}

/** Describes an installation without starting it. */
export async function planBuiltinModel(ref: string | undefined, store: UserStore): Promise<BuiltinPlan> {
  const needsRuntime = !(await isRuntimeInstalled(store.localModels.runtime));
  const recommended =
    ref === undefined ? recommendModel() : RECOMMENDED_MODELS.find(({ name }) => name === ref.toLowerCase());
  if (recommended) {
    const file = store.localModels.weights(recommended.name);
    return { name: recommended.name, recommended, file, isDownloaded: await exists(file), needsRuntime };
  }
  const file = resolve(ref ?? '');
  if (!file.endsWith('.gguf') || !(await exists(file)))
    throw new CrewError(
      'USAGE',
      `There is no model "${ref}"; give one of ${RECOMMENDED_MODELS.map(({ name }) => name).join(', ')}, or the path of a GGUF file.`,
    );
  await requireGguf(file);
  const name =
    basename(file, '.gguf')
      .replace(/[^\w.:-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 64) || 'local';
  return { name, recommended: undefined, file, isDownloaded: true, needsRuntime };
}

export interface InstallProgress {
  onRuntime?(): void;
  onProgress?(received: number, total: number | undefined): void;
}

/** Resumes an interrupted download. Makes the model the default if there is no default model. */
export async function installBuiltinModel(
  plan: BuiltinPlan,
  store: UserStore,
  { signal, onRuntime, onProgress = () => undefined }: InstallProgress & { readonly signal: AbortSignal },
): Promise<{ readonly isDefault: boolean }> {
  if (plan.needsRuntime) {
    onRuntime?.();
    await installRuntime(store.localModels.runtime, signal);
  }
  if (plan.recommended && !plan.isDownloaded)
    await downloadFile({ url: plan.recommended.url, target: plan.file, signal, onProgress });
  await requireGguf(plan.file);
  const { size } = await stat(plan.file);
  const settings: ModelSettings = {
    provider: 'builtin',
    model: plan.recommended ? plan.name : plan.file,
    contextTokens: contextFor(size),
  };
  const { defaultModel } = await store.settings.load();
  const isDefault = defaultModel === undefined;
  await store.settings.update({
    models: { [plan.name]: settings },
    ...(isDefault ? { defaultModel: plan.name } : {}),
  });
  return { isDefault };
}

/** Models that can be installed: which one fits this machine best, and how much of each was downloaded already. */
export async function listRecommended(store: UserStore) {
  const best = recommendModel().name;
  return Promise.all(
    RECOMMENDED_MODELS.map(async ({ url, ...model }) => {
      const partialBytes = await sizeOf(`${store.localModels.weights(model.name)}.part`);
      return {
        ...model,
        host: new URL(url).host,
        isBest: model.name === best,
        ...(partialBytes ? { partialBytes } : {}),
      };
    }),
  );
}

export interface InstalledBuiltin {
  readonly name: string;
  readonly file: string;
  /** Undefined if the file does not exist. */
  readonly bytes: number | undefined;
}

export async function listBuiltinModels(store: UserStore): Promise<InstalledBuiltin[]> {
  const { models } = await store.settings.load();
  return Promise.all(
    Object.entries(models)
      .filter(([, { provider }]) => provider === 'builtin')
      .map(async ([name, settings]) => {
        const file = builtinFile(store.localModels, settings.model);
        return { name, file, bytes: await sizeOf(file) };
      }),
  );
}

/** Removes a model and its partial download, but not a user's own GGUF file. The runtime is removed with the last model. */
export async function removeBuiltinModel(name: string, store: UserStore): Promise<void> {
  const { models, defaultModel } = await store.settings.load();
  const found = Object.hasOwn(models, name) ? models[name] : undefined;
  const isRecommended = RECOMMENDED_MODELS.some((model) => model.name === name);
  if (found === undefined && isRecommended) {
    await withDiskErrors('The model could not be removed', () =>
      rm(`${store.localModels.weights(name)}.part`, { force: true }),
    );
    return;
  }
  if (found?.provider !== 'builtin')
    throw new CrewError(
      'USAGE',
      `There is no built-in model "${name}". List the installed ones with "crewagent model list".`,
    );
  await store.settings.update({
    models: { [name]: null },
    ...(defaultModel === name ? { defaultModel: null } : {}),
  });
  await withDiskErrors('The model could not be removed', async () => {
    if (!isAbsolute(found.model)) {
      const file = store.localModels.weights(found.model);
      await rm(file, { force: true });
      await rm(`${file}.part`, { force: true });
    }
    if ((await listBuiltinModels(store)).length === 0)
      await rm(store.localModels.folder, { recursive: true, force: true });
  });
}

/** Resolves a model name, or an absolute path, to the model's file. */
export function builtinFile({ weights }: LocalModels, model: string): string {
  return isAbsolute(model) ? model : weights(model);
}

async function requireGguf(file: string): Promise<void> {
  const handle = await withDiskErrors('The model could not be read', () => open(file, 'r'));
  try {
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.toString('latin1') !== 'GGUF')
      throw new CrewError('USAGE', `"${file}" is not a GGUF file. Choose another file.`);
  } finally {
    await handle.close();
  }
}

/** Undefined where there is no such file. */
async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
