/**
 * Creates the adapter of a run's model: rehearsal, recording, provider or built-in. Each implementation is loaded
 * only when it is used.
 */
import type { MessageRules, ModelSettings, Provider, RunModel } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import { hideKeys } from '../../llm/key-guard.ts';
import type { LLMAdapter } from '../../llm/llm-adapter.ts';
import type { KeyGate } from '../../llm/provider/key-gate.ts';
import type { LearnedRules, LocalModels } from '../../store/store.ts';
import { addressOf, type ModelKeys } from './choose-model.ts';

export interface AdapterOptions {
  readonly keys?: ModelKeys | undefined;
  /** Path of the recording to write. */
  readonly recordTo?: string | undefined;
  /** The run is resumed: append to the recording. */
  readonly isContinued?: boolean;
  /** Where built-in models are. */
  readonly localModels?: LocalModels | undefined;
  /** Message rules that earlier runs learned about providers. */
  readonly learned?: LearnedRules | undefined;
  /** Of processes that use the same keys. */
  readonly keyGate?: KeyGate | undefined;
  readonly now: () => Date;
  readonly warn: (message: string) => void;
}

export async function createAdapter(model: RunModel, options: AdapterOptions): Promise<LLMAdapter> {
  const adapter = await createBareAdapter(model, options);
  if (options.recordTo === undefined) return adapter;
  const { recordTo } = await import('../../llm/cassette/record.ts');
  const { now, warn, isContinued: append = false } = options;
  return recordTo(options.recordTo, adapter, { now, warn, append });
}

/** The adapter for a second user, whose `close` is a no-op. Learned traits are shared. */
export function shareAdapter(adapter: LLMAdapter): LLMAdapter {
  return {
    get traits() {
      return adapter.traits;
    },
    apiKeys: adapter.apiKeys,
    select: adapter.select,
    recorded: adapter.recorded,
    chat: (request, watch) => adapter.chat(request, watch),
    close: () => undefined,
  };
}

async function createBareAdapter(model: RunModel, options: AdapterOptions): Promise<LLMAdapter> {
  switch (model.kind) {
    case 'host':
      throw new CrewError(
        'USAGE',
        `The calls of this run are made by ${model.name}. Continue it there, or name a model to continue it here.`,
      );
    case 'rehearsal':
      return (await import('../../rehearse/models/rehearsal.ts')).createRehearsal();
    case 'replay':
      return (await import('../../llm/cassette/replay.ts')).createReplay(model.file);
    case 'provider':
      return model.settings.provider === 'builtin' && model.settings.baseUrl === undefined
        ? createBuiltin(model.settings, options)
        : createProvider(model.settings, options);
  }
}

/** Loaded lazily: other models need none of this code. */
async function createBuiltin(
  settings: ModelSettings,
  { localModels }: Pick<AdapterOptions, 'localModels'>,
): Promise<LLMAdapter> {
  if (!localModels) throw new Error('a built-in model needs the paths of local models');
  const [{ createBuiltinModel }, { runtimeEntry }, { builtinFile }] = await Promise.all([
    import('../../llm/builtin/builtin-model.ts'),
    import('../../llm/builtin/llama-runtime.ts'),
    import('./builtin-models.ts'),
  ]);
  return createBuiltinModel(settings, {
    runtime: runtimeEntry(localModels.runtime),
    model: builtinFile(localModels, settings.model),
    script: localModels.host,
    contextTokens: settings.contextTokens ?? BUILTIN_CONTEXT,
  });
}

const BUILTIN_CONTEXT = 16_384;

/** Providers that report context size or prices. Values in the settings take precedence. */
const REPORTING: ReadonlySet<Provider> = new Set(['ollama', 'lmstudio', 'llamacpp', 'vllm', 'openrouter']);
const REPORT_MS = 1_500;

async function withReported(settings: ModelSettings, apiKey: string | undefined): Promise<ModelSettings> {
  if (settings.contextTokens !== undefined || !REPORTING.has(settings.provider)) return settings;
  const { findReported } = await import('../../llm/catalog/list-models.ts');
  const { contextTokens, prices } = await findReported(settings, apiKey, REPORT_MS);
  return {
    ...settings,
    ...(contextTokens === undefined || contextTokens < MIN_CONTEXT ? {} : { contextTokens }),
    ...(prices === undefined || settings.prices ? {} : { prices }),
  };
}

/** The minimum in the settings' schema. */
const MIN_CONTEXT = 1_000;

type Gated = (adapter: LLMAdapter, apiKey: string | undefined) => LLMAdapter;

/** Loaded only where keys are shared. */
async function openGate(settings: ModelSettings, gate: KeyGate | undefined): Promise<Gated> {
  if (!gate) return (adapter) => adapter;
  const { toKeyId, withKeyGate } = await import('../../llm/provider/key-gate.ts');
  const { limits } = settings;
  return (adapter, apiKey) =>
    withKeyGate(adapter, { gate, limits, keyId: toKeyId(addressOf(settings), apiKey) });
}

/** Keys are hidden before anything else sees a reply, a recording included. */
async function createProvider(
  settings: ModelSettings,
  { keys = { list: [], useNext: false }, learned, keyGate, warn }: AdapterOptions,
): Promise<LLMAdapter> {
  const [{ createOpenAiChat }, { tryKeysInOrder }, { originOf }] = await Promise.all([
    import('../../llm/provider/openai-chat.ts'),
    import('../../llm/next-key.ts'),
    import('../../llm/provider/provider-profiles.ts'),
  ]);
  const origin = originOf(settings);
  const [first] = keys.list;
  const reported = await withReported(settings, first?.key);
  const storedRules = await learned?.read(origin);
  const gated = await openGate(settings, keyGate);
  const open = (apiKey: string | undefined, learnedRules: Partial<MessageRules> | undefined): LLMAdapter => {
    const chat = createOpenAiChat({
      settings: reported,
      apiKey,
      learnedRules: learnedRules ?? storedRules,
      onLearned: (rules) =>
        void learned?.write(origin, rules).catch(() => warn('What the provider wants could not be stored.')),
    });
    return gated(chat, apiKey);
  };
  const adapter =
    keys.useNext && keys.list.length > 1 ? tryKeysInOrder(keys.list, open) : open(first?.key, undefined);
  return hideKeys(
    adapter,
    keys.list.map(({ key }) => key),
  );
}
