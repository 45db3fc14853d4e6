/**
 * Summary of earlier messages of a thread that no longer fit: one line per message, in EARLIER_MESSAGES. Quoted, so
 * that nothing in it can be mistaken for a block, and bounded, however long the thread gets.
 */
import type { PromptSubject } from '@crewagent/protocol/event-messages';
import { parseObject } from '@crewagent/protocol/json-object';
import type { AnchorPart, OutlinePart, ThreadLine, ThreadPart, UserPart } from '../llm/user-parts.ts';
import type { ChatMessage } from '../llm/wire.ts';
import { toVisible } from './data-block.ts';
import { groupAt, isAnswered, shorten, type ToolGroup, writtenPath } from './tool-groups.ts';
import { partsOf, toUserMessage } from './user-text.ts';

/** Replaces the oldest exchanges by a summary before the first remaining message. */
export function summariseExchanges(messages: readonly ChatMessage[], count: number): readonly ChatMessage[] {
  const starts = exchangeStarts(messages);
  const start = starts[Math.min(count, starts.length - 1)] ?? 0;
  const next = messages[start];
  if (start === 0 || next?.role !== 'user') return messages;
  const dropped = messages.slice(0, start);
  const sent = dropped.flatMap((message) => (message.role === 'user' ? partsOf(message) : []));
  const anchors = sent.filter(isAnchor);
  const before = sent.find((part) => part.kind === 'thread');
  const lines = [...(before?.lines ?? []), ...describeExchanges(dropped)];
  const isShortened = before?.isShortened ?? false;
  const remaining = partsOf(next);
  return [
    toUserMessage([
      ...sent.filter(({ kind }) => kind === 'nodes'),
      ...(remaining.some(isAnchor) ? [] : lastPosition(anchors)),
      ...(lines.length > 0 || isShortened ? [toThreadPart(lines, isShortened)] : []),
      ...withStepText(remaining, anchors),
    ]),
    ...messages.slice(start + 1),
  ];
}

/** Exchanges start at each user message, unless it contains only a note of the runtime. */
export function exchangeStarts(messages: readonly ChatMessage[]): number[] {
  return messages.flatMap((message, index) =>
    index === 0 || (message.role === 'user' && !isOnlyNote(partsOf(message))) ? [index] : [],
  );
}

function isOnlyNote(parts: readonly UserPart[]): boolean {
  return parts[0]?.kind === 'note' && parts.every(({ kind }) => kind === 'note' || kind === 'outline');
}

function isAnchor(part: UserPart): part is AnchorPart {
  return part.kind === 'anchor';
}

/** The position of the run is sent once per node, and must stay in the messages. */
function lastPosition(anchors: readonly AnchorPart[]): AnchorPart[] {
  const anchor = anchors.at(-1);
  if (!anchor?.blocks) return anchor ? [anchor] : [];
  const { stepFile, briefEnd } = anchor.blocks;
  const position = { ...anchor, text: anchor.text.slice(0, briefEnd), blocks: { stepFile, briefEnd } };
  return [withStep(position, anchors)];
}

/** The text of a step is sent once per node, so it moves to the next anchor of that node. */
function withStepText(parts: readonly UserPart[], sent: readonly AnchorPart[]): readonly UserPart[] {
  const anchors = parts.filter(isAnchor);
  if (anchors.some(({ blocks }) => blocks?.stepEnd !== undefined)) return parts;
  return parts.map((part) => (part === anchors[0] ? withStep(anchors[0], sent) : part));
}

function withStep(anchor: AnchorPart, sent: readonly AnchorPart[]): AnchorPart {
  const { text, blocks } = anchor;
  if (!blocks) return anchor;
  const source = sent.findLast((one) => one.blocks?.stepFile === blocks.stepFile && one.blocks.stepEnd);
  if (!source?.blocks) return anchor;
  const step = source.text.slice(source.blocks.briefEnd, source.blocks.stepEnd);
  return {
    kind: 'anchor',
    text: `${text.slice(0, blocks.briefEnd)}${step}${text.slice(blocks.briefEnd)}`,
    blocks: { ...blocks, stepEnd: blocks.briefEnd + step.length },
  };
}

