/**
 * Making room in a history: whole old tool groups (a reply with tool calls and their answers) are put into a few words, and
 * whole old exchanges (a person's words and all that followed) into one line for each thing said. Never a half group:
 * providers refuse a call without its answer.
 */
import type { ChatMessage, UserMessage, WireToolCall } from '../llm/wire.ts';

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

interface ToolGroup {
  readonly content: string | null;
  readonly calls: readonly { readonly call: WireToolCall; readonly answer: string }[];
}

/** Undefined where no reply with calls stands, and where one of its calls is still open. */
function groupAt(messages: readonly ChatMessage[], index: number): ToolGroup | undefined {
  const reply = messages[index];
  if (reply?.role !== 'assistant' || !reply.tool_calls) return undefined;
  const answers = messages.slice(index + 1, index + 1 + reply.tool_calls.length);
  const calls = reply.tool_calls.flatMap((call, place) => {
    const answer = answers[place];
    return answer?.role === 'tool' ? [{ call, answer: answer.content }] : [];
  });
  return calls.length < reply.tool_calls.length ? undefined : { content: reply.content, calls };
}

/** The oldest exchanges give way to one text, which goes before the words of the first that is kept. */
function forgetExchanges(messages: readonly ChatMessage[], count: number): readonly ChatMessage[] {
  const starts = exchangeStarts(messages);
  const start = starts[Math.min(count, starts.length - 1)] ?? 0;
  const next = messages[start];
  if (start === 0 || next?.role !== 'user') return messages;
  const forgotten = messages.slice(0, start);
  const first = openingOf(forgotten[0]);
  const lines = [...linesOf(first.find(isShell('EARLIER_TALK'))), ...tellExchanges(forgotten)];
  const begin: ChatMessage[] = [];
  const earlierNodes = first.find(isShell('EARLIER_NODES'));
  if (earlierNodes !== undefined) addUserText(begin, earlierNodes);
  if (lines.length > 0) addUserText(begin, toEarlierTalk(lines));
  addUserText(begin, withStepText(next, forgotten));
  return [...begin, ...messages.slice(start + 1)];
}

/** Where exchanges begin: at each user message, unless it holds nothing but a note of the runtime's. */
function exchangeStarts(messages: readonly ChatMessage[]): number[] {
  return messages.flatMap((message, index) =>
    index === 0 || (message.role === 'user' && !isOnlyNote(message.content)) ? [index] : [],
  );
}

function isOnlyNote(content: string): boolean {
  if (!isShell('RUNTIME_NOTE')(content)) return false;
  return shellsIn(content).every((shell) => /^(?:RUNTIME_NOTE|EARLIER_IN_THIS_NODE)\n/.test(shell));
}

const ENCLOSED = 'STEP_FILE|ACTION_DIRECTIVE|DATA_CONTEXT';
const PLAIN =
  'USER_INPUT|SCRIPT_DIRECTIVE|RUN_NOTE|RUN_DIRECTIVE|NODE_BRIEF|RUNTIME_NOTE|EARLIER_NODES|EARLIER_TALK|EARLIER_IN_THIS_NODE';
/** One shell: to the word that ends it, or to where the next one begins. */
const SHELL = new RegExp(
  `(?<=^|\\n\\n)(?:(${ENCLOSED})[ \\n][^]*?(?:\\nEND_\\1(?=\\n\\n|$)|$)|(?:${PLAIN})\\n[^]*?(?=\\n\\n(?:${ENCLOSED}|${PLAIN})[ \\n]|$))`,
  'g',
);

function shellsIn(content: string): string[] {
  return content.match(SHELL) ?? [];
}

function isShell(word: string): (text: string) => boolean {
  return (text) => text.startsWith(`${word}\n`);
}

/** The shells before the person's words: behind those, anybody may have written what looks like one. */
function openingOf(message: ChatMessage | undefined): string[] {
  if (message?.role !== 'user') return [];
  const shells = shellsIn(message.content);
  const words = shells.findIndex(isShell('USER_INPUT'));
  return words === -1 ? shells : shells.slice(0, words);
}

/** A step's text is told once in a node: it moves on to the next anchor of that node. */
function withStepText(next: UserMessage, forgotten: readonly ChatMessage[]): string {
  const opening = openingOf(next);
  const brief = opening.find(isShell('NODE_BRIEF'));
  const path = brief && /^- stepFile: (.*)$/m.exec(brief)?.[1];
  if (brief === undefined || path === undefined) return next.content;
  const isStep = isShell(`STEP_FILE ${path}`);
  const step = opening.some(isStep) ? undefined : forgotten.flatMap(openingOf).findLast(isStep);
  return step === undefined ? next.content : next.content.replace(brief, () => `${brief}\n\n${step}`);
}

