/**
 * A request as shown to people: in parts, each with its layer and its token count. Pure.
 */
import type { ContextLayer, ShownPart, ShownRequest } from '@crewagent/protocol/api/shown-context';
import type { MessageRules } from '@crewagent/protocol/model';
import { bytesOfMessage, bytesOfTools, requestBytes } from '../llm/serialise.ts';
import type { UserPart } from '../llm/user-parts.ts';
import type { AssistantMessage, ChatMessage, WireTool } from '../llm/wire.ts';
import { composeRequest, type PromptFrame } from './prompt-composer.ts';
import { partsOf } from './user-text.ts';

export interface ShownSources {
  readonly frame: PromptFrame;
  readonly messages: readonly ChatMessage[];
  readonly rules: MessageRules;
  readonly bytesPerToken: number;
}

export function toShownRequest(sources: ShownSources): ShownRequest {
  const { frame, bytesPerToken, rules } = sources;
  const request = composeRequest(frame, sources.messages, rules);
  const toTokens = (bytes: number): number => Math.round(bytes / bytesPerToken);
  const toPart = (layer: ContextLayer, role: 'system' | 'user', text: string): ShownPart => ({
    layer,
    role,
    text,
    tokens: toTokens(bytesOfMessage({ role, content: text })),
  });
  const parts: ShownPart[] = frame.layers.map(({ layer, text }) => toPart(layer, 'system', text));
  parts.push(...toToolParts(request.tools, toTokens));
  // A request has the same user messages, without their parts.
  const sent = sources.messages.filter((message) => message.role === 'user').values();
  for (const message of request.messages.slice(frame.system.length)) {
    if (message.role === 'system') continue;
    if (message.role === 'user')
      for (const { kind, text } of partsOf(sent.next().value ?? message))
        parts.push(toPart(LAYERS[kind] ?? 'messages', 'user', text));
    else
      parts.push({
        layer: 'messages',
        role: message.role,
        text: message.role === 'assistant' ? toText(message) : message.content,
        tokens: toTokens(bytesOfMessage(message)),
      });
  }
  return { tokens: toTokens(requestBytes(request)), parts };
}

const FROM_SERVERS = /^mcp_/;
/** Offered when the tools of servers are sent with one line each. */
const DESCRIBE = 'mcp_describe';

/** Tools of MCP servers one by one, all others together. */
function toToolParts(tools: readonly WireTool[], toTokens: (bytes: number) => number): ShownPart[] {
  const own = tools.filter(({ function: { name } }) => !FROM_SERVERS.test(name));
  const others = tools.filter(({ function: { name } }) => FROM_SERVERS.test(name));
  const areBrief = others.some(({ function: { name } }) => name === DESCRIBE);
  const fromServers = others.map((tool): ShownPart => {
    const { name } = tool.function;
    const text = JSON.stringify(tool);
    const bytes = Buffer.byteLength(text);
    const isBrief = areBrief && name !== DESCRIBE;
    return { layer: 'tools', text, tokens: toTokens(bytes), tool: { name, bytes, isBrief } };
  });
  if (own.length === 0) return fromServers;
  const tokens = toTokens(bytesOfTools(own));
  return [{ layer: 'tools', text: JSON.stringify(own), tokens }, ...fromServers];
}

/** Layers of the parts of user messages; all others belong to the messages. */
const LAYERS: Readonly<Partial<Record<UserPart['kind'], ContextLayer>>> = {
  anchor: 'anchor',
  input: 'input',
  nodes: 'earlier',
  outline: 'earlier',
  thread: 'earlier',
};

/** The text, and other fields as JSON. */
function toText({ role: _, content, ...rest }: AssistantMessage): string {
  const parts = content === null ? [] : [content];
  return [...parts, ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : [])].join('\n');
}
