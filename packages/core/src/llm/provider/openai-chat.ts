/**
 * Adapter for an OpenAI-compatible API: one request, one stream, one outcome. The key is sent only to the configured
 * address and never appears in a message.
 */
import { type MessageRules, type ModelSettings, SLOW_START_SECONDS } from '@crewagent/protocol/model';
import { VERSION } from '@crewagent/protocol/version';
import type { ChatOutcome, ChatWatch, LLMAdapter, ModelError, ModelTraits } from '../llm-adapter.ts';
import { withPictures } from '../picture-parts.ts';
import { type BodySettings, type SentRequest, type StreamMode, serialiseRequest } from '../serialise.ts';
import { type ErrorResponse, type Peer, toHttpError, toNetworkError } from './http-errors.ts';
import { createHttpClient, type ExchangeEnd } from './http-exchange.ts';
import {
  type RequestRules,
  resolveRequestRules,
  resolveTraits,
  type Timeouts,
  toKeyHeader,
} from './provider-profiles.ts';
import { badReply, createReplyReader, type ReplyReader } from './reply-reader.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetries } from './retry.ts';
import { withCost } from './usage.ts';

export interface OpenAiChatOptions {
  readonly settings: ModelSettings;
  readonly apiKey: string | undefined;
  /** Message rules learned from earlier errors of this provider. */
  readonly learnedRules?: Partial<MessageRules> | undefined;
  /** Called when a request succeeds after a rule was learned, with all rules that differ from the profile. */
  readonly onLearned?: ((rules: Partial<MessageRules>) => void) | undefined;
  /** Instead of the settings; for tests. */
  readonly timeouts?: Partial<Timeouts>;
  readonly maxReplyBytes?: number;
  readonly retry?: Partial<RetryPolicy>;
}

const MIB = 1024 * 1024;
/** Larger replies would have to be read again with every resume. */
const MAX_REPLY_MIB = 8;
/** The envelope of a streamed chunk is many times larger than its content. */
const STREAM_OVERHEAD = 64;
/** Timeout factor for replies that are not streamed, which show no progress. */
const WHOLE_REPLY_TIMEOUT_FACTOR = 5;

