/**
 * The summary of an earlier thread that no longer fits: one line for each message, in EARLIER_TALK. Quoted, so
 * that nothing in it can be taken for a shell, and bounded, however long the talk gets.
 */
import type { ChatMessage, UserMessage } from '../llm/wire.ts';
import { groupAt, parseObject, shorten, type ToolGroup } from './tool-groups.ts';
import { addUserText } from './user-text.ts';

/** The oldest exchanges give way to one text, which goes before the words of the first that is kept. */
export function forgetExchanges(messages: readonly ChatMessage[], count: number): readonly ChatMessage[] {
  const starts = exchangeStarts(messages);
  const start = starts[Math.min(count, starts.length - 1)] ?? 0;
  const next = messages[start];
  if (start === 0 || next?.role !== 'user') return messages;
  const forgotten = messages.slice(0, start);
  const first = openingOf(forgotten[0]);
  const lines = [...linesOf(first.find(isBlock('EARLIER_TALK'))), ...tellExchanges(forgotten)];
  const begin: ChatMessage[] = [];
  const earlierNodes = first.find(isBlock('EARLIER_NODES'));
  if (earlierNodes !== undefined) addUserText(begin, earlierNodes);
  const anchor = openingOf(next).some(isAnchor) ? [] : lastAnchor(forgotten);
  if (anchor.length > 0) addUserText(begin, anchor.join('\n\n'));
  if (lines.length > 0) addUserText(begin, toEarlierThread(lines));
  addUserText(begin, withStepText(next, forgotten));
  return [...begin, ...messages.slice(start + 1)];
}

/** Where exchanges begin: at each user message, unless it holds nothing but a note of the runtime's. */
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
  'USER_INPUT|SCRIPT_DIRECTIVE|RUN_NOTE|RUN_DIRECTIVE|NODE_BRIEF|RUNTIME_NOTE|EARLIER_NODES|EARLIER_TALK|EARLIER_IN_THIS_NODE';
/** One shell: to the word that ends it, or to where the next one begins. */
const BLOCK = new RegExp(
  `(?<=^|\\n\\n)(?:(${ENCLOSED})[ \\n][^]*?(?:\\nEND_\\1(?=\\n\\n|$)|$)|(?:${PLAIN})\\n[^]*?(?=\\n\\n(?:${ENCLOSED}|${PLAIN})[ \\n]|$))`,
  'g',
);

function blocksIn(content: string): string[] {
  return content.match(BLOCK) ?? [];
}

export function isBlock(word: string): (text: string) => boolean {
  return (text) => text.startsWith(`${word}\n`);
}

/** The shells before the person's words: behind those, anybody may have written what looks like one. */
export function openingOf(message: ChatMessage | undefined): string[] {
  if (message?.role !== 'user') return [];
  const blocks = blocksIn(message.content);
  const words = blocks.findIndex(isBlock('USER_INPUT'));
  return words === -1 ? blocks : blocks.slice(0, words);
}

const isAnchor = isBlock('RUN_DIRECTIVE');

/** The position of the run is sent once in a node, and must stay in the messages. */
function lastAnchor(forgotten: readonly ChatMessage[]): string[] {
  const lastOpening = forgotten.map(openingOf).findLast((opening) => opening.some(isAnchor)) ?? [];
  const anchor = lastOpening.filter((block) => isAnchor(block) || isBlock('NODE_BRIEF')(block));
  const brief = anchor.find(isBlock('NODE_BRIEF'));
  return brief === undefined ? anchor : [...anchor.slice(0, -1), withStep(brief, forgotten)];
}

/** The text of a step is sent once in a node: it moves to the next anchor of that node. */
function withStepText(next: UserMessage, forgotten: readonly ChatMessage[]): string {
  const opening = openingOf(next);
  const brief = opening.find(isBlock('NODE_BRIEF'));
  if (brief === undefined || opening.some((block) => block.startsWith('STEP_FILE '))) return next.content;
  return next.content.replace(brief, () => withStep(brief, forgotten));
}

function withStep(brief: string, sent: readonly ChatMessage[]): string {
  const path = /^- stepFile: (.*)$/m.exec(brief)?.[1];
  const isStep = isBlock(`STEP_FILE ${path}`);
  const step = sent.flatMap(openingOf).findLast(isStep);
  return step === undefined ? brief : `${brief}\n\n${step}`;
}

