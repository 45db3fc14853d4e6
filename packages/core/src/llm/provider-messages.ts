/**
 * The way out: stored messages as one provider takes them. Stored messages are the same for all; everything that differs is
 * in the rules of the model that is asked. Pure. A message is converted once, so that its bytes stay the same.
 */
import type { MessageRules } from '@crewagent/protocol/model';
import { isRecord } from './foreign-json.ts';
import type { AssistantMessage, ChatMessage, StoredParts, WireTool, WireToolCall } from './wire.ts';

/** For models without a wire, and recordings of earlier versions: unknown fields are sent back to any model. */
export function plainRules(wantsReasoningBack: boolean): MessageRules {
  return wantsReasoningBack ? PLAIN_WITH_REASONING : PLAIN;
}

const ANY_ORIGIN = '';
const PLAIN: MessageRules = {
  origin: ANY_ORIGIN,
  returnedFields: 'all',
  reasoning: 'never',
  callIds: 'any',
  needsReplyAfterTools: false,
  needsSignatures: false,
  emptyContent: 'null',
  toolSchemas: 'full',
};
const PLAIN_WITH_REASONING: MessageRules = { ...PLAIN, reasoning: 'if known' };

export function toProviderMessages(messages: readonly ChatMessage[], rules: MessageRules): ChatMessage[] {
  const known = convertedBy(rules);
  const converted: ChatMessage[] = [];
  let before: ChatMessage | undefined;
  for (const message of messages) {
    if (rules.needsReplyAfterTools && before?.role === 'tool' && message.role === 'user')
      converted.push(BRIDGE);
    let made = known.get(message);
    if (!made) {
      made = convert(message, rules);
      known.set(message, made);
    }
    converted.push(made);
    before = message;
  }
  return converted;
}

/** Stands between the results of tools and a person's words, where a provider insists on a reply. */
const BRIDGE: AssistantMessage = { role: 'assistant', content: 'Done.' };

const conversions = new WeakMap<MessageRules, WeakMap<ChatMessage, ChatMessage>>();

function convertedBy(rules: MessageRules): WeakMap<ChatMessage, ChatMessage> {
  const known = conversions.get(rules) ?? new WeakMap<ChatMessage, ChatMessage>();
  conversions.set(rules, known);
  return known;
}

function convert(message: ChatMessage, rules: MessageRules): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'user':
      return message;
    case 'tool':
      return rules.callIds === 'any'
        ? message
        : { ...message, tool_call_id: toNineCharacters(message.tool_call_id) };
    case 'assistant':
      return convertReply(message, rules);
  }
}

function convertReply({ stored, ...message }: AssistantMessage, rules: MessageRules): AssistantMessage {
  const calls = message.tool_calls?.map((call, at) => convertCall(call, at, stored, rules));
  const reasoning = calls ? reasoningFor(stored?.reasoning, rules) : undefined;
  const isEmpty = message.content === null && rules.emptyContent === 'text';
  return {
    ...returned(stored?.fields, stored, rules),
    ...message,
    role: 'assistant',
    content: isEmpty ? '' : message.content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls ? { tool_calls: calls } : {}),
  };
}

function convertCall(
  call: WireToolCall,
  at: number,
  stored: StoredParts | undefined,
  rules: MessageRules,
): WireToolCall {
  const fields = returned(stored?.callFields[at], stored, rules);
  // Gemini signs the first call of a reply, and takes this text for calls that it did not make.
  const isUnsigned = rules.needsSignatures && at === 0 && fields.extra_content === undefined;
  return {
    ...fields,
    ...(isUnsigned ? UNSIGNED : {}),
    ...call,
    id: rules.callIds === 'any' ? call.id : toNineCharacters(call.id),
  };
}

const UNSIGNED = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

function reasoningFor(reasoning: string | undefined, rules: MessageRules): string | undefined {
  if (rules.reasoning === 'never') return undefined;
  return reasoning ?? (rules.reasoning === 'always' ? '' : undefined);
}

/** Unknown fields mean something only to the model that they came from. */
function returned(
  fields: Readonly<Record<string, unknown>> | undefined,
  stored: StoredParts | undefined,
  { origin, returnedFields }: MessageRules,
): Readonly<Record<string, unknown>> {
  if (!fields || (origin !== ANY_ORIGIN && origin !== stored?.origin)) return {};
  if (returnedFields === 'all') return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => returnedFields.includes(name)));
}

const NINE_CHARACTERS = /^[A-Za-z0-9]{9}$/;

/** The same for the same id. Ids that we make have this form already. */
export function toNineCharacters(id: string): string {
  if (NINE_CHARACTERS.test(id)) return id;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(id)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return (hash % 36n ** 9n).toString(36).padStart(9, '0');
}

const plainSchemas = new WeakMap<readonly WireTool[], readonly WireTool[]>();

export function toProviderTools(tools: readonly WireTool[], rules: MessageRules): readonly WireTool[] {
  if (rules.toolSchemas === 'full') return tools;
  const known = plainSchemas.get(tools);
  if (known) return known;
  const made = tools.map((tool): WireTool => {
    const parameters = toPlainSchema(tool.function.parameters) as WireTool['function']['parameters'];
    return { ...tool, function: { ...tool.function, parameters } };
  });
  plainSchemas.set(tools, made);
  return made;
}

/** Keywords of the subset of OpenAPI that Gemini takes. */
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
  if (!isRecord(schema)) return schema;
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
        if (name === 'properties' && isRecord(value))
          return [
            name,
            Object.fromEntries(Object.entries(value).map(([key, part]) => [key, toPlainSchema(part)])),
          ];
        return [name, name === 'items' || name === 'anyOf' ? toPlainSchema(value) : value];
      }),
  );
}
