/**
 * What a conversation is called until a person gives it a name: the first thing they said, shortened to a line that fits a
 * list; where a run came first, its workflow and what this run is about. What cannot be seen is never part of a title.
 */

import { toTitleText, withoutMarks } from './plain-text.ts';
import type { StoryItem } from './story/items.ts';
import type { Story } from './story/story.ts';
import { toWorkItems, type WorkStory } from './story/work-story.ts';

/**
 * What a Work is called where it is listed: a run as its workflow, a conversation as a person named it, else by its words. Titles
 * that earlier versions stored have the marks of the text they were made from.
 */
export function toShownTitle({ workflowTitle, title = '', isRenamed }: TitledRecord): string {
  return isRenamed ? title : withoutMarks(workflowTitle ?? title);
}

interface TitledRecord {
  readonly title?: string | undefined;
  readonly workflowTitle?: string | undefined;
  readonly isRenamed?: true | undefined;
}

/** Undefined while nothing was said. */
export function toConversationTitle(view: WorkStory): string | undefined {
  let hasActed = false;
  let run: { readonly runId: string; readonly title: string } | undefined;
  for (const { source, item } of toWorkItems(view)) {
    // Words to a run are instructions or steer it: they never rename what it is about.
    if (item.kind === 'person' && (!run || source !== run.runId)) {
      const line = firstLineOf(item.text);
      if (!run && isMeaningful(line)) return shorten(line);
    }
    if (item.kind === 'run') run ??= { runId: item.runId, title: withoutMarks(toTitleText(item.title)) };
    hasActed ||= isAct(item);
  }
  const runView = run && view.runs.get(run.runId);
  const subject = runView ? (firstInputOf(runView) ?? madeSubjectOf(runView)) : '';
  if (!hasActed && subject === '') return undefined;
  const isPlaceholder = runView?.model?.kind === 'rehearsal' && firstInputOf(runView) === undefined;
  const title = isPlaceholder
    ? withRehearsal(run?.title ?? '')
    : [run?.title ?? '', subject].filter((part) => part !== '').join(' · ');
  return shorten(title || toTitleText(view.state.agent?.name ?? '')) || undefined;
}

/** A title is stored in one language: that of the workflow's own title. */
function withRehearsal(title: string): string {
  return /\p{Script=Han}/u.test(title) ? `${title}（演练）` : `${title} (rehearsal)`;
}

/** What a person wrote to a run before its first reply. */
function firstInputOf({ timeline }: Story): string | undefined {
  for (const item of timeline) {
    if (item.kind === 'reply') break;
    const line = item.kind === 'person' ? firstLineOf(item.text) : '';
    if (isMeaningful(line)) return line;
  }
  return undefined;
}

/** A variable that names what a run is about, else its first file. */
function madeSubjectOf(run: Story): string {
  const named = Object.entries(run.state.variables).find(
    ([name, value]) => NAMING.test(name) && typeof value === 'string' && toTitleText(value) !== '',
  );
  return named ? withoutMarks(toTitleText(String(named[1]))) : toSubject(run.state.artifacts[0] ?? '');
}

const NAMING = /(?:title|topic|subject|projectName|featureName)$/i;

/** `artifacts/1-2-user-login.md` is about "User login". */
function toSubject(path: string): string {
  const words = toTitleText(path.slice(path.lastIndexOf('/') + 1))
    .replace(/\.\w{1,10}$/, '')
    .replace(/^[\d\s._-]+/, '')
    .replace(/[_-]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A person did something, in whatever words. */
function isAct(item: StoryItem): boolean {
  switch (item.kind) {
    case 'command':
      return true;
    // An answer that says nothing by itself, such as "2".
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

/** Numbers, codes of a menu and a bare yes are answers: what the conversation is about is not in them. */
function isMeaningful(line: string): boolean {
  return line !== '' && !ANSWER.test(line) && !ANSWERS.has(line.toLowerCase().replace(/[.!。！]+$/, ''));
}

const ANSWER = /^(?:[\p{N}\s.,;、，-]+|\p{L}|[[(][\p{L}\p{N}]{1,3}[\])])$/u;

const ANSWERS: ReadonlySet<string> = new Set([
  ...['yes', 'no', 'ok', 'okay', 'continue', 'go on', 'next', 'done', 'skip'],
  ...['好的', '是的', '继续', '可以', '没有', '下一步', '跳过', '不是', '不用', '确认'],
]);

function firstLineOf(text: string): string {
  for (const line of text.split(/[\r\n\u2028\u2029]/)) {
    const title = withoutMarks(toTitleText(line));
    if (title !== '') return title;
  }
  return '';
}

const LONGEST = 60;
/** A cut at a word may make a title this much shorter; then it is cut inside the word. */
const SHORTEST = 30;

function shorten(title: string): string {
  if (title.length <= LONGEST) return title;
  const head = cutAtCharacter(title, LONGEST - 1);
  const isWhole = title[head.length] === ' ';
  const lastWord = isWhole ? head.length : head.lastIndexOf(' ');
  const cut = lastWord >= SHORTEST ? head.slice(0, lastWord) : head;
  return `${cut.replace(/[\s,;:.…-]+$/u, '')}…`;
}

/** At most this long, and never within what is seen as one character, unless that is longer than everything. */
function cutAtCharacter(text: string, length: number): string {
  let end = 0;
  for (const { index, segment } of new Intl.Segmenter('en').segment(text)) {
    if (index + segment.length > length) break;
    end = index + segment.length;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, length).replace(/\p{Surrogate}/gu, '');
}
