/**
 * Replaces the oldest exchanges of a node by an outline, so that a long conversation stays cheap: the user's own words
 * and answers stay whole, replies become outlines, and calls one line each. The full text of the replies goes to a
 * file that the model can read. Files of the package that the model read are part of the step and stay.
 */
import type { Answers } from '@crewagent/protocol/answers';
import { isObject, parseObject } from '@crewagent/protocol/json-object';
import { isFileChange, isOfFiles } from '@crewagent/protocol/tool-effects';
import type { Question } from '@crewagent/protocol/tools';
import type { OutlineLine, OutlinePart, UserPart } from '../llm/user-parts.ts';
import type { ChatMessage, UserMessage, WireToolCall } from '../llm/wire.ts';
import { toAnswerText, toChosenOption } from './answer-text.ts';
import { oneLine } from './quote-blocks.ts';
import {
  describeAnswer,
  describeCall,
  groupAt,
  isAnswered,
  shorten,
  type ToolGroup,
  writtenPath,
} from './tool-groups.ts';
import { addUserMessage, addUserPart, partsOf, toUserMessage } from './user-text.ts';

export interface Outline {
  readonly messages: readonly ChatMessage[];
  /** What the outlined exchanges said in full, as Markdown. */
  readonly fullText: string;
}

/** `path`: the file with the full text. Returns the messages unchanged if the exchanges are not complete. */
export function outlineExchanges(messages: readonly ChatMessage[], count: number, path: string): Outline {
  const end = startsOfExchanges(messages)[count];
  if (count < 1 || end === undefined) return { messages, fullText: '' };
  const outlined = createOutline(messages, path);
  for (let index = 0; index < end; index++) {
    const message = messages[index];
    const group = groupAt(messages, index);
    if (message?.role === 'user') outlined.addUser(message);
    else if (group) {
      outlined.addGroup(group, messages.slice(index, index + group.calls.length + 1));
      index += group.calls.length;
    } else if (message?.role === 'assistant') outlined.addReply(message.content ?? '');
  }
  return outlined.finish(messages.slice(end));
}

/**
 * Indexes where an exchange starts: at the first message, at each message with input or an anchor, and after each
 * question that the user answered.
 */
export function startsOfExchanges(messages: readonly ChatMessage[]): number[] {
  return messages.flatMap((_, index) => startAt(messages, index) ?? []);
}

/** Whether an exchange starts with the last message, or will start with the next one. Reads the last messages only. */
export function isStartOfExchange(messages: readonly ChatMessage[]): boolean {
  const last = messages.length - 1;
  for (let index = last, replies = 0; index >= 0 && replies < 2; index--) {
    if ((startAt(messages, index) ?? -1) >= last) return true;
    if (messages[index]?.role === 'assistant') replies++;
  }
  return false;
}

/** Where the exchange starts that this message, or the question in it, begins. */
function startAt(messages: readonly ChatMessage[], index: number): number | undefined {
  const message = messages[index];
  if (index === 0 || !message) return 0;
  if (message.role === 'user')
    return partsOf(message).some(({ kind }) => kind === 'input' || kind === 'anchor') ? index : undefined;
  const group = groupAt(messages, index);
  const next = index + (group?.calls.length ?? 0) + 1;
  return group?.calls.some(isAnswered) && messages[next]?.role !== 'user' ? next : undefined;
}

const DRAFT_CHARS = 1_500;
const MAX_DRAFT_AGE = 12;

/**
 * Number of exchanges before the last long reply: it may be a draft that is still discussed and has to be saved word for
 * word. After a write, or a few exchanges later, it no longer counts.
 */
export function exchangesBeforeDraft(messages: readonly ChatMessage[], starts: readonly number[]): number {
  const draft = messages.findLastIndex(
    (message) => message.role === 'assistant' && (message.content?.length ?? 0) >= DRAFT_CHARS,
  );
  const isSaved = messages
    .slice(draft)
    .some((message) => message.role === 'assistant' && message.tool_calls?.some(isWrite));
  const before = starts.findLastIndex((start) => start <= draft);
  return draft === -1 || isSaved || starts.length - before > MAX_DRAFT_AGE ? starts.length : before;
}

function isWrite({ facts }: WireToolCall): boolean {
  return facts !== undefined && isFileChange({ kind: facts.effect });
}

