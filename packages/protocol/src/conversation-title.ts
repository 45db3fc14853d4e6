/**
 * The automatic title of a conversation until a person renames it: the first thing they said, shortened to one line. Invisible
 * characters are never part of a title.
 */

import { toPlainText } from './plain-text.ts';
import type { TimelineItem } from './timeline.ts';
import { toWorkTimeline, type WorkView } from './work-view.ts';

/** Undefined before the first input. */
export function toConversationTitle(view: WorkView): string | undefined {
  let hasActed = false;
  let runTitle = '';
  for (const { item } of toWorkTimeline(view)) {
    if (item.kind === 'person') {
      const line = firstLineOf(item.text);
      if (isMeaningful(line)) return shorten(line);
    }
    if (item.kind === 'run') {
      runTitle ||= shorten(toTitleText(item.title));
      // A command led here: the workflow's title says more than the number that was typed.
      if (hasActed && runTitle !== '') return runTitle;
    }
    hasActed ||= isAct(item);
  }
  if (!hasActed) return undefined;
  return runTitle || shorten(toTitleText(view.state.agent?.name ?? '')) || undefined;
}

/** Whether the entry is an action of a person. */
function isAct(item: TimelineItem): boolean {
  switch (item.kind) {
    case 'command':
      return true;
    // A bare answer such as "2".
    case 'person':
      return firstLineOf(item.text) !== '';
    case 'question':
      return item.answers !== undefined;
    case 'approval':
      return item.decision !== undefined;
    default:
      return false;
  }
}

/** Numbers, menu codes and a bare yes are answers: they do not describe the conversation. */
function isMeaningful(line: string): boolean {
  return line !== '' && !ANSWER.test(line) && !ANSWERS.has(line.toLowerCase().replace(/[.!。！]+$/, ''));
}

const ANSWER = /^(?:[\p{N}\s.,;、，-]+|\p{L}|[[(][\p{L}\p{N}]{1,3}[\])])$/u;

const ANSWERS: ReadonlySet<string> = new Set([
  ...['yes', 'no', 'ok', 'okay', 'continue', 'go on', 'next', 'done', 'skip'],
  ...['好的', '是的', '继续', '可以', '没有', '下一步', '跳过', '不是', '不用', '确认'],
]);

/** One line without invisible characters, and without the marks that `toPlainText` puts in their place. */
export function toTitleText(text: string): string {
  return toPlainText(text).replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();
}

const INVISIBLE = /[\uFFFD\p{Surrogate}]/gu;

function firstLineOf(text: string): string {
  for (const line of text.split(/[\r\n\u2028\u2029]/)) {
    const title = toTitleText(line);
    if (title !== '') return title;
  }
  return '';
}

const MAX_LENGTH = 60;
/** A title is cut at a word boundary unless that makes it shorter than this. */
const MIN_LENGTH = 30;

function shorten(title: string): string {
  if (title.length <= MAX_LENGTH) return title;
  const head = cutAtCharacter(title, MAX_LENGTH - 1);
  const isWhole = title[head.length] === ' ';
  const lastWord = isWhole ? head.length : head.lastIndexOf(' ');
  const cut = lastWord >= MIN_LENGTH ? head.slice(0, lastWord) : head;
  return `${cut.replace(/[\s,;:.…-]+$/u, '')}…`;
}

/** Cuts at `length` code units, never inside a grapheme unless the first one is longer than that. */
function cutAtCharacter(text: string, length: number): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('en').segment(text)) {
    if (index + segment.length > length) break;
    end = index + segment.length;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, length).replace(INVISIBLE, '');
}
