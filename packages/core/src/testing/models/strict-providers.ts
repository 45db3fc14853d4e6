/**
 * A server for each provider profile that rejects what the provider is documented to reject: fields, ids, roles and their
 * order, headers, tool schemas. Replies contain the provider's own fields.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isObject } from '@crewagent/protocol/json-object';
import type { Provider } from '@crewagent/protocol/model';
import { type JsonRecord, textIn } from '../../llm/untrusted-json.ts';
import {
  callsOf,
  type FakeProvider,
  type ReceivedRequest,
  startFakeProvider,
  violationsOf,
} from './fake-provider.ts';
import {
  eventsReply,
  type ProviderReply,
  type ScriptedCall,
  statusReply,
  toChunks,
} from './provider-replies.ts';

interface StrictRules {
  /** Accepted fields of a reply and of its calls, in addition to the common ones. */
  readonly fields?: readonly string[];
  readonly callFields?: readonly string[];
  readonly keyHeader?: string;
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  readonly maxTemperature?: number;
  readonly takesStreamOptions?: boolean;
  readonly severalSystemMessages?: boolean;
  /** The provider's error message for a request. */
  readonly complain?: (messages: readonly JsonRecord[], body: JsonRecord) => string | undefined;
  /** Fields that the provider adds to a reply with calls, and to its first call. */
  readonly ownFields?: JsonRecord;
  readonly ownCallFields?: JsonRecord;
  readonly callId?: (turn: number) => string;
}

const withCalls = (messages: readonly JsonRecord[]): JsonRecord[] =>
  messages.filter((message) => Array.isArray(message.tool_calls));

const wantsReasoning = (messages: readonly JsonRecord[]): string | undefined =>
  withCalls(messages).some((message) => typeof message.reasoning_content !== 'string')
    ? 'The `reasoning_content` in the thinking mode must be passed back to the API.'
    : undefined;

const mistralOrder = (messages: readonly JsonRecord[]): string | undefined => {
  const roles = messages.map(({ role }) => textIn(role));
  if (roles.some((role, at) => role === 'user' && roles[at - 1] === 'tool'))
    return "Unexpected role 'user' after role 'tool'";
  const wrong = messages.flatMap(callsOf).find(({ id }) => !/^[A-Za-z0-9]{9}$/.test(textIn(id)));
  return wrong && `Tool call id was ${textIn(wrong.id)} but must be a-z, A-Z, 0-9, with a length of 9.`;
};

const unsigned = (messages: readonly JsonRecord[]): string | undefined => {
  const isSigned = (call: JsonRecord | undefined): boolean => {
    const google = isObject(call?.extra_content) ? call.extra_content.google : undefined;
    return (
      isObject(google) &&
      /^(?:signed-\d+|skip_thought_signature_validator)$/.test(textIn(google.thought_signature))
    );
  };
  return withCalls(messages).every((message) => isSigned(callsOf(message)[0]))
    ? undefined
    : 'Function call is missing a thought_signature in functionCall parts.';
};

const unknownKeyword = (schema: unknown): string | undefined => {
  if (Array.isArray(schema)) return schema.map(unknownKeyword).find(Boolean);
  if (!isObject(schema)) return undefined;
  for (const [name, value] of Object.entries(schema)) {
    if (
      /^(?:additionalProperties|\$schema|\$ref|const|oneOf|allOf|pattern|default|propertyNames|exclusiveMinimum)$/.test(
        name,
      )
    )
      return name;
    const inner = name === 'properties' && isObject(value) ? Object.values(value) : value;
    const found = unknownKeyword(inner);
    if (found) return found;
  }
  return undefined;
};

const geminiRules = (messages: readonly JsonRecord[], { tools }: JsonRecord): string | undefined => {
  const keyword = unknownKeyword(tools);
  return keyword
    ? `Invalid JSON payload received. Unknown name "${keyword}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`
    : unsigned(messages);
};

const THINKING: StrictRules = { fields: ['reasoning_content'], complain: wantsReasoning };

const STRICT_PROVIDERS: Readonly<Record<Provider, StrictRules>> = {
  openai: {
    severalSystemMessages: true,
    maxTokensField: 'max_completion_tokens',
    ownFields: { annotations: [{ type: 'url' }] },
  },
  azure: {
    keyHeader: 'api-key',
    maxTokensField: 'max_completion_tokens',
    ownFields: { content_filter: { hate: 1 } },
  },
  anthropic: { maxTemperature: 1, callId: (turn) => `toolu_0${turn}ABCDEFGHIJKLMNOPQRST` },
  gemini: {
    callFields: ['extra_content'],
    fields: ['extra_content'],
    complain: geminiRules,
    ownCallFields: { extra_content: { google: { thought_signature: 'signed-1' } } },
    callId: (turn) => `function-call-${turn}0987654321`,
  },
  deepseek: { ...THINKING, ownFields: { reasoning_content: 'Thinking.' } },
  mistral: {
    takesStreamOptions: false,
    maxTemperature: 1.5,
    complain: mistralOrder,
    callId: (turn) => `M${String(turn).padStart(8, '0')}`,
    ownFields: { prefix: true },
  },
  groq: { maxTokensField: 'max_completion_tokens', ownFields: { reasoning: 'Hm.', executed_tools: [1] } },
  xai: { severalSystemMessages: true, ownFields: { reasoning_content: 'Grok.', citations: ['x'] } },
  qwen: {
    complain: (messages) =>
      messages.some(({ content }) => content === null)
        ? "'content' field should be a valid string, null is not allowed."
        : undefined,
    ownFields: { reasoning_content: 'Qwen.' },
  },
  moonshot: {
    maxTemperature: 1,
    fields: ['reasoning_content'],
    complain: (messages) => {
      const at = messages.findIndex(
        (message) => callsOf(message).length > 0 && message.reasoning_content === undefined,
      );
      return at === -1
        ? undefined
        : `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`;
    },
    ownFields: { reasoning_content: 'Kimi.' },
    callId: (turn) => `fs.list:${turn}`,
  },
  zhipu: { maxTemperature: 1, fields: ['reasoning_content'], ownFields: { reasoning_content: 'GLM.' } },
  siliconflow: { ...THINKING, ownFields: { reasoning_content: 'Flow.' } },
  openrouter: {
    severalSystemMessages: true,
    fields: ['reasoning_details'],
    ownFields: { reasoning_details: [{ type: 'reasoning.encrypted', data: 'xyz' }] },
  },
  ollama: { ownFields: { thinking: 'Ollama.' }, fields: ['thinking'] },
  lmstudio: {},
  llamacpp: { fields: ['reasoning_content'] },
  // A Mistral model behind vLLM has Mistral's rules.
  vllm: { complain: mistralOrder, callId: (turn) => `chatcmpl-tool-${turn}f00f00f00` },
  builtin: {},
  // A model like DeepSeek behind a gateway without a profile.
  generic: { ...THINKING, ownFields: { reasoning_content: 'Who?' } },
};

