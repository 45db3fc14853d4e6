/**
 * Summary of earlier messages of a thread that no longer fit: one line per message, in EARLIER_MESSAGES. Quoted, so
 * that nothing in it can be mistaken for a block, and bounded, however long the thread gets.
 */
import { parseObject } from '@crewagent/protocol/json-object';
import { isFileChange } from '@crewagent/protocol/tool-effects';
import type { ChatMessage, UserMessage } from '../llm/wire.ts';
import { groupAt, isAnswered, isOk, shorten, type ToolGroup } from './tool-groups.ts';
import { addUserText } from './user-text.ts';

/** Replaces the oldest exchanges by a summary before the first remaining message. */
export function summariseExchanges(messages: readonly ChatMessage[], count: number): readonly ChatMessage[] {
  const starts = exchangeStarts(messages);
  const start = starts[Math.min(count, starts.length - 1)] ?? 0;
  const next = messages[start];
  if (start === 0 || next?.role !== 'user') return messages;
  const dropped = messages.slice(0, start);
  const first = openingOf(dropped[0]);
  const lines = [...linesOf(first.find(isBlock('EARLIER_MESSAGES'))), ...describeExchanges(dropped)];
  const begin: ChatMessage[] = [];
  const earlierNodes = first.find(isBlock('EARLIER_NODES'));
  if (earlierNodes !== undefined) addUserText(begin, earlierNodes);
  const anchor = openingOf(next).some(isAnchor) ? [] : lastAnchor(dropped);
  if (anchor.length > 0) addUserText(begin, anchor.join('\n\n'));
  if (lines.length > 0) addUserText(begin, toEarlierThread(lines));
  addUserText(begin, withStepText(next, dropped));
  return [...begin, ...messages.slice(start + 1)];
}

/** Exchanges start at each user message, unless it contains only a note of the runtime. */
export function exchangeStarts(messages: readonly ChatMessage[]): number[] {
  return messages.flatMap((message, index) =>
    index === 0 || (message.role === 'user' && !isOnlyNote(message.content)) ? [index] : [],
  );
}

function isOnlyNote(content: string): boolean {
  if (!isBlock('RUNTIME_NOTE')(content)) return false;
  return blocksIn(content).every((block) => /^(?:RUNTIME_NOTE|EARLIER_IN_THIS_NODE)\n/.test(block));
}

const ENCLOSED = 'STEP_FILE|ACTION_DIRECTIVE|DATA_CONTEXT';
const PLAIN =
  'USER_INPUT|SCRIPT_DIRECTIVE|RUN_NOTE|RUN_DIRECTIVE|NODE_BRIEF|RUNTIME_NOTE|EARLIER_NODES|EARLIER_MESSAGES|EARLIER_IN_THIS_NODE';
/** One block: up to its end marker, or up to the next block. */
const BLOCK = new RegExp(
  `(?<=^|\\n\\n)(?:(${ENCLOSED})[ \\n][^]*?(?:\\nEND_\\1(?=\\n\\n|$)|$)|(?:${PLAIN})\\n[^]*?(?=\\n\\n(?:${ENCLOSED}|${PLAIN})[ \\n]|$))`,
  'g',
);

function blocksIn(content: string): string[] {
  return content.match(BLOCK) ?? [];
}

export function isBlock(name: string): (text: string) => boolean {
  return (text) => text.startsWith(`${name}\n`);
}

/** Blocks before the user's input: text after it may imitate a block. */
export function openingOf(message: ChatMessage | undefined): string[] {
  if (message?.role !== 'user') return [];
  const blocks = blocksIn(message.content);
  const input = blocks.findIndex(isBlock('USER_INPUT'));
  return input === -1 ? blocks : blocks.slice(0, input);
}

const isAnchor = isBlock('RUN_DIRECTIVE');

/** The position of the run is sent once per node, and must stay in the messages. */
function lastAnchor(dropped: readonly ChatMessage[]): string[] {
  const lastOpening = dropped.map(openingOf).findLast((opening) => opening.some(isAnchor)) ?? [];
  const anchor = lastOpening.filter((block) => isAnchor(block) || isBlock('NODE_BRIEF')(block));
  const brief = anchor.find(isBlock('NODE_BRIEF'));
  return brief === undefined ? anchor : [...anchor.slice(0, -1), withStep(brief, dropped)];
}

/** The text of a step is sent once per node, so it moves to the next anchor of that node. */
function withStepText(next: UserMessage, dropped: readonly ChatMessage[]): string {
  const opening = openingOf(next);
  const brief = opening.find(isBlock('NODE_BRIEF'));
  if (brief === undefined || opening.some((block) => block.startsWith('STEP_FILE '))) return next.content;
  return next.content.replace(brief, () => withStep(brief, dropped));
}

function withStep(brief: string, sent: readonly ChatMessage[]): string {
  const path = /^- stepFile: (.*)$/m.exec(brief)?.[1];
  const isStep = isBlock(`STEP_FILE ${path}`);
  const step = sent.flatMap(openingOf).findLast(isStep);
  return step === undefined ? brief : `${brief}\n\n${step}`;
}