/** What an EARLIER_TALK says already; nothing behind a place where it was shortened. */
function linesOf(earlierTalk: string | undefined): string[] {
  const lines = earlierTalk?.split('\n').slice(1) ?? [];
  const end = lines.findIndex((line) => line !== LEFT_OUT && !TALK_LINE.test(line));
  return end === -1 ? lines : lines.slice(0, end);
}

const LEFT_OUT = '- (what was said before is left out)';
const TALK_LINE = /^- (?:the person|you)[a-z ]*: ".*"$/;

const MAX_TALK_LINES = 40;
const MAX_TALK_CHARS = 6_000;

/** What is oldest goes first when there is too much to tell, but not the script that may still be followed. */
function toEarlierTalk(lines: readonly string[], maxChars = MAX_TALK_CHARS): string {
  const said = lines.filter((line) => line !== LEFT_OUT);
  const script = said.findLast((line) => line.startsWith(SCRIPT_LINE));
  const pinned = script === undefined ? [] : [script];
  const told: string[] = [];
  let chars = ['EARLIER_TALK', LEFT_OUT, ...pinned].join('\n').length;
  for (const line of [...said].reverse()) {
    chars += line.length + 1;
    if (chars > maxChars || told.length === MAX_TALK_LINES) break;
    told.unshift(line);
  }
  if (told.length === lines.length) return ['EARLIER_TALK', ...told].join('\n');
  const kept = told.some((line) => line === script) ? told : [...pinned, ...told];
  return ['EARLIER_TALK', LEFT_OUT, ...kept].join('\n');
}

function tellExchanges(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role === 'user') return tellShells(message);
    if (message.role !== 'assistant') return [];
    const said = message.content ? [`- you: ${quote(message.content)}`] : [];
    return [...said, ...tellGroup(groupAt(messages, index))];
  });
}

function tellShells(message: UserMessage): string[] {
  const trusted = openingOf(message).length;
  return shellsIn(message.content).flatMap((shell, index) => [
    ...(index < trusted ? tellErrand(shell) : []),
    ...tellWords(shell),
  ]);
}

function tellErrand(shell: string): string[] {
  const [word = '', fact = ''] = shell.split('\n', 2);
  const begin = ERRAND_LINES.get(word);
  return begin === undefined ? [] : [`${begin} ${quote(fact.replace(/^- \w+: /, ''))}`];
}

const SCRIPT_LINE = '- you were to follow the script:';
/** Each of these shells names in its first line what it is about. */
const ERRAND_LINES: ReadonlyMap<string, string> = new Map([
  ['ACTION_DIRECTIVE', '- the person chose:'],
  ['DATA_CONTEXT', '- the person gave you:'],
  ['RUN_NOTE', '- the person went through the workflow:'],
  ['SCRIPT_DIRECTIVE', SCRIPT_LINE],
]);

function tellWords(shell: string): string[] {
  if (isShell('EARLIER_IN_THIS_NODE')(shell))
    return toWritten(Array.from(shell.matchAll(TOLD_WRITE), ([, path = '']) => path));
  if (!isShell('USER_INPUT')(shell)) return [];
  return [`- the person: ${quote(shell.replace(/^USER_INPUT\n(?:- forNodeId: .*\n)?/, ''))}`];
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
const TOLD_WRITE = /^- (?:fs_write|fs_apply_patch) (.*): ok$/gm;
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

/**
 * Beginning and end are kept: an anchor begins a message, the person's last words end it. What was said long ago makes room
 * for both.
 */
function shortenText(message: UserMessage, chars: number): UserMessage {
  if (message.content.length <= chars) return message;
  const talk = openingOf(message).find(isShell('EARLIER_TALK'));
  const content =
    talk === undefined
      ? message.content
      : message.content.replace(talk, () => toEarlierTalk(linesOf(talk), chars / 4));
  if (content.length <= chars) return { role: 'user', content };
  const head = Math.ceil(chars * 0.7);
  const left = content.length - chars;
  const tail = content.slice(content.length - (chars - head));
  return { role: 'user', content: `${content.slice(0, head)}\n… (${left} characters left out)\n${tail}` };
}

/** Many chat templates want users and assistants to take turns: what is said twice in a row is said at once. */
export function addUserText(messages: ChatMessage[], text: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user')
    messages[messages.length - 1] = { role: 'user', content: `${last.content}\n\n${text}` };
  else messages.push({ role: 'user', content: text });
}

function describeCall({ function: { name, arguments: text } }: WireToolCall): string {
  const args = parseObject(text);
  const told = args?.path ?? args?.query ?? args?.nodeId;
  return typeof told === 'string' ? `${name} ${shorten(told, 200)}` : `${name} ${shorten(text, 80)}`;
}

function describeAnswer(content: string): string {
  const answer = parseObject(content);
  if (answer?.ok === true) return 'ok';
  const { code } = { ...(answer?.error as { code?: unknown } | undefined) };
  return typeof code === 'string' ? `refused, ${code}` : 'answered';
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