export function createOpenAiChat(options: OpenAiChatOptions): LLMAdapter {
  const { settings } = options;
  const { provider: _, endpoint, needsKey, ...resolved } = resolveTraits(settings);
  const requestRules = resolveRequestRules(settings);
  const timeouts = { ...requestRules.timeouts, ...options.timeouts };
  const isSlowToStart = timeouts.firstByteMs >= SLOW_START_SECONDS * 1_000;
  const apiKey = options.apiKey?.trim() || undefined;
  const peer: Peer = { host: endpoint.host, model: resolved.name, apiKey };
  const keyError =
    apiKey === undefined ? (needsKey ? missingKey(endpoint.host, settings) : undefined) : invalidKey(apiKey);
  const policy: RetryPolicy = { ...toPolicy(settings), ...options.retry };
  const maxLength = options.maxReplyBytes ?? (settings.maxReplyMiB ?? MAX_REPLY_MIB) * MIB;
  const client = createHttpClient(endpoint, headersFor(requestRules, apiKey), {
    connectMs: timeouts.connectMs,
    totalMs: timeouts.replyMs,
    bytes: maxLength * STREAM_OVERHEAD,
  });
  const bodySettings: BodySettings = {
    model: settings.model,
    maxTokensField: requestRules.maxTokensField,
    maxOutputTokens: settings.maxOutputTokens,
    temperature:
      settings.temperature === undefined
        ? undefined
        : Math.min(settings.temperature, requestRules.maxTemperature),
  };
  let mode: StreamMode = requestRules.takesStreamOptions ? 'counted' : 'plain';
  let traits: ModelTraits = options.learnedRules
    ? withRules(resolved, { ...resolved.rules, ...options.learnedRules })
    : resolved;
  let learned: Partial<MessageRules> | undefined;

  async function attempt(request: SentRequest, watch: ChatWatch): Promise<ChatOutcome> {
    const toolNames = request.tools.map((tool) => tool.function.name);
    let currentMode = mode;
    for (;;) {
      const reader = createReplyReader({
        peer,
        toolNames,
        maxLength,
        onProgress: (progress) => watch.onProgress(progress),
      });
      const wholeReplyMs = currentMode === 'whole' ? timeouts.idleMs * WHOLE_REPLY_TIMEOUT_FACTOR : 0;
      const watched = isSlowToStart ? withStart(reader, () => watch.onProgress({ type: 'started' })) : reader;
      const end = await client.post(serialiseRequest(request, bodySettings, currentMode), watched, {
        signal: watch.signal,
        firstByteMs: Math.max(timeouts.firstByteMs, wholeReplyMs),
        idleMs: Math.max(timeouts.idleMs, wholeReplyMs),
      });
      const fallback = end.kind === 'refused' ? fallbackMode(currentMode, end.answer) : undefined;
      if (fallback === undefined) {
        if (end.kind === 'read') mode = currentMode;
        return toOutcome(end, reader);
      }
      currentMode = fallback;
    }
  }

  function toOutcome(end: ExchangeEnd, reader: ReplyReader): ChatOutcome {
    if (end.kind === 'aborted') return end;
    if (end.kind !== 'read')
      return { kind: 'failed', error: learn(end, toError(end, peer, requestRules.isLocal)) };
    const read = reader.end();
    if (!read.ok) return { kind: 'failed', error: read.error };
    if (learned) options.onLearned?.(learned);
    learned = undefined;
    const { usage } = read.reply;
    const reply = usage === undefined ? read.reply : { ...read.reply, usage: withCost(usage, traits.prices) };
    return { kind: 'reply', reply, isStreamed: read.isStreamed };
  }

  /** Learns message rules from an error about messages. */
  function learn(end: ExchangeEnd, error: ModelError): ModelError {
    const rules = end.kind === 'refused' && traits.rules ? learnRules(traits.rules, end.answer) : undefined;
    if (rules === undefined) return error;
    traits = withRules(traits, rules);
    const { origin: _origin, ...changed } = rules;
    learned = differences(resolved.rules, changed);
    return { ...error, details: { ...error.details, messageRules: rules } };
  }

  return {
    get traits() {
      return traits;
    },
    async chat(request, watch) {
      if (keyError !== undefined) return { kind: 'failed', error: keyError };
      const sent = await withPictures(request);
      return withRetries(() => attempt(sent, watch), policy, watch);
    },
    close: () => client.close(),
  };
}

function withRules(traits: ModelTraits, rules: MessageRules): ModelTraits {
  return { ...traits, rules, wantsReasoningBack: rules.reasoning !== 'never' };
}

/** Reports the first data, which may be no text: the beginning of a tool call, or a role. */
function withStart(reader: ReplyReader, onStart: () => void): ReplyReader {
  let hasStarted = false;
  return {
    ...reader,
    read(bytes) {
      const state = reader.read(bytes);
      if (!hasStarted && state !== 'nothing') onStart();
      hasStarted ||= state !== 'nothing';
      return state;
    },
  };
}

function toPolicy({ retries }: ModelSettings): RetryPolicy {
  const { tries = DEFAULT_RETRY.tries, backoffSeconds } = retries ?? {};
  const baseDelayMs = backoffSeconds === undefined ? DEFAULT_RETRY.baseDelayMs : backoffSeconds * 1_000;
  return { ...DEFAULT_RETRY, tries, baseDelayMs };
}

function headersFor({ keyHeader }: RequestRules, apiKey: string | undefined): Record<string, string> {
  return {
    accept: 'text/event-stream, application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'user-agent': `crewagent/${VERSION}`,
    ...toKeyHeader(keyHeader, apiKey),
  };
}

function missingKey(host: string, { apiKeyEnv }: ModelSettings): ModelError {
  const todo =
    apiKeyEnv === undefined ? 'Set one for this model.' : `Set the environment variable ${apiKeyEnv}.`;
  return authError(`${host} wants an API key, but none is set. ${todo}`);
}

/** A header must not contain line breaks, and no valid key does. */
function invalidKey(apiKey: string): ModelError | undefined {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return undefined;
  return authError('The API key contains invalid characters. Copy it again.');
}

function authError(message: string): ModelError {
  return { code: 'LLM_AUTH_FAILED', message, isRetryable: false };
}

const ABOUT_STREAMING = /\bstream(?:ing|_options)?\b|include_usage/i;

