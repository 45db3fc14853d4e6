/**
 * Pictures are sent again with each request, so a history keeps only those that were shown recently. Older ones are replaced by
 * their names.
 */
import type { UserPart } from '../llm/user-parts.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { toUserMessage } from './user-text.ts';

/** A picture is sent with its own message and with those that follow, up to these numbers. */
const MAX_LATER_INPUTS = 2;
const MAX_LATER_REPLIES = 20;

/** Call it after each input and each reply. */
export function retirePictures(messages: ChatMessage[]): void {
  let inputs = 0;
  let replies = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === 'assistant') replies++;
    // Older messages were looked at after the reply before.
    if (replies > MAX_LATER_REPLIES + 1) return;
    if (message?.role !== 'user' || !message.parts) continue;
    const isOld = inputs > MAX_LATER_INPUTS || replies > MAX_LATER_REPLIES;
    inputs += message.parts.filter(({ kind }) => kind === 'input').length;
    if (isOld && message.parts.some(hasPictures)) messages[at] = toUserMessage(message.parts.map(retire));
  }
}

type PicturedPart = Extract<UserPart, { kind: 'input' | 'directive' }>;

function hasPictures(part: UserPart): part is PicturedPart {
  return 'pictures' in part && part.pictures !== undefined;
}

function retire(part: UserPart): UserPart {
  if (!hasPictures(part)) return part;
  const { pictures = [], ...rest } = part;
  const names = pictures.map(({ path }) => path).join(', ');
  return { ...rest, text: `${part.text}\n[Shown earlier and not attached any more: ${names}.]` };
}
