/**
 * Replies of a rehearsal outside of a run: with an agent, in a chat, in a script. It says that no model is connected,
 * reads a script to name it, asks the script's questions, and does nothing else. Pure.
 */

import type { PromptSubject } from '@crewagent/protocol/event-messages';
import { isObject } from '@crewagent/protocol/json-object';
import { toPlainText } from '@crewagent/protocol/plain-text';
import type { RequestFacts } from '../../llm/request-facts.ts';
import type { ChatMessage } from '../../llm/wire.ts';
import { type PlannedMove, say } from './leave.ts';
import { parseStep, splitDocument, toAsking, toQuestions } from './step.ts';
import { findStepText, type MadeCall, readCalls } from './visit.ts';
import type { Words } from './words.ts';

type SubjectOf<Kind extends PromptSubject['kind']> = Extract<PromptSubject, { kind: Kind }>;

/** Everything since the last reply without calls, which is not answered yet. */
export interface Thread {
  readonly script: SubjectOf<'script'> | undefined;
  readonly action: SubjectOf<'action'> | undefined;
  /** The last message of the person. */
  readonly input: string | undefined;
  readonly data: readonly SubjectOf<'data'>[];
  readonly calls: readonly MadeCall[];
  /** No further calls: another message arrived meanwhile, or there were too many rounds. */
  readonly isClosing: boolean;
}

export function readThread(messages: readonly ChatMessage[], { groups, sent }: RequestFacts): Thread {
  const last = sent.findLastIndex(({ kind }) => kind === 'reply');
  const open = sent.slice(last + 1);
  const from = sent[last]?.at ?? open[0]?.at ?? groups;
  const subjects = open.flatMap((fact) =>
    fact.kind === 'subject' ? [{ ...fact.subject, at: fact.at }] : [],
  );
  const task = subjects.findLast(({ kind }) => kind === 'script' || kind === 'action');
  const input = open.findLast((fact) => fact.kind === 'words');
  return {
    script: task?.kind === 'script' ? task : undefined,
    action: task?.kind === 'action' ? task : undefined,
    input: input?.text.trim(),
    data: subjects.filter((subject) => subject.kind === 'data'),
    calls: readCalls(messages, groups - (task?.at ?? from)),
    isClosing: groups - from >= MAX_ROUNDS || open.some(({ at }) => at > (task?.at ?? at)),
  };
}

/** Twice the number that the longest script needs. */
const MAX_ROUNDS = 6;

export function answerInThread(thread: Thread, offered: ReadonlySet<string>, all: Words): PlannedMove {
  const { script, action } = thread;
  const words = all.thread;
  if (script) return followScript(thread, script.path, offered, all);
  if (!action) return finish(thread, words, thread.input ? words.noAnswer(toQuote(thread.input)) : '');
  const name = action.name === undefined ? `"${toQuote(action.text ?? '')}"` : toQuote(action.name);
  return finish(thread, words, words.action(name));
}

function followScript(thread: Thread, path: string, offered: ReadonlySet<string>, all: Words): PlannedMove {
  const words = all.thread;
  const canRead = offered.has('fs_read') && !thread.isClosing;
  const found = findStepText(path, thread.calls);
  if ('reads' in found && canRead) {
    const calls = found.reads.map((args) => ({ name: 'fs_read', args }));
    return { say: words.readsScript(toQuote(path)), calls };
  }
  const text = 'reads' in found ? '' : found.text;
  const title = findTitle(text);
  const name = title === undefined ? words.scriptAt(toQuote(path)) : words.scriptNamed(title, toQuote(path));
  const step = parseStep(text);
  const asked = thread.calls.filter((call) => call.name === 'ui_ask_user');
  const questions = toQuestions(step, all.script(title ?? toQuote(path)), all);
  if (step.isWaiting && asked.length === 0 && !thread.isClosing && offered.has('ui_ask_user')) {
    return {
      say: words.wouldFollow(name),
      calls: [toAsking(step, questions, all)],
    };
  }
  const isUnasked = step.isWaiting && asked.length === 0;
  return finish(
    thread,
    words,
    words.follow(name),
    describeFailure(thread.calls, path, words),
    isUnasked ? words.wouldAsk(toQuote(questions.map(({ prompt }) => prompt).join(' '))) : '',
    describeAnswers(asked, words),
  );
}

function finish(
  { data, input, script, action }: Thread,
  words: Words['thread'],
  what: string,
  ...more: readonly string[]
): PlannedMove {
  const documents = data
    .slice(-MAX_DOCUMENTS)
    .map(({ path, summary }) => words.document(toQuote(path), toQuote(summary, MAX_SUMMARY_CHARS)));
  const said = input && (script || action) ? words.wrote(toQuote(input)) : '';
  const introduction = `${words.introduction}${what}${words.ends}`;
  return say([introduction, ...more, said, ...documents, words.connect].filter(Boolean).join(' '));
}

const MAX_DOCUMENTS = 3;
const MAX_SUMMARY_CHARS = 200;

function describeFailure(calls: readonly MadeCall[], path: string, words: Words['thread']): string {
  const read = calls.findLast(({ name, args }) => name === 'fs_read' && args.path === path);
  return read && !read.result.ok ? words.unread(read.result.code) : '';
}

function describeAnswers(asked: readonly MadeCall[], words: Words['thread']): string {
  const result = asked.at(-1)?.result;
  if (!result?.ok || !isObject(result.value.answers)) return '';
  const given = Object.values(result.value.answers).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return words.answered(toQuote(given.join(', ')));
}

/** The first heading of a script. */
function findTitle(text: string): string | undefined {
  const [, heading = ''] = /^ {0,3}#{1,6}[ \t]+(\S.{0,200})/m.exec(splitDocument(text).body) ?? [];
  return toQuote(heading.replace(/[ \t]+#+[ \t]*$/, '')) || undefined;
}

const MAX_QUOTE_CHARS = 80;

/** The first line of a text, truncated. */
function toQuote(text: string, most = MAX_QUOTE_CHARS): string {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  const characters = [...toPlainText(line.slice(0, most * 2 + 2)).trim()];
  const isWhole = characters.length <= most && line === text.trim();
  return isWhole ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
