/**
 * Checks everything that runs on this machine depend on, without changing anything, and tests whether the chosen
 * model can drive a run.
 */

import type { ModelDraft } from '@crewagent/protocol/api/settings';
import { DEFAULT_KEY, type RunModel } from '@crewagent/protocol/model';
import { toStatus } from '@crewagent/protocol/status';
import { CrewError } from '../../base/crew-error.ts';
import { listInstalled } from '../../bmad/installed-packages.ts';
import { type ConnectionReport, testConnection } from '../../llm/connection-test.ts';
import { createOpenAiChat } from '../../llm/provider/openai-chat.ts';
import { listRuns } from '../../store/find-works.ts';
import { requireKey, type SecretStore } from '../../store/secret-store.ts';
import type { Store } from '../../store/store.ts';
import { resolveRipgrep } from '../../tools/search/find-lines-ripgrep.ts';
import {
  addressOf,
  chooseModel,
  type Environment,
  findApiKeys,
  type ModelChoice,
  type ModelKeys,
  type ProviderModel,
  toProviderModel,
} from './choose-model.ts';
import { createAdapter } from './model-adapter.ts';
import { requireModel } from './require-model.ts';
import { createKeyReader } from './stored-keys.ts';

export interface Diagnosis {
  readonly store: { readonly root: string; readonly exists: boolean; readonly problem?: string };
  readonly settings: { readonly file: string; readonly problem?: string };
  /** Path of the ripgrep binary. */
  readonly ripgrep: string | undefined;
  /** Whether the operating system supports file locks in this folder. */
  readonly hasKernelLocks: boolean;
  readonly projects: { readonly file: string; readonly problem?: string };
  readonly packages: { readonly count: number; readonly problem?: string };
  readonly runs: {
    readonly count: number;
    /** Runs whose process ended during a turn. */
    readonly interrupted: number;
    readonly damaged: number;
    readonly problem?: string;
  };
}

export async function diagnose(store: Store): Promise<Diagnosis> {
  const { hasKernelLocks, ...probe } = await store.probe();
  return {
    store: { root: store.root, ...probe },
    settings: { file: store.settings.label, problem: await problemOf(() => store.settings.load()) },
    ripgrep: await resolveRipgrep(),
    hasKernelLocks,
    projects: { file: store.projects.label, problem: await problemOf(() => store.projects.list()) },
    packages: await countPackages(store),
    runs: await countRuns(store),
  };
}

export interface ModelTest {
  readonly model: RunModel;
  /** Undefined for a model without a provider. */
  readonly report?: ConnectionReport;
  /** Names of its API keys; the first one was tested. */
  readonly keyNames?: readonly string[];
  /** Whether the next key is used when the first one is rejected. */
  readonly useNext?: boolean;
}

interface TestOptions {
  readonly store: Store;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly secrets?: SecretStore;
}

/** Sends one test request to the model that a run would use, without retries. */
export async function testModel(choice: ModelChoice, options: TestOptions): Promise<ModelTest> {
  const { store, env } = options;
  const model = chooseModel(choice, await store.settings.load(), env);
  if (model.kind !== 'provider') return { model };
  return testProvider(model, await findKeys(model, options), options);
}

/** The same for a model as a person typed it, before it is saved. */
export async function testDraft(
  { settings, key, savedModel }: ModelDraft,
  options: TestOptions,
): Promise<ModelTest> {
  const model = toProviderModel(options.env.CREWAGENT_BASE_URL || undefined, savedModel, settings);
  // The typed key is for the typed address; the environment may name another one.
  const isForAddress = addressOf(model.settings) === addressOf(settings);
  const keys: ModelKeys =
    key !== undefined && isForAddress
      ? { list: [{ name: DEFAULT_KEY, key: requireKey(key) }], useNext: false }
      : await findKeys(model, options);
  return testProvider(model, keys, options);
}

function findKeys(
  model: ProviderModel,
  { store, env, secrets = store.secrets }: TestOptions,
): Promise<ModelKeys> {
  return findApiKeys(model, env, createKeyReader({ store, secrets }));
}

async function testProvider(
  model: ProviderModel,
  keys: ModelKeys,
  { store, signal }: TestOptions,
): Promise<ModelTest> {
  await requireModel(model, store);
  const { localModels } = store;
  const adapter =
    model.settings.provider === 'builtin'
      ? await createAdapter(model, { keys, localModels, now: () => new Date(), warn: () => undefined })
      : createOpenAiChat({ settings: model.settings, apiKey: keys.list[0]?.key, retry: { tries: 1 } });
  try {
    const report = await testConnection(adapter, signal);
    return { model, report, keyNames: keys.list.map(({ name }) => name), useNext: keys.useNext };
  } finally {
    adapter.close();
  }
}

async function countPackages(store: Store): Promise<Diagnosis['packages']> {
  let count = 0;
  const problem = await problemOf(async () => {
    count = (await listInstalled(store)).length;
  });
  return { count, problem };
}

async function countRuns(store: Store): Promise<Diagnosis['runs']> {
  let counts = { count: 0, interrupted: 0, damaged: 0 };
  const problem = await problemOf(async () => {
    const runs = await listRuns(store);
    let interrupted = 0;
    for (const run of runs) {
      const kind = run.record && toStatus(run.record).kind;
      const isDead = kind === 'running' && !(await store.works.isLeased(run));
      if (isDead || kind === 'interrupted') interrupted++;
    }
    counts = { count: runs.length, interrupted, damaged: runs.filter(({ record }) => !record).length };
  });
  return { ...counts, problem };
}

/** The message of an error that a person can fix; undefined if `work` succeeds. */
async function problemOf(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof CrewError) return error.message;
    throw error;
  }
}
