/**
 * Adds user messages to a history.
 */
import type { UserPart } from '../llm/user-parts.ts';
import type { ChatMessage, UserMessage } from '../llm/wire.ts';

export function addUserPart(messages: ChatMessage[], part: UserPart): void {
  addUserMessage(messages, toUserMessage([part]));
}

/** Many chat templates require alternating user and assistant messages, so adjacent user texts are joined. */
export function addUserMessage(messages: ChatMessage[], message: UserMessage): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') messages.push(message);
  else messages[messages.length - 1] = toUserMessage([...partsOf(last), ...partsOf(message)]);
}

export const SEPARATOR = '\n\n';

export function toUserMessage(parts: readonly UserPart[]): UserMessage {
  return { role: 'user', content: parts.map(({ text }) => text).join(SEPARATOR), parts };
}

export function partsOf({ content, parts }: UserMessage): readonly UserPart[] {
  return parts ?? [{ kind: 'other', text: content }];
}
