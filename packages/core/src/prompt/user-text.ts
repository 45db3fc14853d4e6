/**
 * Texts to the model in a person's place.
 */
import type { ChatMessage } from '../llm/wire.ts';

/** Many chat templates want users and assistants to take turns: what is said twice in a row is said at once. */
export function addUserText(messages: ChatMessage[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${text}` };
  else messages.push({ role: 'user', content: text });
}