const COMMON_FIELDS = ['role', 'content', 'tool_calls', 'tool_call_id'];
const BODY_FIELDS = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'stream_options', 'temperature'];

/** Issues of a request for this provider. */
function complaintsOf(rules: StrictRules, { body, headers }: ReceivedRequest): string[] {
  const messages = (body.messages as readonly unknown[]).filter(isObject);
  const { keyHeader = 'authorization', maxTokensField = 'max_tokens' } = rules;
  const allowed = [...BODY_FIELDS, maxTokensField];
  const found = [
    ...violationsOf(body).filter(
      (violation) => !rules.severalSystemMessages || !/system message/.test(violation),
    ),
    ...Object.keys(body)
      .filter((name) => !allowed.includes(name))
      .map((name) => `property '${name}' is unsupported`),
    ...wrongFields(messages, rules),
    ...wrongHeaders(headers, keyHeader),
  ];
  if (rules.takesStreamOptions === false && body.stream_options !== undefined)
    found.push('stream_options: Extra inputs are not permitted');
  if (typeof body.temperature === 'number' && body.temperature > (rules.maxTemperature ?? 2))
    found.push('temperature is out of range');
  const own = rules.complain?.(messages, body);
  return own === undefined ? found : [own, ...found];
}

function wrongFields(
  messages: readonly JsonRecord[],
  { fields = [], callFields = [] }: StrictRules,
): string[] {
  const takes = [...COMMON_FIELDS, ...fields];
  const callTakes = ['id', 'type', 'function', ...callFields];
  return messages.flatMap((message, at) => [
    ...Object.keys(message)
      .filter((name) => !takes.includes(name))
      .map((name) => `'messages.${at}' : property '${name}' is unsupported`),
    ...callsOf(message)
      .flatMap((call) => Object.keys(call))
      .filter((name) => !callTakes.includes(name))
      .map((name) => `'messages.${at}.tool_calls' : property '${name}' is unsupported`),
  ]);
}

function wrongHeaders(headers: IncomingHttpHeaders, keyHeader: string): string[] {
  const sent = ['authorization', 'api-key', 'x-api-key'].filter((name) => headers[name] !== undefined);
  return sent.length === 1 && sent[0] === keyHeader
    ? []
    : [`the key was sent in ${sent.join(' and ') || 'no header'}`];
}

export interface StrictProvider extends FakeProvider {
  /** Error messages of rejected requests. */
  readonly complaints: readonly string[];
}

export type StrictReply = { readonly text: string } | { readonly calls: readonly ScriptedCall[] };

/** `answer` returns the reply to each accepted request. */
export async function startStrictProvider(
  provider: Provider,
  answer: (request: ReceivedRequest, index: number) => StrictReply,
): Promise<StrictProvider> {
  const rules = STRICT_PROVIDERS[provider];
  const complaints: string[] = [];
  let accepted = 0;
  const server = await startFakeProvider(
    (request) => {
      const found = complaintsOf(rules, request);
      complaints.push(...found);
      if (found.length > 0)
        return statusReply(400, { error: { message: found[0], type: 'invalid_request_error' } });
      return toReply(rules, answer(request, accepted), accepted++);
    },
    { isStrict: false },
  );
  return { ...server, complaints };
}

function toReply(rules: StrictRules, reply: StrictReply, turn: number): ProviderReply {
  if ('text' in reply) return eventsReply(toChunks({ text: reply.text }));
  const calls = reply.calls.map((call, at) => ({
    id: rules.callId?.(turn * 10 + at) ?? `call_${turn}_${at}_aBcDeFgHiJkLmN`,
    ...call,
  }));
  const [opening, ...chunks] = toChunks({ toolCalls: calls, pieceLength: 1_000 });
  const own = { choices: [{ index: 0, delta: { content: null, ...rules.ownFields } }] };
  const ownCall = {
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...rules.ownCallFields }] } }],
  };
  const [first, ...others] = chunks;
  return eventsReply([opening, own, first, ...(rules.ownCallFields ? [ownCall] : []), ...others]);
}
