/**
 * Adds user messages to a history.
 */
import type { ChatMessage, UserMessage, UserPart } from '../llm/wire.ts';

/** Many chat templates require alternating user and assistant messages, so adjacent user texts are joined. */
export function addUserText(messages: ChatMessage[], text: string, kind?: UserPart['kind']): void {
  addUserMessage(messages, { role: 'user', content: text, ...(kind ? { parts: [{ kind, text }] } : {}) });
}

export function addUserMessage(messages: ChatMessage[], message: UserMessage): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') {
    messages.push(message);
    return;
  }
  const hasParts = last.parts !== undefined || message.parts !== undefined;
  messages[messages.length - 1] = {
    role: 'user',
    content: `${last.content}\n\n${message.content}`,
    ...(hasParts ? { parts: [...partsOf(last), ...partsOf(message)] } : {}),
  };
}

export function partsOf({ content, parts }: UserMessage): readonly UserPart[] {
  return parts ?? [{ kind: 'other', text: content }];
}
