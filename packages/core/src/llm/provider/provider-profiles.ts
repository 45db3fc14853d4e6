/**
 * What is known about providers in advance: addresses, message rules, timeouts. Settings override this table, and
 * learned rules override both. The table is short, because such tables become outdated, and contains no guesses.
 */
import type { MessageRules, ModelSettings, Provider } from '@crewagent/protocol/model';
import { CrewError } from '../../base/crew-error.ts';
import type { ModelTraits } from '../llm-adapter.ts';
import { COMMON_RULES } from '../provider-messages.ts';
import { findKnownPrices } from './known-prices.ts';

/** The model of the settings, with everything a request needs except the key. */
export interface ResolvedTraits extends ModelTraits {
  readonly provider: Provider;
  readonly endpoint: URL;
  /** Requests without a key are useless. */
  readonly needsKey: boolean;
  readonly rules: MessageRules;
}

/** How requests are sent, apart from their messages. */
export interface RequestRules {
  /** The header for the API key. */
  readonly keyHeader: KeyHeader;
  /** The same for the list of models, which Anthropic offers only in its own API. */
  readonly listKeyHeader: KeyHeader;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly maxTemperature: number;
  /** Whether `stream_options` is accepted; if not, the provider counts tokens without it. */
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

interface Profile {
  readonly baseUrl?: string;
  /** Hosts of this provider. */
  readonly hosts?: RegExp;
  /** The default port of this server on this machine. */
  readonly port?: string;
  readonly takesSeveralSystemMessages?: boolean;
  readonly request?: Partial<RequestRules>;
  readonly messages?: Partial<MessageRules>;
  /** Serves models of many vendors, whose own rules then apply (`FAMILIES`). */
  readonly servesManyVendors?: true;
}

const REMOTE: RequestRules = {
  keyHeader: 'authorization',
  listKeyHeader: 'authorization',
  maxTokensField: 'max_tokens',
  maxTemperature: 2,
  takesStreamOptions: true,
  timeouts: { connectMs: 30_000, firstByteMs: 300_000, idleMs: 120_000, replyMs: 3_600_000 },
  isLocal: false,
};

/** A local server evaluates the prompt before the first byte, which may take many minutes. */
const LOCAL: Partial<RequestRules> = {
  timeouts: { connectMs: 10_000, firstByteMs: 1_800_000, idleMs: 600_000, replyMs: 14_400_000 },
  isLocal: true,
};

const LOCAL_SERVER: Profile = {
  request: LOCAL,
  messages: { returnedFields: 'all' },
  servesManyVendors: true,
};

const PROFILES: Readonly<Record<Provider, Profile>> = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    hosts: /^api\.openai\.com$/,
    takesSeveralSystemMessages: true,
    request: { maxTokensField: 'max_completion_tokens' },
  },
  /** The address contains the resource's name; both `/openai/v1` and `/openai/deployments/NAME?api-version=…` work. */
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
    servesManyVendors: true,
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
    servesManyVendors: true,
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    hosts: /^openrouter\.ai$/,
    takesSeveralSystemMessages: true,
    messages: { returnedFields: ['reasoning_details'] },
    servesManyVendors: true,
  },
  ollama: { ...LOCAL_SERVER, baseUrl: 'http://127.0.0.1:11434/v1', port: '11434' },
  lmstudio: { ...LOCAL_SERVER, baseUrl: 'http://127.0.0.1:1234/v1', port: '1234' },
  llamacpp: { ...LOCAL_SERVER, baseUrl: 'http://127.0.0.1:8080/v1' },
  vllm: { ...LOCAL_SERVER, baseUrl: 'http://127.0.0.1:8000/v1' },
  /** Runs in a child process; see `llm/builtin`. */
  builtin: { request: LOCAL },
  generic: { messages: { returnedFields: 'all' }, servesManyVendors: true },
};

/** Rules of model families, by model name and independent of the provider. */
const FAMILIES: readonly (readonly [RegExp, Partial<MessageRules>])[] = [
  [/kimi|deepseek-(?:reasoner|r\d|v\d)/, { reasoning: 'always' }],
  [
    /mi[sx]tral|ministral|codestral|devstral|magistral/,
    { callIds: 'nine characters', needsReplyAfterTools: true },
  ],
];

/** Models that take pictures, by name and independent of the provider. An error about one corrects this. */
const TAKES_PICTURES =
  /^(?:gpt-(?:4o|4\.1|5)|o3(?:-2|-pro|$)|o4-mini|claude-|gemini-|pixtral|grok-4|llava|gemma-?3|llama-?4)|(?:^|[-_.])(?:vl|vision|omni)(?:[-_.\d]|$)|qwen[\d.]*-?vl/;

