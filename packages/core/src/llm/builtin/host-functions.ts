/**
 * Functions that run in the process of a built-in model: convert requests to a chat history and a grammar, and the
 * constrained output to text and tool calls. Their source is embedded in the script of that process
 * (`builtin-model.ts`), so they use nothing but each other. Pure.
 */

export interface HostMessage {
  readonly role: string;
  readonly content?: string | null;
  readonly tool_calls?: readonly {
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

export interface HostTool {
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
  };
}

export type HistoryItem =
  | { readonly type: 'system' | 'user'; readonly text: string }
  | { readonly type: 'model'; readonly response: string[] };

/** A model with tools outputs one JSON object; the grammar allows nothing else. */
export function toGrammarSchema(tools: readonly HostTool[]): unknown {
  return {
    oneOf: [
      { type: 'object', properties: { reply: { type: 'string' } } },
      {
        type: 'object',
        properties: {
          calls: {
            type: 'array',
            minItems: 1,
            maxItems: 8,
            items: {
              oneOf: tools.map((tool) => ({
                type: 'object',
                properties: {
                  tool: { const: tool.function.name },
                  arguments: toPlainGrammar(tool.function.parameters ?? { type: 'object' }),
                },
              })),
            },
          },
        },
      },
    ],
  };
}

/** The part of JSON Schema that grammars support. The tool validates the rest. */
export function toPlainGrammar(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return { type: 'string' };
  const given = schema as Readonly<Record<string, unknown>>;
  if ('const' in given) return { const: given.const };
  if (Array.isArray(given.enum)) return { enum: given.enum };
  const choices = given.oneOf ?? given.anyOf;
  if (Array.isArray(choices)) return { oneOf: choices.map(toPlainGrammar) };
  if (given.type === 'array')
    return { type: 'array', items: toPlainGrammar(given.items ?? { type: 'string' }) };
  if (given.type === 'object') {
    const properties = Object.entries(given.properties ?? {});
    // An object without properties may have any values.
    if (properties.length === 0)
      return { type: 'object', properties: {}, additionalProperties: { type: 'string' } };
    const required: unknown[] = Array.isArray(given.required) ? given.required : [];
    return {
      type: 'object',
      properties: Object.fromEntries(properties.map(([name, part]) => [name, toPlainGrammar(part)])),
      required: properties.map(([name]) => name).filter((name) => required.includes(name)),
    };
  }
  const types = ['string', 'number', 'integer', 'boolean', 'null'];
  return { type: types.includes(String(given.type)) ? given.type : 'string' };
}

export function toChatHistory(messages: readonly HostMessage[], tools: readonly HostTool[]): HistoryItem[] {
  const items: HistoryItem[] = [];
  for (const message of messages) {
    const text = message.content ?? '';
    if (message.role === 'system') items.push({ type: 'system', text: `${text}${describeHostTools(tools)}` });
    else if (message.role === 'assistant')
      items.push({ type: 'model', response: [toHostOutput(message, tools.length > 0)] });
    else items.push({ type: 'user', text: message.role === 'tool' ? `TOOL_RESULT\n${text}` : text });
  }
  // An empty model item at the end: the model continues there.
  items.push({ type: 'model', response: [] });
  return items;
}

/** An earlier reply in the form of the grammar. */
export function toHostOutput(message: HostMessage, hasTools: boolean): string {
  const calls = message.tool_calls ?? [];
  if (calls.length > 0)
    return JSON.stringify({
      calls: calls.map((call) => ({
        tool: call.function.name,
        arguments: JSON.parse(call.function.arguments) as unknown,
      })),
    });
  return hasTools ? JSON.stringify({ reply: message.content ?? '' }) : (message.content ?? '');
}

export function describeHostTools(tools: readonly HostTool[]): string {
  if (tools.length === 0) return '';
  const lines = tools.map(
    ({ function: { name, description, parameters } }) =>
      `- ${name}: ${description ?? ''} Arguments: ${JSON.stringify(parameters ?? {})}`,
  );
  return `\n\nAnswer with one JSON object: {"reply":"your text"} or {"calls":[{"tool":"NAME","arguments":{}}]}. Tools:\n${lines.join('\n')}`;
}

/** The text of a reply whose JSON is still incomplete; undefined if the output is not a reply. */
export function partialReply(output: string): string | undefined {
  const start = /^\s*\{\s*"reply"\s*:\s*"/.exec(output)?.[0];
  if (start === undefined) return undefined;
  const rest = output.slice(start.length);
  let end = 0;
  while (end < rest.length && rest[end] !== '"') {
    const length = rest[end] === '\\' ? (rest[end + 1] === 'u' ? 6 : 2) : 1;
    if (end + length > rest.length) break;
    end += length;
  }
  return JSON.parse(`"${rest.slice(0, end)}"`) as string;
}

/** Undefined for output that was cut off by the length limit. */
export function parseOutput(output: string) {
  try {
    const value = JSON.parse(output) as { reply?: string; calls?: { tool: string; arguments: unknown }[] };
    const calls = (value.calls ?? []).map((call) => ({
      name: call.tool,
      arguments: JSON.stringify(call.arguments ?? {}),
    }));
    return { text: value.reply ?? '', calls };
  } catch {
    return undefined;
  }
}
