/**
 * Compaction of a history: old tool groups (a reply with tool calls and their results) are summarised in a few lines,
 * and old exchanges (a user message and everything up to the next) in one line per message. Groups are never split,
 * because providers reject a call without its result.
 */
import type { OutlineLine } from '../llm/user-parts.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { exchangeStarts, summariseExchanges } from './earlier-thread.ts';
import { toCallLine, toOutlinePart } from './outline.ts';
import { shortenMessage } from './shorten-message.ts';
import { describeAnswer, describeCall, groupAt, shorten } from './tool-groups.ts';
import { addUserMessage, addUserPart } from './user-text.ts';

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
    message.role === 'user' ? shortenMessage(message, textChars) : message,
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
  let summary: OutlineLine[] = [];
  let left = count;
  const flush = (): void => {
    if (summary.length > 0) addUserPart(compacted, toOutlinePart(summary));
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
    if (group.content) summary.push({ text: `- you said: ${shorten(group.content, 200)}` });
    for (const each of group.calls) {
      const { call, answer } = each;
      summary.push(toCallLine(each, `- ${describeCall(call)}: ${describeAnswer(answer)}`));
    }
  }
  flush();
  return compacted;
}