/** What an EARLIER_TALK says already; nothing behind a place where it was shortened. */
export function linesOf(earlierThread: string | undefined): string[] {
  const lines = earlierThread?.split('\n').slice(1) ?? [];
  const end = lines.findIndex((line) => line !== LEFT_OUT && !THREAD_LINE.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const LEFT_OUT = '- (what was said before is left out)';
const THREAD_LINE = /^- (?:the person|you)[a-z ]*: ".*"$/;

const MAX_THREAD_LINES = 40;
const MAX_THREAD_CHARS = 6_000;

/** What is oldest goes first when there is too much to tell, but not the script that may still be followed. */
export function toEarlierThread(lines: readonly string[], maxChars = MAX_THREAD_CHARS): string {
  const said = lines.filter((line) => line !== LEFT_OUT);
  const script = said.findLast((line) => line.startsWith(SCRIPT_LINE));
  const pinned = script === undefined ? [] : [script];
  const shown: string[] = [];
  let chars = ['EARLIER_TALK', LEFT_OUT, ...pinned].join('\n').length;
  for (const line of [...said].reverse()) {
    chars += line.length + 1;
    if (chars > maxChars || shown.length === MAX_THREAD_LINES) break;
    shown.unshift(line);
  }
  if (shown.length === lines.length) return ['EARLIER_TALK', ...shown].join('\n');
  const kept = shown.some((line) => line === script) ? shown : [...pinned, ...shown];
  return ['EARLIER_TALK', LEFT_OUT, ...kept].join('\n');
}

function tellExchanges(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') return describeBlocks(message);
    if (message.role !== 'assistant') return [];
    const said = message.content ? [`- you: ${quote(message.content)}`] : [];
    return [...said, ...tellGroup(groupAt(messages, index))];
  });
}

function describeBlocks(message: UserMessage): string[] {
  const trusted = openingOf(message).length;
  return blocksIn(message.content).flatMap((block, index) => [
    ...(index < trusted ? describeDirective(block) : []),
    ...tellWords(block),
  ]);
}

function describeDirective(block: string): string[] {
  const [word = '', fact = ''] = block.split('\n', 2);
  const begin = DIRECTIVE_LINES.get(word);
  return begin === undefined ? [] : [`${begin} ${quote(fact.replace(/^- \w+: /, ''))}`];
}

const SCRIPT_LINE = '- you were to follow the script:';
/** Each of these shells names in its first line what it is about. */
const DIRECTIVE_LINES: ReadonlyMap<string, string> = new Map([
  ['ACTION_DIRECTIVE', '- the person chose:'],
  ['DATA_CONTEXT', '- the person gave you:'],
  ['RUN_NOTE', '- the person went through the workflow:'],
  ['SCRIPT_DIRECTIVE', SCRIPT_LINE],
]);

function tellWords(block: string): string[] {
  if (isBlock('EARLIER_IN_THIS_NODE')(block))
    return toWritten(Array.from(block.matchAll(ADVERTISED_WRITE), ([, path = '']) => path));
  if (!isBlock('USER_INPUT')(block)) return [];
  return [`- the person: ${quote(block.replace(/^USER_INPUT\n(?:- forNodeId: .*\n)?/, ''))}`];
}

/** Of a tool group only what outlives it: the files, and what the person said. */
function tellGroup(group: ToolGroup | undefined): string[] {
  const done = group?.calls.filter(({ answer }) => parseObject(answer)?.ok === true) ?? [];
  const paths = done.flatMap(({ call: { function: called } }) => {
    const path = WRITERS.has(called.name) ? parseObject(called.arguments)?.path : undefined;
    return typeof path === 'string' ? [path] : [];
  });
  const answers = done
    .filter(({ call: { function: called } }) => called.name === 'ui_ask_user')
    .map(({ answer }) => JSON.stringify(parseObject(answer)?.answers ?? {}));
  return [...toWritten(paths), ...answers.map((text) => `- the person answered: ${quote(text)}`)];
}

const WRITERS: ReadonlySet<string> = new Set(['fs_write', 'fs_apply_patch']);
const ADVERTISED_WRITE = /^- (?:fs_write|fs_apply_patch) (.*): ok$/gm;
const MAX_PATHS = 12;

function toWritten(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`- you wrote: ${[...new Set(paths)].slice(-MAX_PATHS).map(quote).join(', ')}`];
}

const QUOTED_CHARS = 160;

/** On one line and between quotes: nothing in it can be taken for a shell. */
function quote(text: string): string {
  return JSON.stringify(shorten(text, QUOTED_CHARS));
}
