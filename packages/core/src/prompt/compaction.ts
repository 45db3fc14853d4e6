/**
 * Compaction of a history: old tool groups (a reply with tool calls and their results) are summarised in a few lines,
 * and old exchanges (a user message and everything up to the next) in one line per message. Groups are never split,
 * because providers reject a call without its result.
 */
import type { ChatMessage, UserMessage } from '../llm/wire.ts';
import {
  exchangeStarts,
  isBlock,
  linesOf,
  openingOf,
  summariseExchanges,
  toEarlierThread,
} from './earlier-thread.ts';
import { describeAnswer, describeCall, groupAt, shorten } from './tool-groups.ts';
import { addUserMessage, addUserText } from './user-text.ts';

/** A compaction in numbers, so that it can be repeated. */
export interface Compaction {
  /** Number of the oldest exchanges to summarise in EARLIER_MESSAGES; never includes the last one. */
  readonly exchanges?: number | undefined;
  /** Number of the oldest remaining tool groups to summarise. */
  readonly groups: number;
  /** Maximum length of a user text. */
  readonly textChars?: number | undefined;
}

export function compactMessages(
  messages: readonly ChatMessage[],
  { exchanges = 0, groups, textChars = Number.POSITIVE_INFINITY }: Compaction,
): ChatMessage[] {
  return compactGroups(summariseExchanges(messages, exchanges), groups).map((message) =>
    message.role === 'user' ? shortenText(message, textChars) : message,
  );
}

export function countExchanges(messages: readonly ChatMessage[]): number {
  return exchangeStarts(messages).length;
}

/** Number of the oldest groups to compact to free `bytesToFree`; the newest `kept` groups stay. */
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
  let summary: string[] = [];
  let left = count;
  const flush = (): void => {
    if (summary.length > 0) addUserText(compacted, ['EARLIER_IN_THIS_NODE', ...summary].join('\n'));
    summary = [];
  };
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    const group = message?.role === 'assistant' && left > 0 ? groupAt(messages, index) : undefined;
    if (!group) {
      flush();
      if (message?.role === 'user') addUserMessage(compacted, message);
      else if (message) compacted.push(message);
      continue;
    }
    left--;
    index += group.calls.length;
    if (group.content) summary.push(`- you said: ${shorten(group.content, 200)}`);
    for (const { call, answer } of group.calls)
      summary.push(`- ${describeCall(call)}: ${describeAnswer(answer)}`);
  }
  flush();
  return compacted;
}

/**
 * Keeps beginning and end: a message begins with an anchor and ends with the latest input. Earlier messages are
 * shortened first.
 */
function shortenText(message: UserMessage, chars: number): UserMessage {
  if (message.content.length <= chars) return message;
  const thread = openingOf(message).find(isBlock('EARLIER_MESSAGES'));
  const content =
    thread === undefined
      ? message.content
      : message.content.replace(thread, () => toEarlierThread(linesOf(thread), chars / 4));
  if (content.length <= chars) return { role: 'user', content };
  const head = Math.ceil(chars * 0.7);
  const left = content.length - chars;
  const tail = content.slice(content.length - (chars - head));
  return { role: 'user', content: `${content.slice(0, head)}\n… (${left} characters omitted)\n${tail}` };
}