/** Lines of an EARLIER_MESSAGES block, up to the point where it was shortened. */
export function linesOf(earlierThread: string | undefined): string[] {
  const lines = earlierThread?.split('\n').slice(1) ?? [];
  const end = lines.findIndex((line) => line !== OMITTED && !THREAD_LINE.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const OMITTED = '- (earlier messages omitted)';
const THREAD_LINE = /^- (?:the user|you)[a-z ]*: ".*"$/;

const MAX_THREAD_LINES = 40;
const MAX_THREAD_CHARS = 6_000;

/** Drops the oldest lines first, but keeps the script that may still be active, and the file with the full text. */
export function toEarlierThread(lines: readonly string[], maxChars = MAX_THREAD_CHARS): string {
  const said = lines.filter((line) => line !== OMITTED);
  const pinned = [FULL_TEXT_LINE, SCRIPT_LINE].flatMap(
    (begin) => said.findLast((line) => line.startsWith(begin)) ?? [],
  );
  const shown: string[] = [];
  let chars = ['EARLIER_MESSAGES', OMITTED, ...pinned].join('\n').length;
  for (const line of [...said].reverse()) {
    chars += line.length + 1;
    if (chars > maxChars || shown.length === MAX_THREAD_LINES) break;
    shown.unshift(line);
  }
  if (shown.length === lines.length) return ['EARLIER_MESSAGES', ...shown].join('\n');
  const remaining = [...pinned.filter((line) => !shown.includes(line)), ...shown];
  return ['EARLIER_MESSAGES', OMITTED, ...remaining].join('\n');
}

function describeExchanges(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') return describeBlocks(message);
    if (message.role !== 'assistant') return [];
    const said = message.content ? [`- you: ${quote(message.content)}`] : [];
    return [...said, ...describeGroup(groupAt(messages, index))];
  });
}

function describeBlocks(message: UserMessage): string[] {
  const trusted = openingOf(message).length;
  return blocksIn(message.content).flatMap((block, index) => [
    ...(index < trusted ? [...describeDirective(block), ...describeOutline(block)] : []),
    ...describeInput(block),
  ]);
}

function describeDirective(block: string): string[] {
  const [name = '', fact = ''] = block.split('\n', 2);
  const begin = DIRECTIVE_LINES.get(name);
  return begin === undefined ? [] : [`${begin} ${quote(fact.replace(/^- \w+: /, ''))}`];
}

const SCRIPT_LINE = '- you were asked to follow the script:';
/** The first line of each of these blocks names its subject. */
const DIRECTIVE_LINES: ReadonlyMap<string, string> = new Map([
  ['ACTION_DIRECTIVE', '- the user chose:'],
  ['DATA_CONTEXT', '- the user gave you:'],
  ['RUN_NOTE', '- the user ran the workflow:'],
  ['SCRIPT_DIRECTIVE', SCRIPT_LINE],
]);

/** What the user and the model said in exchanges that were outlined before, and the file that has it in full. */
function describeOutline(block: string): string[] {
  if (!isBlock('EARLIER_IN_THIS_NODE')(block)) return [];
  return block.split('\n').flatMap((line) => {
    const path = FULL_TEXT.exec(line)?.[1];
    if (path !== undefined) return [`${FULL_TEXT_LINE} ${quote(path)}`];
    const [, who, said] = OUTLINE_LINE.exec(line) ?? [];
    return who === undefined || said === undefined ? [] : [`${who}: ${quote(JSON.parse(said) as string)}`];
  });
}

const FULL_TEXT_LINE = '- you can read earlier messages in full in:';
const FULL_TEXT = /^- shortened; the full text is in (\S+)\. /;

const OUTLINE_LINE = /^(- (?:the user|you)[a-z ]*): (".*")$/;

function describeInput(block: string): string[] {
  if (isBlock('EARLIER_IN_THIS_NODE')(block))
    return toWritten(Array.from(block.matchAll(SUMMARISED_WRITE), ([, path = '']) => path));
  if (!isBlock('USER_INPUT')(block)) return [];
  return [`- the user: ${quote(block.replace(/^USER_INPUT\n(?:- forNodeId: .*\n)?/, ''))}`];
}

/** Of a tool group only the written files and the user's answers. */
function describeGroup(group: ToolGroup | undefined): string[] {
  const calls = group?.calls ?? [];
  const paths = calls.flatMap(({ call: { facts }, answer }) =>
    facts?.subject !== undefined && isFileChange({ kind: facts.effect }) && isOk(answer)
      ? [facts.subject]
      : [],
  );
  const answers = calls
    .filter(isAnswered)
    .map(({ answer }) => JSON.stringify(parseObject(answer)?.answers ?? {}));
  return [...toWritten(paths), ...answers.map((text) => `- the user answered: ${quote(text)}`)];
}

const SUMMARISED_WRITE = /^- (?:fs_write|fs_apply_patch) (.*): ok$/gm;
const MAX_PATHS = 12;

function toWritten(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`- you wrote: ${[...new Set(paths)].slice(-MAX_PATHS).map(quote).join(', ')}`];
}

const QUOTED_CHARS = 160;

/** One quoted line: nothing in it can be mistaken for a block. */
function quote(text: string): string {
  return JSON.stringify(shorten(text, QUOTED_CHARS));
}