/** Falls back if a provider rejects streaming options; the fallback stays if it works. */
function fallbackMode(mode: StreamMode, { status, body }: ErrorResponse): StreamMode | undefined {
  if ((status !== 400 && status !== 422) || !ABOUT_STREAMING.test(body)) return undefined;
  if (mode === 'counted') return 'plain';
  return mode === 'plain' ? 'whole' : undefined;
}

function toError(
  end: Exclude<ExchangeEnd, { kind: 'read' | 'aborted' }>,
  peer: Peer,
  isLocal: boolean,
): ModelError {
  switch (end.kind) {
    case 'refused':
      return toHttpError(end.answer, peer);
    case 'unreachable':
      return toNetworkError(end.cause, peer);
    case 'silent':
      // A retry would make a local server evaluate the whole prompt again.
      return isLocal && end.isBeforeData
        ? timeout(
            `${peer.host} sent nothing for ${end.afterMs / 1_000} seconds. Resume to try again, raise timeouts.firstByteSeconds of this model, or choose a smaller model.`,
          )
        : timeout(`${peer.host} sent nothing for ${end.afterMs / 1_000} seconds. Try again later.`, true);
    case 'too long':
      return timeout(`${peer.host} did not finish its reply in time. Try again, or choose another model.`);
    case 'too large':
      return badReply(`The reply of ${peer.host} is too large; choose another model`, false);
  }
}

function timeout(message: string, isRetryable = false): ModelError {
  return { code: 'LLM_TIMEOUT', message, isRetryable };
}

type LearnedRule = readonly [pattern: RegExp, rules: Partial<MessageRules>];

/** Error messages of the providers known for each rule. The first match that changes the rules is used. */
const LEARNED_RULES: readonly LearnedRule[] = [
  // DeepSeek, Moonshot
  [
    /reasoning_content\W.{0,80}(?:must be passed back|is missing|is required)|missing.{0,20}reasoning_content/i,
    { reasoning: 'always' },
  ],
  // Groq, Mistral, Cerebras
  [
    /(?:property|field|parameter|extra|unknown|unrecognized).{0,80}\breasoning(?:_content|_details)?\b|\breasoning_content\W.{0,60}(?:unsupported|not (?:supported|permitted|allowed))/i,
    { reasoning: 'never', returnedFields: [] },
  ],
  // Mistral, also behind vLLM and gateways
  [/tool call id .{0,200}length of 9/i, { callIds: 'nine characters' }],
  [/unexpected role .?user.? after role .?tool/i, { needsReplyAfterTools: true }],
  // Gemini behind gateways
  [/missing a .?thought_signature/i, { needsSignatures: true }],
  [
    /(?:unknown name|unknown field|unrecognized|not supported).{0,40}(?:additionalProperties|\$schema|const|oneOf|pattern)/i,
    { toolSchemas: 'plain' },
  ],
  [
    /content.{0,60}(?:none is not|null is not|must not be null|cannot be null|should be a valid string)/i,
    { emptyContent: 'text' },
  ],
  // Text models of all providers
  [
    /image.{0,100}(?:only supported|not? support|unsupported|not (?:allowed|permitted|available)|no endpoints)|(?:not? support|unsupported|no endpoints|unknown variant|does not accept).{0,60}image|content.{0,40}(?:must|should) be a (?:valid )?string/i,
    { pictures: false },
  ],
  // The rejected field is one of those that we send back.
  [
    /extra inputs are not permitted|property .{1,60} is unsupported|unrecognized (?:field|key)|unknown field/i,
    { returnedFields: [] },
  ],
];

/**
 * Learns message rules from a provider's error: gateways and unknown servers may serve models with special requirements. Undefined
 * if the response teaches nothing new.
 */
export function learnRules(rules: MessageRules, { status, body }: ErrorResponse): MessageRules | undefined {
  if (![400, 404, 415, 422, 500].includes(status)) return undefined;
  const text = body.slice(0, 20_000).replaceAll('\\"', '"').replace(/\s+/g, ' ');
  const match = LEARNED_RULES.find(
    ([pattern, learned]) => pattern.test(text) && Object.keys(differences(rules, learned)).length > 0,
  );
  return match && { ...rules, ...match[1] };
}

/** The rules in which two sets differ. */
function differences(before: MessageRules, rules: Partial<MessageRules>): Partial<MessageRules> {
  return Object.fromEntries(
    Object.entries(rules).filter(
      ([name, value]) => JSON.stringify(before[name as keyof MessageRules]) !== JSON.stringify(value),
    ),
  );
}