type Call = ToolGroup['calls'][number];

function createOutline(messages: readonly ChatMessage[], path: string) {
  const anchors = messages.flatMap((message) =>
    message.role === 'user' ? partsOf(message).filter(({ kind }) => kind === 'anchor') : [],
  );
  const result: ChatMessage[] = [];
  const fullText: string[] = [];
  let lines: OutlineLine[] = [];
  let lastReply: string | undefined;
  const flush = (): void => {
    if (lines.length > 0) addOutline(result, lines, path);
    lines = [];
  };
  const addPart = (part: UserPart): void => {
    if (part.kind === 'input') {
      lines.push(toSaidLine('the user', toChosenOption(part.words, lastReply).text));
      fullText.push(`## The user\n\n${part.words}`);
    } else if (part.kind === 'outline' && part.path !== undefined) {
      flush();
      addOutline(result, part.lines, path);
    } else if (part.kind !== 'anchor' || part === anchors[0] || part === anchors.at(-1)) {
      // The first anchor has the text of the step, the last one the position; those between them are outdated.
      flush();
      addUserPart(result, part);
    }
  };
  const addReply = (text: string): void => {
    if (text.trim() === '') return;
    lastReply = text;
    lines.push(toSaidLine('you', toReplyOutline(text)));
    fullText.push(`## You\n\n${text.trim()}`);
  };
  return {
    addUser: (message: UserMessage): void => partsOf(message).forEach(addPart),
    addReply,
    addGroup(group: ToolGroup, whole: readonly ChatMessage[]): void {
      if (group.calls.some(isPackageRead)) {
        flush();
        result.push(...whole);
        return;
      }
      addReply(group.content ?? '');
      const described = group.calls.map(describe);
      lines.push(...described);
      fullText.push(described.map(({ text }) => text).join('\n'));
    },
    finish(rest: readonly ChatMessage[]): Outline {
      flush();
      for (const message of rest) {
        if (message.role === 'user') addUserMessage(result, message);
        else result.push(message);
      }
      return { messages: result, fullText: fullText.join('\n\n') };
    },
  };
}

/** Extends the outline at the end of the messages, if there is one. */
function addOutline(messages: ChatMessage[], lines: readonly OutlineLine[], path: string): void {
  const last = messages.at(-1);
  const before = last?.role === 'user' ? partsOf(last) : [];
  const outline = before.at(-1);
  if (outline?.kind !== 'outline' || outline.path === undefined) {
    addUserPart(messages, toOutlinePart(lines, path));
    return;
  }
  const extended = toOutlinePart([...outline.lines, ...lines], outline.path);
  messages[messages.length - 1] = toUserMessage([...before.slice(0, -1), extended]);
}

/** A longer file is data rather than instructions, and can be read again. */
const MAX_PACKAGE_CHARS = 8_192;

function isPackageRead({ call, answer }: Call): boolean {
  if (call.facts?.effect !== 'read' || answer.length > MAX_PACKAGE_CHARS) return false;
  const path = parseObject(answer)?.path;
  return typeof path === 'string' && path.startsWith('@pkg/');
}

const MAX_STATE_CHARS = 1_000;
const MAX_RESULT_CHARS = 160;

function describe(each: Call): OutlineLine {
  const { call, answer } = each;
  return isAnswered(each)
    ? toSaidLine('the user answered', toAnswers(call, answer))
    : toCallLine(each, toCallText(each));
}

function toCallText({ call, answer }: Call): string {
  const { name, arguments: args } = call.function;
  const outcome = describeAnswer(answer);
  const kind = call.facts?.effect ?? 'none';
  if (kind === 'state') return `- ${name} ${shorten(args, MAX_STATE_CHARS)}: ${outcome}`;
  const line = `- ${describeCall(call)}: ${outcome}`;
  return isOfFiles({ kind }) || outcome !== 'ok' ? line : `${line}, ${shorten(answer, MAX_RESULT_CHARS)}`;
}

/** Each answer with its question. */
function toAnswers({ function: called }: WireToolCall, answer: string): string {
  const questions = parseObject(called.arguments)?.questions;
  const asked = (Array.isArray(questions) ? questions : []).filter(isQuestion);
  const text = toAnswerText((parseObject(answer)?.answers ?? {}) as Answers, asked);
  // Models also ask in other forms, which the tool accepts.
  return asked.length > 0 ? text : `${shorten(called.arguments, MAX_RESULT_CHARS)} ${text}`;
}

