/**
 * Built-in models: installs them with their runtime into the store, lists and removes them. Each one is an ordinary
 * model entry in the settings.
 */
import { access, open, rm, stat } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import type { ModelSettings } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import { withDiskErrors } from '../../base/errno.ts';
import { downloadFile, sizeOf } from '../../llm/builtin/download-file.ts';
import { installRuntime, isRuntimeInstalled } from '../../llm/builtin/llama-runtime.ts';
import { contextFor, RECOMMENDED_MODELS, recommendModel } from '../../llm/builtin/recommended-models.ts';
import type { LocalModels, UserStore } from '../../store/store.ts';

/** A GGUF file on this machine, which stays where it is, or one to be downloaded. */
export type ModelSource = { readonly file: string } | { readonly url: string; readonly sha256: string };

export interface BuiltinPlan {
  /** Name of the entry in the settings. */
  readonly name: string;
  /** Path of the GGUF file, existing or to be downloaded. */
  readonly file: string;
  readonly download: { readonly url: string; readonly sha256: string } | undefined;
  readonly needsRuntime: boolean;
}

/** Describes an installation without starting it. The name is that of the file, unless it is given. */
export async function planBuiltinModel(
  source: ModelSource,
  store: UserStore,
  name?: string,
): Promise<BuiltinPlan> {
  const needsRuntime = !(await isRuntimeInstalled(store.localModels.runtime));
  if ('url' in source) {
    const { url, sha256 } = source;
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new CrewError('USAGE', `"${url}" is not an https address.`);
    if (!/^[0-9a-f]{64}$/i.test(sha256))
      throw new CrewError(
        'USAGE',
        'A download needs the SHA-256 checksum of the file: 64 hexadecimal digits, as its publisher names them.',
      );
    const known = name ?? toName(new URL(url).pathname);
    return { name: known, file: store.localModels.weights(known), download: { url, sha256 }, needsRuntime };
  }
  const file = resolve(source.file);
  if (!file.endsWith('.gguf') || !(await exists(file)))
    throw new CrewError('USAGE', `There is no GGUF file "${source.file}".`);
  await requireGguf(file);
  return { name: name ?? toName(file), file, download: undefined, needsRuntime };
}

function toName(path: string): string {
  const plain = basename(path, '.gguf').replace(/[^\w.:-]+/g, '-');
  return plain.replace(/^[^A-Za-z0-9]+/, '').slice(0, 64) || 'local';
}

export interface InstallProgress {
  onRuntime?(): void;
  onProgress?(received: number, total: number): void;
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
  if (plan.download) await downloadFile({ ...plan.download, target: plan.file, signal, onProgress });
  await requireGguf(plan.file);
  const { size } = await stat(plan.file);
  const settings: ModelSettings = {
    provider: 'builtin',
    model: plan.download ? plan.name : plan.file,
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

/** Models that are known to fit, and which one fits this machine best. */
export function listRecommended() {
  const best = recommendModel().name;
  return RECOMMENDED_MODELS.map((model) => ({ ...model, isBest: model.name === best }));
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
  const part = `${store.localModels.weights(name)}.part`;
  if (found === undefined && (await exists(part))) {
    await withDiskErrors('The model could not be removed', () => rm(part, { force: true }));
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

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
