/**
 * Compaction of a history: old tool groups (a reply with tool calls and their results) are summarised in a few lines,
 * and old exchanges (a user message and everything up to the next) in one line per message. Groups are never split,
 * because providers reject a call without its result.
 */
import type { OutlineLine, UserPart } from '../llm/user-parts.ts';
import type { ChatMessage, UserMessage } from '../llm/wire.ts';
import { exchangeStarts, summariseExchanges, toThreadPart } from './earlier-thread.ts';
import { toCallLine, toOutlinePart } from './outline.ts';
import { describeAnswer, describeCall, groupAt, shorten } from './tool-groups.ts';
import { addUserMessage, addUserPart, partsOf, SEPARATOR, toUserMessage } from './user-text.ts';

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

/**
 * Shortens a user message that is too long. Keeps beginning and end: a message begins with an anchor and ends with the
 * latest input. Earlier messages are shortened first.
 */
function shortenMessage(message: UserMessage, chars: number): UserMessage {
  if (message.content.length <= chars) return message;
  const shorter = toUserMessage(
    partsOf(message).map((part) =>
      part.kind === 'thread' ? toThreadPart(part.lines, part.isShortened, chars / 4) : part,
    ),
  );
  return shorter.content.length <= chars ? shorter : omitMiddle(shorter, chars);
}

/** The parts at both ends stay; those between them become one part with a gap. */
function omitMiddle(message: UserMessage, chars: number): UserMessage {
  const { content } = message;
  const left = content.length - chars;
  const gapStart = Math.ceil(chars * 0.7);
  const gapEnd = gapStart + left;
  let end = -SEPARATOR.length;
  const placed = partsOf(message).map((part) => {
    const start = end + SEPARATOR.length;
    end = start + part.text.length;
    return { part, start, end };
  });
  const before = placed.filter((one) => one.end + SEPARATOR.length <= gapStart);
  const after = placed.filter(({ start }) => start - SEPARATOR.length >= gapEnd);
  const cut = placed.slice(before.length, placed.length - after.length);
  const [first, last] = [cut[0], cut.at(-1)];
  if (!first || !last) return message;
  const head = content.slice(first.start, gapStart);
  const tail = content.slice(gapEnd, last.end);
  const gap = { text: `\n… (${left} characters omitted)\n`, start: head.length, end: head.length + left };
  return toUserMessage([
    ...before.map(({ part }) => part),
    cutPart(first.part, `${head}${gap.text}${tail}`, gap),
    ...after.map(({ part }) => part),
  ]);
}

interface Gap {
  readonly text: string;
  /** Offsets in the part before it was cut. */
  readonly start: number;
  readonly end: number;
}

/** The part with its new text, and with those of its facts that still hold. */
function cutPart(part: UserPart, text: string, gap: Gap): UserPart {
  switch (part.kind) {
    case 'input':
      return { ...part, text, words: text.slice(part.text.length - part.words.length) };
    case 'anchor':
      return { ...part, text, blocks: part.blocks && cutBlocks(part.blocks, text, gap) };
    case 'thread':
      return { ...part, text, lines: linesOutside(part, gap) };
    case 'outline':
      return { ...part, text, lines: linesOutside(part, gap) };
    default:
      return { ...part, text };
  }
}

function cutBlocks<Blocks extends { briefEnd: number; stepEnd?: number | undefined }>(
  blocks: Blocks,
  text: string,
  gap: Gap,
): Blocks | undefined {
  const { briefEnd, stepEnd } = blocks;
  if (briefEnd > gap.start) return undefined;
  if (stepEnd === undefined || stepEnd <= gap.start) return blocks;
  const moved = stepEnd - (gap.end - gap.start) + gap.text.length;
  return { ...blocks, stepEnd: stepEnd < gap.end ? text.length : moved };
}

/** The lines are at the end of the text. */
function linesOutside<Line extends { readonly text: string }>(
  { text, lines }: { readonly text: string; readonly lines: readonly Line[] },
  gap: Gap,
): Line[] {
  let start = text.length - lines.map((line) => line.text).join('\n').length;
  return lines.filter((line) => {
    const [from, to] = [start, start + line.text.length];
    start = to + 1;
    return to <= gap.start || from >= gap.end;
  });
}
