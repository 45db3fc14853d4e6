/**
 * Making room in a history: whole old tool groups (a reply with tool calls and their answers) are put into a few words, and
 * whole old exchanges (a person's words and all that followed) into one line for each thing said. Never a half group:
 * providers refuse a call without its answer.
 */
import type { ChatMessage, UserMessage } from '../llm/wire.ts';
import {
  exchangeStarts,
  forgetExchanges,
  isBlock,
  linesOf,
  openingOf,
  toEarlierThread,
} from './earlier-thread.ts';
import { describeAnswer, describeCall, groupAt, shorten } from './tool-groups.ts';
import { addUserText } from './user-text.ts';

/** What is done to a history, in numbers, so that it can be done again. */
export interface Compaction {
  /** How many of the oldest exchanges are told in EARLIER_TALK; the last one never is. */
  readonly exchanges?: number | undefined;
  /** How many of the oldest tool groups that are left are told instead of shown. */
  readonly groups: number;
  /** The most that is left of a user text. */
  readonly textChars?: number | undefined;
}

export function compactMessages(
  messages: readonly ChatMessage[],
  { exchanges = 0, groups, textChars = Number.POSITIVE_INFINITY }: Compaction,
): ChatMessage[] {
  return compactGroups(forgetExchanges(messages, exchanges), groups).map((message) =>
    message.role === 'user' ? shortenText(message, textChars) : message,
  );
}

export function countExchanges(messages: readonly ChatMessage[]): number {
  return exchangeStarts(messages).length;
}

/** How many of the oldest groups must go to free so many bytes; the newest `kept` stay. */
export function groupsToCompact(
  messages: readonly ChatMessage[],
  bytesOf: (message: ChatMessage) => number,
  { bytesToFree, kept }: { bytesToFree: number; kept: number },
): number {
  const sizes = groupSizes(messages, bytesOf);
  let freed = 0;
  let count = 0;
  for (const size of sizes.slice(0, Math.max(0, sizes.length - kept))) {
    if (freed >= bytesToFree) break;
    freed += size;
    count++;
  }
  return count;
}

function groupSizes(messages: readonly ChatMessage[], bytesOf: (message: ChatMessage) => number): number[] {
  const sizes: number[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && message.tool_calls) sizes.push(bytesOf(message));
    else if (message.role === 'tool' && sizes.length > 0) sizes.push((sizes.pop() ?? 0) + bytesOf(message));
  }
  return sizes;
}

function compactGroups(messages: readonly ChatMessage[], count: number): ChatMessage[] {
  const compacted: ChatMessage[] = [];
  let told: string[] = [];
  let left = count;
  const flush = (): void => {
    if (told.length > 0) addUserText(compacted, ['EARLIER_IN_THIS_NODE', ...told].join('\n'));
    told = [];
  };
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const group = message?.role === 'assistant' && left > 0 ? groupAt(messages, index) : undefined;
    if (!group) {
      flush();
      if (message?.role === 'user') addUserText(compacted, message.content);
      else if (message) compacted.push(message);
      continue;
    }
    left--;
    index += group.calls.length;
    if (group.content) told.push(`- you said: ${shorten(group.content, 200)}`);
    for (const { call, answer } of group.calls)
      told.push(`- ${describeCall(call)}: ${describeAnswer(answer)}`);
  }
  flush();
  return compacted;
}

/**
 * Beginning and end are kept: an anchor begins a message, the person's last words end it. What was said long ago makes room
 * for both.
 */
function shortenText(message: UserMessage, chars: number): UserMessage {
  if (message.content.length <= chars) return message;
  const thread = openingOf(message).find(isBlock('EARLIER_TALK'));
  const content =
    thread === undefined
      ? message.content
      : message.content.replace(thread, () => toEarlierThread(linesOf(thread), chars / 4));
  if (content.length <= chars) return { role: 'user', content };
  const head = Math.ceil(chars * 0.7);
  const left = content.length - chars;
  const tail = content.slice(content.length - (chars - head));
  return { role: 'user', content: `${content.slice(0, head)}\n… (${left} characters left out)\n${tail}` };
}
