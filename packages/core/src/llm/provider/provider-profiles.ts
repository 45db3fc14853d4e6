/**
 * What is known of providers beforehand, as one table: addresses, what they take of messages, how long they may take.
 * Settings go over it, and what a provider says goes over that: tables of models grow old, so there are few rows here and
 * none that is a guess.
 */
import type { MessageRules, ModelSettings, Prices, Provider } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import type { ModelTraits } from '../llm-adapter.ts';

/** The model that settings mean, with all that talking to it needs but the key. */
export interface ResolvedTraits extends ModelTraits {
  readonly provider: Provider;
  readonly endpoint: URL;
  /** Asking without a key is in vain. */
  readonly needsKey: boolean;
  readonly rules: MessageRules;
}

/** How the provider is spoken to, apart from the messages. */
export interface RequestRules {
  /** The header that the key is sent in. */
  readonly keyHeader: KeyHeader;
  /** The same for the list of models, which Anthropic has in its own API only. */
  readonly listKeyHeader: KeyHeader;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly maxTemperature: number;
  /** Whether it takes `stream_options`; where it does not, it counts tokens unasked. */
  readonly takesStreamOptions: boolean;
  readonly timeouts: Timeouts;
  readonly isLocal: boolean;
}

type KeyHeader = 'authorization' | 'api-key' | 'x-api-key';

export interface Timeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly replyMs: number;
}

type Messages = Omit<MessageRules, 'origin'>;

interface Profile {
  readonly baseUrl?: string;
  /** Hosts that are known to be this provider. */
  readonly hosts?: RegExp;
  /** A port on this machine that is usually this server. */
  readonly port?: string;
  readonly takesSeveralSystemMessages?: boolean;
  readonly request?: Partial<RequestRules>;
  readonly messages?: Partial<Messages>;
  /** Passes messages on to models of many makers, whose own rules then hold (`FAMILIES`). */
  readonly servesManyMakers?: true;
}

/** Nothing of the provider's own is sent back, and nothing is asked of messages but the common form. */
const COMMON: Messages = {
  returnedFields: [],
  reasoning: 'never',
  callIds: 'any',
  needsReplyAfterTools: false,
  needsSignatures: false,
  emptyContent: 'null',
  toolSchemas: 'full',
};

const REMOTE: RequestRules = {
  keyHeader: 'authorization',
  listKeyHeader: 'authorization',
  maxTokensField: 'max_tokens',
  maxTemperature: 2,
  takesStreamOptions: true,
  timeouts: { connectMs: 30_000, firstByteMs: 300_000, idleMs: 120_000, replyMs: 3_600_000 },
  isLocal: false,
};

/** A server on one's own machine: the prompt is evaluated before the first byte, which may take many minutes. */
const LOCAL: Partial<RequestRules> = {
  timeouts: { connectMs: 10_000, firstByteMs: 1_800_000, idleMs: 600_000, replyMs: 14_400_000 },
  isLocal: true,
};

const PROFILES: Readonly<Record<Provider, Profile>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    hosts: /^api\.openai\.com$/,
    takesSeveralSystemMessages: true,
    request: { maxTokensField: 'max_completion_tokens' },
  },
  /** The address has the resource's name in it; both `/openai/v1` and `/openai/deployments/NAME?api-version=…` work. */
  azure: {
    hosts: /\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)$/,
    request: { keyHeader: 'api-key', listKeyHeader: 'api-key', maxTokensField: 'max_completion_tokens' },
  },
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    hosts: /^api\.anthropic\.com$/,
    request: { maxTemperature: 1, listKeyHeader: 'x-api-key' },
  },
  gemini: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    hosts: /^generativelanguage\.googleapis\.com$/,
    messages: { returnedFields: ['extra_content'], needsSignatures: true, toolSchemas: 'plain' },
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com/v1',
    hosts: /^api\.deepseek\.com$/,
    messages: { reasoning: 'always' },
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    hosts: /^(?:api|codestral)\.mistral\.ai$/,
    request: { takesStreamOptions: false, maxTemperature: 1.5 },
    messages: { callIds: 'nine characters', needsReplyAfterTools: true },
  },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    hosts: /^api\.groq\.com$/,
    request: { maxTokensField: 'max_completion_tokens' },
  },
  xai: { baseUrl: 'https://api.x.ai/v1', hosts: /^api\.x\.ai$/, takesSeveralSystemMessages: true },
  qwen: {
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    hosts: /^dashscope(?:-intl|-us)?\.aliyuncs\.com$/,
    messages: { emptyContent: 'text' },
    servesManyMakers: true,
  },
  moonshot: {
    baseUrl: 'https://api.moonshot.ai/v1',
    hosts: /^api\.moonshot\.(?:ai|cn)$/,
    request: { maxTemperature: 1 },
    messages: { reasoning: 'always' },
  },
  zhipu: {
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    hosts: /^(?:open\.bigmodel\.cn|api\.z\.ai)$/,
    request: { maxTemperature: 1 },
    messages: { reasoning: 'if known' },
  },
  siliconflow: {
    baseUrl: 'https://api.siliconflow.cn/v1',
    hosts: /^api\.siliconflow\.(?:cn|com)$/,
    servesManyMakers: true,
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    hosts: /^openrouter\.ai$/,
    takesSeveralSystemMessages: true,
    messages: { returnedFields: ['reasoning_details'] },
    servesManyMakers: true,
  },
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    port: '11434',
    request: LOCAL,
    messages: { returnedFields: 'all' },
    servesManyMakers: true,
  },
  lmstudio: {
    baseUrl: 'http://127.0.0.1:1234/v1',
    port: '1234',
    request: LOCAL,
    messages: { returnedFields: 'all' },
    servesManyMakers: true,
  },
  llamacpp: {
    baseUrl: 'http://127.0.0.1:8080/v1',
    request: LOCAL,
    messages: { returnedFields: 'all' },
    servesManyMakers: true,
  },
  vllm: {
    baseUrl: 'http://127.0.0.1:8000/v1',
    request: LOCAL,
    messages: { returnedFields: 'all' },
    servesManyMakers: true,
  },
  /** Runs in a process of ours; see `llm/builtin`. */
  builtin: { request: LOCAL },
  generic: { messages: { returnedFields: 'all' }, servesManyMakers: true },
};

