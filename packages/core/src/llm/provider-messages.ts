/**
 * Converts stored messages to the form that one provider accepts. Stored messages are the same for all providers; the
 * message rules of the model contain the differences. Pure. Each message is converted once, so that its bytes stay
 * the same.
 */
import { isObject } from '@crewagent/protocol/json-object';
import type { MessageRules } from '@crewagent/protocol/model';
import { toUnseenNote } from './picture-parts.ts';
import { escapeTokens } from './special-tokens.ts';
import type {
  AssistantMessage,
  ChatMessage,
  StoredParts,
  ToolMessage,
  UserMessage,
  WireTool,
  WireToolCall,
} from './wire.ts';

/** For models without a provider and recordings of earlier versions: unknown fields are sent back to any model. */
export function plainRules(wantsReasoningBack: boolean): MessageRules {
  return wantsReasoningBack ? PLAIN_WITH_REASONING : PLAIN;
}

/** No provider fields are sent back, and messages have the common form. */
export const COMMON_RULES: Omit<MessageRules, 'origin'> = {
  returnedFields: [],
  reasoning: 'never',
  callIds: 'any',
  needsReplyAfterTools: false,
  needsSignatures: false,
  emptyContent: 'null',
  toolSchemas: 'full',
  pictures: false,
};

const ANY_ORIGIN = '';
const PLAIN: MessageRules = { origin: ANY_ORIGIN, ...COMMON_RULES, returnedFields: 'all' };
const PLAIN_WITH_REASONING: MessageRules = { ...PLAIN, reasoning: 'if known' };

export function toProviderMessages(messages: readonly ChatMessage[], rules: MessageRules): ChatMessage[] {
  const cached = cacheFor(rules);
  const converted: ChatMessage[] = [];
  let before: ChatMessage | undefined;
  for (const message of messages) {
    if (rules.needsReplyAfterTools && before?.role === 'tool' && message.role === 'user')
      converted.push(BRIDGE);
    let result = cached.get(message);
    if (!result) {
      result = convert(message, rules);
      cached.set(message, result);
    }
    converted.push(result);
    before = message;
  }
  return converted;
}

/** Inserted between tool results and a user message for providers that require a reply there. */
const BRIDGE: AssistantMessage = { role: 'assistant', content: 'Done.' };

const conversions = new WeakMap<MessageRules, WeakMap<ChatMessage, ChatMessage>>();

function cacheFor(rules: MessageRules): WeakMap<ChatMessage, ChatMessage> {
  const cached = conversions.get(rules) ?? new WeakMap<ChatMessage, ChatMessage>();
  conversions.set(rules, cached);
  return cached;
}

function convert(message: ChatMessage, rules: MessageRules): ChatMessage {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return convertUser(message, rules);
    case 'tool':
      return convertResult(message, rules);
    case 'assistant':
      return convertReply(message, rules);
  }
}

function convertUser({ content, parts = [] }: UserMessage, rules: MessageRules): UserMessage {
  const text = escapeTokens(content);
  const pictures = parts.flatMap((part) => ('pictures' in part ? (part.pictures ?? []) : []));
  if (pictures.length === 0) return { role: 'user', content: text };
  if (rules.pictures) return { role: 'user', content: text, pictures };
  return { role: 'user', content: `${text}\n\n${escapeTokens(toUnseenNote(pictures))}` };
}

function convertResult(message: ToolMessage, rules: MessageRules): ToolMessage {
  const content = escapeTokens(message.content);
  if (rules.callIds === 'any') return content === message.content ? message : { ...message, content };
  return { ...message, content, tool_call_id: toNineCharacters(message.tool_call_id) };
}

function convertReply({ stored, ...message }: AssistantMessage, rules: MessageRules): AssistantMessage {
  const calls = message.tool_calls?.map((call, at) => convertCall(call, at, stored, rules));
  const reasoning = calls ? reasoningFor(stored?.reasoning, rules) : undefined;
  const isEmpty = message.content === null && rules.emptyContent === 'text';
  return {
    ...fieldsToReturn(stored?.fields, stored, rules),
    ...message,
    role: 'assistant',
    content: isEmpty ? '' : message.content && escapeTokens(message.content),
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls ? { tool_calls: calls } : {}),
  };
}

function convertCall(
  { facts: _, ...call }: WireToolCall,
  at: number,
  stored: StoredParts | undefined,
  rules: MessageRules,
): WireToolCall {
  const fields = fieldsToReturn(stored?.callFields[at], stored, rules);
  // Gemini signs the first call of a reply, and accepts this value for calls it did not make.
  const isUnsigned = rules.needsSignatures && at === 0 && fields.extra_content === undefined;
  return {
    ...fields,
    ...(isUnsigned ? UNSIGNED : {}),
    ...call,
    function: { ...call.function, arguments: escapeTokens(call.function.arguments) },
    id: rules.callIds === 'any' ? call.id : toNineCharacters(call.id),
  };
}

const UNSIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

function reasoningFor(reasoning: string | undefined, rules: MessageRules): string | undefined {
  if (rules.reasoning === 'never') return undefined;
  return reasoning ?? (rules.reasoning === 'always' ? '' : undefined);
}

/** Unknown fields are sent back only to the model they came from. */
function fieldsToReturn(
  fields: Readonly<Record<string, unknown>> | undefined,
  stored: StoredParts | undefined,
  { origin, returnedFields }: MessageRules,
): Readonly<Record<string, unknown>> {
  if (!fields || (origin !== ANY_ORIGIN && origin !== stored?.origin)) return {};
  if (returnedFields === 'all') return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => returnedFields.includes(name)));
}

const NINE_CHARACTERS = /^[A-Za-z0-9]{9}$/;

/** Deterministic. Ids that we create already have this form. */
export function toNineCharacters(id: string): string {
  if (NINE_CHARACTERS.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(id)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return (hash % 36n ** 9n).toString(36).padStart(9, '0');
}

const plainSchemas = new WeakMap<readonly WireTool[], readonly WireTool[]>();

export function toProviderTools(tools: readonly WireTool[], rules: MessageRules): readonly WireTool[] {
  if (rules.toolSchemas === 'full') return tools;
  const cached = plainSchemas.get(tools);
  if (cached) return cached;
  const result = tools.map((tool): WireTool => {
    const parameters = toPlainSchema(tool.function.parameters) as WireTool['function']['parameters'];
    return { ...tool, function: { ...tool.function, parameters } };
  });
  plainSchemas.set(tools, result);
  return result;
}

/** Keywords of the OpenAPI subset that Gemini accepts. */
const PLAIN_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'format',
  'title',
  'description',
  'nullable',
  'enum',
  'maxItems',
  'minItems',
  'properties',
  'required',
  'minimum',
  'maximum',
  'anyOf',
  'items',
  'propertyOrdering',
]);

function toPlainSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toPlainSchema);
  if (!isObject(schema)) return schema;
  const { const: constant, oneOf, ...rest } = schema;
  const normal: Record<string, unknown> = {
    ...rest,
    ...(constant === undefined ? {} : { enum: [constant] }),
    ...(Array.isArray(oneOf) ? { anyOf: oneOf } : {}),
  };
  return Object.fromEntries(
    Object.entries(normal)
      .filter(([name]) => PLAIN_KEYWORDS.has(name))
      .map(([name, value]) => {
        if (name === 'properties' && isObject(value))
          return [
            name,
            Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPlainSchema(part)])),
          ];
        return [name, name === 'items' || name === 'anyOf' ? toPlainSchema(value) : value];
      }),
  );
}