const LOCAL_CONTEXT_TOKENS = 8_192;
const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Models with at most this context are run with the small profile. */
const SMALL_CONTEXT_TOKENS = 16_384;

export function resolveTraits(settings: ModelSettings): ResolvedTraits {
  const { profile, provider, endpoint } = resolveProfile(settings);
  const { isLocal, timeouts } = resolveRequestRules(settings);
  const model = toFamilyName(settings.model);
  const family = FAMILIES.find(([pattern]) => pattern.test(model))?.[1];
  const rules: MessageRules = {
    origin: originOf(settings),
    ...COMMON_RULES,
    ...profile.messages,
    ...(profile.servesManyVendors ? family : {}),
    pictures: settings.pictures === undefined ? TAKES_PICTURES.test(model) : settings.pictures === 'send',
  };
  const contextTokens = settings.contextTokens ?? (isLocal ? LOCAL_CONTEXT_TOKENS : contextTokensOf(model));
  return {
    name: settings.model,
    provider,
    endpoint,
    contextTokens,
    size: settings.size ?? (contextTokens <= SMALL_CONTEXT_TOKENS ? 'small' : undefined),
    takesSeveralSystemMessages: profile.takesSeveralSystemMessages ?? false,
    wantsReasoningBack: rules.reasoning !== 'never',
    rules,
    firstByteMs: timeouts.firstByteMs,
    prices: settings.prices ?? knownPricesOf(settings)?.prices,
    needsKey: (isOwnHost(profile, endpoint) || provider === 'azure') && !isLocal,
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
  return { ...rules, timeouts: { ...timeouts, ...toTimeouts(settings.timeouts) } };
}

/** Those that are set. */
function toTimeouts(inSeconds: ModelSettings['timeouts'] = {}): Partial<Timeouts> {
  const entries = Object.entries(inSeconds).filter(([, seconds]) => seconds !== undefined);
  return Object.fromEntries(
    entries.map(([name, seconds]) => [name.replace('Seconds', 'Ms'), seconds * 1_000]),
  );
}

/** The API key as a header. */
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
  // An unknown server on this machine gets the timeouts of a local one.
  const isUnnamedLocal = provider === 'generic' && LOOPBACK.test(endpoint.hostname);
  return {
    endpoint,
    provider,
    profile: isUnnamedLocal ? { ...profile, request: { ...LOCAL, isLocal: false } } : profile,
  };
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Lower case, without the vendor prefix of gateways and without the variant suffix. */
function toFamilyName(model: string): string {
  return model.toLowerCase().replace(/^.*\//, '').replace(/:.*$/, '');
}

/** The address to which API paths are appended, without a trailing slash. */
export function toBaseUrl(settings: Pick<ModelSettings, 'provider' | 'baseUrl'>): URL {
  const { endpoint } = resolveProfile(settings);
  endpoint.pathname = endpoint.pathname.replace(/\/chat\/completions$/, '');
  return endpoint;
}

/** `…/v1`, with or without a trailing slash, becomes `…/v1/chat/completions`; a query is kept. */
function toEndpoint(baseUrl: string | undefined): URL {
  if (baseUrl === undefined) {
    throw new CrewError('SETTINGS_INVALID', 'This model has no base URL. Set one; it usually ends in /v1.');
  }
  if (!URL.canParse(baseUrl) || !/^https?:/i.test(baseUrl)) {
    throw new CrewError(
      'SETTINGS_INVALID',
      'The base URL of this model is not an http or https address. Correct it in the settings.',
    );
  }
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') {
    throw new CrewError(
      'SETTINGS_INVALID',
      'The base URL must not contain a user name or password. Set an API key instead.',
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

/** Maximum tokens of a request. For models that count input and output separately, the input. */
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
  return CONTEXT_TOKENS.find(([pattern]) => pattern.test(model))?.[1] ?? DEFAULT_CONTEXT_TOKENS;
}

/** The list price of a model at its provider's own address; other addresses set prices of their own. */
export function knownPricesOf(settings: Pick<ModelSettings, 'provider' | 'baseUrl' | 'model'>) {
  const { profile, provider, endpoint } = resolveProfile(settings);
  return isOwnHost(profile, endpoint) ? findKnownPrices(provider, settings.model.toLowerCase()) : undefined;
}

function isOwnHost({ baseUrl }: Profile, endpoint: URL): boolean {
  return baseUrl !== undefined && new URL(baseUrl).host === endpoint.host;
}
