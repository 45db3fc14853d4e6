/**
 * Adds user messages to a history.
 */
import type { ChatMessage } from '../llm/wire.ts';

/** Many chat templates require alternating user and assistant messages, so adjacent user texts are joined. */
export function addUserText(messages: ChatMessage[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${text}` };
  else messages.push({ role: 'user', content: text });
}