function isQuestion(value: unknown): value is Question {
  return isObject(value) && typeof value.id === 'string' && typeof value.prompt === 'string';
}

/** EARLIER_IN_THIS_NODE: what remains of earlier messages of a node, one line each. `path`: the file with the full text, if any. */
export function toOutlinePart(lines: readonly OutlineLine[], path?: string): OutlinePart {
  const header =
    path === undefined
      ? []
      : [`- shortened; the full text is in ${path}. Read files again if you need them.`];
  const text = ['EARLIER_IN_THIS_NODE', ...header, ...lines.map((line) => line.text)].join('\n');
  return { kind: 'outline', text, lines, path };
}

/** Words that stay whole, as JSON on one line. */
export function toSaidLine(by: string, words: string): OutlineLine {
  return { text: `- ${by}: ${JSON.stringify(words)}`, said: { by, words } };
}

export function toCallLine(call: ToolGroup['calls'][number], text: string): OutlineLine {
  const wrote = writtenPath(call);
  return { text, wrote };
}

const MAX_CHARS = 600;
/** Replies up to this length are not shortened. */
const MAX_WHOLE = 120;
const MAX_TITLE = 50;
/** First and last sentence together have at most a third of the reply. */
const MIN_SENTENCE = 40;
const MAX_SENTENCE = 90;
const SEPARATOR = ' | ';

/**
 * A reply of the model on one line: its first sentence, the titles of its list items and headings, and its last sentence, which is
 * usually a question. Numbers stay, so that "the third one" can still be understood.
 */
export function toReplyOutline(text: string): string {
  const whole = oneLine(text);
  if (whole.length <= MAX_WHOLE) return whole;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const prose = lines.filter((line) => !ITEM.test(line));
  const chars = Math.max(MIN_SENTENCE, Math.min(MAX_SENTENCE, Math.round(whole.length / 6)));
  const first = prose[0] === lines[0] ? cut(toPlain(prose[0] ?? ''), chars) : '';
  const last = cut(lastSentence(toPlain(prose.at(-1) ?? '')), chars);
  const titles = lines.filter((line) => ITEM.test(line)).map(toTitle);
  const shown = fitting(titles, MAX_CHARS - first.length - last.length);
  const left = titles.length - shown.length;
  const parts = [first, ...shown, ...(left > 0 ? [`(${left} more)`] : []), first.includes(last) ? '' : last];
  const outline = parts.filter((part) => part !== '').join(SEPARATOR);
  return outline.length < whole.length ? outline : whole;
}

/** A heading, a list item, a row of a table, an option such as `[C] Continue`, or a line that starts in bold. */
const ITEM = /^\s*(?:[-*+•|]\s|#{1,6}\s|\d{1,3}[.)]\s|\*{0,2}\[[\p{Lu}\p{N}]{1,2}\]|\*\*)/u;

/** `3. **Night visits** – people come …` becomes `3. Night visits`. */
function toTitle(line: string): string {
  const [, marker = '', bold] = /^\s*([-*+•#|]+|\d{1,3}[.)])?\s*\*\*(.+?)\*\*/.exec(line) ?? [];
  const title = bold === undefined ? toPlain(line) : toPlain(`${marker} ${bold}`);
  return cut(title.replace(/^[-*+•#|]+\s*/, ''), MAX_TITLE);
}

function toPlain(line: string): string {
  return oneLine(line.replace(/[*_`]{1,3}/g, ''));
}

function lastSentence(line: string): string {
  return line.split(/(?<=[.!?])\s+|(?<=[。！？])/u).findLast((sentence) => sentence !== '') ?? '';
}

/** As many titles from the start as fit, with the separators between them. */
function fitting(titles: readonly string[], chars: number): string[] {
  const shown: string[] = [];
  let left = chars;
  for (const title of titles) {
    left -= title.length + SEPARATOR.length;
    if (left < 0) break;
    shown.push(title);
  }
  return shown;
}

/** Cuts between words where there are any. */
function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const start = text.slice(0, chars);
  return `${start.replace(/(?<=.{20})\s\S*$/u, '')}…`;
}