/** What models want wherever they are served, by their names. */
const FAMILIES: readonly (readonly [RegExp, Partial<Messages>])[] = [
  [/kimi|deepseek-(?:reasoner|r\d|v\d)/, { reasoning: 'always' }],
  [
    /mi[sx]tral|ministral|codestral|devstral|magistral/,
    { callIds: 'nine characters', needsReplyAfterTools: true },
  ],
];

const LOCAL_CONTEXT_TOKENS = 8_192;
const USUAL_CONTEXT_TOKENS = 128_000;

export function resolveTraits(settings: ModelSettings): ResolvedTraits {
  const { profile, provider, endpoint } = resolveProfile(settings);
  const isOwnHost = profile.baseUrl !== undefined && new URL(profile.baseUrl).host === endpoint.host;
  const { isLocal, timeouts } = resolveRequestRules(settings);
  const model = toFamilyName(settings.model);
  const family = FAMILIES.find(([pattern]) => pattern.test(model))?.[1];
  const rules: MessageRules = {
    origin: originOf(settings),
    ...COMMON,
    ...profile.messages,
    ...(profile.servesManyMakers ? family : {}),
  };
  return {
    name: settings.model,
    provider,
    endpoint,
    contextTokens: settings.contextTokens ?? (isLocal ? LOCAL_CONTEXT_TOKENS : contextTokensOf(model)),
    takesSeveralSystemMessages: profile.takesSeveralSystemMessages ?? false,
    wantsReasoningBack: rules.reasoning !== 'never',
    rules,
    firstByteMs: timeouts.firstByteMs,
    prices: settings.prices ?? (provider === 'openai' && isOwnHost ? pricesOf(model) : undefined),
    needsKey: (isOwnHost || provider === 'azure') && !isLocal,
  };
}

/** Host and name of a model. */
export function originOf(settings: ModelSettings): string {
  return `${resolveProfile(settings).endpoint.host}/${settings.model}`;
}

/** How to speak to a provider: its profile, and what the settings say instead. */
export function resolveRequestRules(
  settings: Pick<ModelSettings, 'provider' | 'baseUrl' | 'timeouts'>,
): RequestRules {
  const { profile } = resolveProfile(settings);
  const { timeouts, ...rules } = { ...REMOTE, ...profile.request };
  const { connectSeconds, firstByteSeconds, idleSeconds, replySeconds } = settings.timeouts ?? {};
  const toMs = (seconds: number | undefined, usual: number): number =>
    seconds === undefined ? usual : seconds * 1_000;
  return {
    ...rules,
    timeouts: {
      connectMs: toMs(connectSeconds, timeouts.connectMs),
      firstByteMs: toMs(firstByteSeconds, timeouts.firstByteMs),
      idleMs: toMs(idleSeconds, timeouts.idleMs),
      replyMs: toMs(replySeconds, timeouts.replyMs),
    },
  };
}

/** The key as one header. */
export function toKeyHeader(header: KeyHeader, apiKey: string | undefined): Record<string, string> {
  if (apiKey === undefined) return {};
  if (header === 'authorization') return { authorization: `Bearer ${apiKey}` };
  return header === 'api-key'
    ? { 'api-key': apiKey }
    : { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' };
}

function resolveProfile(settings: Pick<ModelSettings, 'provider' | 'baseUrl'>) {
  const endpoint = toEndpoint(settings.baseUrl ?? PROFILES[settings.provider].baseUrl);
  const provider = settings.provider === 'generic' ? guessProvider(endpoint) : settings.provider;
  const profile = PROFILES[provider];
  // A server that nobody named is slow like a local one where it is on this machine.
  const isUnnamedLocal = provider === 'generic' && LOOPBACK.test(endpoint.hostname);
  return {
    endpoint,
    provider,
    profile: isUnnamedLocal ? { ...profile, request: { ...LOCAL, isLocal: false } } : profile,
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Lower case, without the maker that a gateway puts before the name and the variant after it. */
function toFamilyName(model: string): string {
  return model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
}

/** The address that paths of the API are added to, without a slash at its end. */
export function toBaseUrl(settings: Pick<ModelSettings, 'provider' | 'baseUrl'>): URL {
  const { endpoint } = resolveProfile(settings);
  endpoint.pathname = endpoint.pathname.replace(/\/chat\/completions$/, '');
  return endpoint;
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
  for (const [provider, profile] of Object.entries(PROFILES) as [Provider, Profile][]) {
    if (profile.hosts?.test(hostname) || (profile.port !== undefined && profile.port === port))
      return provider;
  }
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