const HEADER = 'EARLIER_MESSAGES';
const OMITTED = '- (earlier messages omitted)';

const MAX_THREAD_LINES = 40;
const MAX_THREAD_CHARS = 6_000;

/**
 * Drops the oldest lines first, but keeps the script that may still be active, and the file with the full text.
 * `isShortened`: lines before these were omitted.
 */
export function toThreadPart(
  lines: readonly ThreadLine[],
  isShortened: boolean,
  maxChars = MAX_THREAD_CHARS,
): ThreadPart {
  const pinned = (['full text', 'script'] as const).flatMap(
    (topic) => lines.findLast((line) => line.topic === topic) ?? [],
  );
  const shown: ThreadLine[] = [];
  let chars = [HEADER, OMITTED, ...pinned.map(({ text }) => text)].join('\n').length;
  for (const line of [...lines].reverse()) {
    chars += line.text.length + 1;
    if (chars > maxChars || shown.length === MAX_THREAD_LINES) break;
    shown.unshift(line);
  }
  const isCut = isShortened || shown.length < lines.length;
  const remaining = isCut ? [...pinned.filter((line) => !shown.includes(line)), ...shown] : shown;
  const text = [HEADER, ...(isCut ? [OMITTED] : []), ...remaining.map((line) => line.text)].join('\n');
  return { kind: 'thread', text, lines: remaining, isShortened: isCut };
}

function describeExchanges(messages: readonly ChatMessage[]): ThreadLine[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') return partsOf(message).flatMap(describePart);
    if (message.role !== 'assistant') return [];
    const said = message.content ? [toLine('you', message.content)] : [];
    return [...said, ...describeGroup(groupAt(messages, index))];
  });
}

function describePart(part: UserPart): ThreadLine[] {
  switch (part.kind) {
    case 'input':
      return [toLine('the user', part.words)];
    case 'directive':
      return part.subject ? describeSubject(part.subject) : [];
    case 'outline':
      return describeOutline(part);
    default:
      return [];
  }
}

function describeSubject(subject: PromptSubject): ThreadLine[] {
  switch (subject.kind) {
    case 'action':
      return [toLine('the user chose', subject.name ?? 'inline')];
    case 'data':
      return [toLine('the user gave you', toVisible(subject.path))];
    case 'run':
      return [toLine('the user ran the workflow', subject.workflow)];
    case 'script':
      return [{ ...toLine('you were asked to follow the script', subject.path), topic: 'script' }];
    case 'rewind':
    case 'conversation':
    case 'pictures':
      return [];
  }
}

/** What the user and the model said in exchanges that were outlined before, and the file that has it in full. */
function describeOutline({ path, lines }: OutlinePart): ThreadLine[] {
  return [
    ...(path === undefined
      ? []
      : [{ ...toLine('you can read earlier messages in full in', path), topic: 'full text' as const }]),
    ...lines.flatMap(({ said }) => (said ? [toLine(said.by, said.words)] : [])),
    ...toWritten(lines.flatMap(({ wrote }) => wrote ?? [])),
  ];
}

/** Of a tool group only the written files and the user's answers. */
function describeGroup(group: ToolGroup | undefined): ThreadLine[] {
  const calls = group?.calls ?? [];
  const answers = calls
    .filter(isAnswered)
    .map(({ answer }) => JSON.stringify(parseObject(answer)?.answers ?? {}));
  return [
    ...toWritten(calls.flatMap((call) => writtenPath(call) ?? [])),
    ...answers.map((text) => toLine('the user answered', text)),
  ];
}

const MAX_PATHS = 12;

function toWritten(paths: readonly string[]): ThreadLine[] {
  if (paths.length === 0) return [];
  return [{ text: `- you wrote: ${[...new Set(paths)].slice(-MAX_PATHS).map(quote).join(', ')}` }];
}

function toLine(begin: string, text: string): ThreadLine {
  return { text: `- ${begin}: ${quote(text)}` };
}

const QUOTED_CHARS = 160;

/** One quoted line: nothing in it can be mistaken for a block. */
function quote(text: string): string {
  return JSON.stringify(shorten(text, QUOTED_CHARS));
}
