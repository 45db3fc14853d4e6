/** What a host is given of a request: the texts of it that are not rules for our own tools. Pure. */
import type { ChatRequest } from '../../llm/wire.ts';

/** The rules and the policy of our own tools come first (`composeFrame`). */
const OWN_LAYERS = 2;

/** Background, persona, position, step, and what was said at this node. */
export function toBriefText({ messages }: ChatRequest): string {
  const system = messages.filter(({ role }) => role === 'system').slice(OWN_LAYERS);
  return join([...system, ...messages.filter(({ role }) => role === 'user')]);
}

/** What came after the last call: all of it if the call led to another node. */
export function toNewsText(request: ChatRequest): string {
  const { messages } = request;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  if (last < 0) return toBriefText(request);
  return join(messages.slice(last + 1).filter(({ role }) => role === 'user'));
}

/** The results of the last calls. */
export function toLastResult({ messages }: ChatRequest): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return last < 0 ? '' : join(messages.slice(last + 1).filter(({ role }) => role === 'tool'));
}

function join(messages: ChatRequest['messages']): string {
  return messages
    .flatMap(({ content }) => (typeof content === 'string' && content.trim() !== '' ? [content] : []))
    .join('\n\n');
}
