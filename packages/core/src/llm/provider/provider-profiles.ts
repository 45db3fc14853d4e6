/**
 * What is known of providers and models beforehand. Settings go over it, and what a provider says goes over that: tables of
 * models grow old, so there are few rows here and none that is a guess.
 */
import type { ModelSettings, Prices, Provider } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import type { ModelTraits } from '../llm-adapter.ts';

/** The model that settings mean, with all that talking to it needs but the key. */
export interface ResolvedTraits extends ModelTraits {
  readonly provider: Provider;
  readonly endpoint: URL;
  /** Asking without a key is in vain. */
  readonly needsKey: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
}

interface Profile {
  readonly baseUrl?: string;
  readonly takesSeveralSystemMessages?: boolean;
  readonly wantsReasoningBack?: boolean;
  readonly takesMaxCompletionTokens?: boolean;
  /** Servers on one's own machine: no key, and the context is as large as the model was loaded with. */
  readonly isLocal?: boolean;
}

const PROFILES: Readonly<Record<Provider, Profile>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    takesSeveralSystemMessages: true,
    takesMaxCompletionTokens: true,
  },
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', wantsReasoningBack: true },
  azure: { takesMaxCompletionTokens: true },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1' },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  mistral: { baseUrl: 'https://api.mistral.ai/v1' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1' },
  xai: { baseUrl: 'https://api.x.ai/v1' },
  qwen: { baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1' },
  moonshot: { baseUrl: 'https://api.moonshot.ai/v1', wantsReasoningBack: true },
  zhipu: { baseUrl: 'https://open.bigmodel.cn/api/paas/v4' },
  siliconflow: { baseUrl: 'https://api.siliconflow.cn/v1' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', takesSeveralSystemMessages: true },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', isLocal: true },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', isLocal: true },
  llamacpp: { baseUrl: 'http://127.0.0.1:8080/v1', isLocal: true },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', isLocal: true },
  generic: {},
};

const LOCAL_CONTEXT_TOKENS = 8_192;
const USUAL_CONTEXT_TOKENS = 128_000;

export function resolveTraits(settings: ModelSettings): ResolvedTraits {
  const endpoint = toEndpoint(settings.baseUrl ?? PROFILES[settings.provider].baseUrl);
  const provider = settings.provider === 'generic' ? guessProvider(endpoint) : settings.provider;
  const profile = PROFILES[provider];
  const isOwnHost = profile.baseUrl !== undefined && new URL(profile.baseUrl).host === endpoint.host;
  // A gateway puts the maker before the name and a variant after it.
  const model = settings.model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
  return {
    name: settings.model,
    provider,
    endpoint,
    contextTokens:
      settings.contextTokens ?? (profile.isLocal ? LOCAL_CONTEXT_TOKENS : contextTokensOf(model)),
    takesSeveralSystemMessages: profile.takesSeveralSystemMessages ?? false,
    wantsReasoningBack: profile.wantsReasoningBack ?? /kimi|deepseek-reasoner/.test(model),
    prices: settings.prices ?? (provider === 'openai' && isOwnHost ? pricesOf(model) : undefined),
    needsKey: isOwnHost && profile.isLocal !== true,
    maxTokensField: profile.takesMaxCompletionTokens ? 'max_completion_tokens' : 'max_tokens',
  };
}

/** The address that paths of the API are added to, without a slash at its end. */
export function toBaseUrl(settings: Pick<ModelSettings, 'provider' | 'baseUrl'>): URL {
  const url = toEndpoint(settings.baseUrl ?? PROFILES[settings.provider].baseUrl);
  url.pathname = url.pathname.replace(/\/chat\/completions$/, '');
  return url;
}

/** `…/v1`, with or without a slash at its end, becomes `…/v1/chat/completions`; a query stays. */
function toEndpoint(baseUrl: string | undefined): URL {
  if (baseUrl === undefined) {
    throw new CrewError(
      'SETTINGS_INVALID',
      'This model has no address; set its base URL, which usually ends in /v1.',
    );
  }
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new CrewError('SETTINGS_INVALID', 'The base URL of this model is no http or https address.');
  }
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') {
    throw new CrewError(
      'SETTINGS_INVALID',
      'The base URL must not hold a name or password; set an API key instead.',
    );
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  url.hash = '';
  return url;
}

export function guessProvider({ hostname, port }: URL): Provider {
  if (hostname === 'api.openai.com') return 'openai';
  if (hostname === 'api.deepseek.com') return 'deepseek';
  if (hostname === 'openrouter.ai') return 'openrouter';
  if (port === '11434') return 'ollama';
  if (port === '1234') return 'lmstudio';
  return 'generic';
}

/** What a request may hold. For models that count input and output apart, the input. */
const CONTEXT_TOKENS: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-5/, 272_000],
  [/^gpt-4(?:-0613)?$/, 8_192],
  [/^gpt-3\.5-turbo/, 16_385],
  [/^o[134](?:-(?!preview|mini-2024)|$)/, 200_000],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_048_576],
];

function contextTokensOf(model: string): number {
  return CONTEXT_TOKENS.find(([pattern]) => pattern.test(model))?.[1] ?? USUAL_CONTEXT_TOKENS;
}

/** US dollars per million tokens, at OpenAI's own address. */
const PRICES: Readonly<Record<string, Prices>> = {
  'gpt-4o': { input: 2.5, cachedInput: 1.25, output: 10 },
  'gpt-4o-mini': { input: 0.15, cachedInput: 0.075, output: 0.6 },
  'gpt-4.1': { input: 2, cachedInput: 0.5, output: 8 },
  'gpt-4.1-mini': { input: 0.4, cachedInput: 0.1, output: 1.6 },
  'gpt-4.1-nano': { input: 0.1, cachedInput: 0.025, output: 0.4 },
  'gpt-5': { input: 1.25, cachedInput: 0.125, output: 10 },
  'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 },
  'gpt-5-nano': { input: 0.05, cachedInput: 0.005, output: 0.4 },
};

function pricesOf(model: string): Prices | undefined {
  const family = model.replace(/-\d{4}-\d{2}-\d{2}$/, '');
  return Object.hasOwn(PRICES, family) ? PRICES[family] : undefined;
}
