/**
 * What a rehearsal answers where no run is under way: in a talk with an agent, a chat, a script. It says that no model is
 * there, reads a script to tell what it is, asks what the script asks, and does nothing else. Pure.
 */
import type { PromptSubject } from '@crewagent/protocol/events';
import { toPlainText } from '@crewagent/protocol/plain-text';
import { isRecord } from '../foreign-json.ts';
import type { RequestFacts } from '../request-facts.ts';
import type { ChatMessage } from '../wire.ts';
import { toQuestions } from './answers.ts';
import { type PlannedMove, say } from './leave.ts';
import { parseStep, splitDocument } from './step.ts';
import { findStepText } from './step-text.ts';
import { type MadeCall, readCalls } from './visit.ts';

type SubjectOf<Kind extends PromptSubject['kind']> = Extract<PromptSubject, { kind: Kind }>;

/** What is still to be answered: everything since the last reply that called for nothing. */
export interface Thread {
  readonly script: SubjectOf<'script'> | undefined;
  readonly action: SubjectOf<'action'> | undefined;
  /** The last that the person said. */
  readonly words: string | undefined;
  readonly data: readonly SubjectOf<'data'>[];
  readonly calls: readonly MadeCall[];
  /** Nothing more is called for: something else was said meanwhile, or it went on for too long. */
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
  const words = open.findLast((fact) => fact.kind === 'words');
  return {
    script: task?.kind === 'script' ? task : undefined,
    action: task?.kind === 'action' ? task : undefined,
    words: words?.text.trim(),
    data: subjects.filter((subject) => subject.kind === 'data'),
    calls: readCalls(messages, groups - (task?.at ?? from)),
    isClosing: groups - from >= MAX_ROUNDS || open.some(({ at }) => at > (task?.at ?? at)),
  };
}

/** Twice what the longest script takes. */
const MAX_ROUNDS = 6;

export function answerInThread(thread: Thread, offered: ReadonlySet<string>): PlannedMove {
  const { script, action } = thread;
  if (script) return followScript(thread, script.path, offered);
  if (!action)
    return close(thread, thread.words ? `, so there is no answer to "${toQuote(thread.words)}"` : '');
  const name = action.name === undefined ? `"${toQuote(action.text ?? '')}"` : toQuote(action.name);
  return close(thread, ` that could carry out the action ${name}`);
}

function followScript(thread: Thread, path: string, offered: ReadonlySet<string>): PlannedMove {
  const canRead = offered.has('fs_read') && !thread.isClosing;
  const found = findStepText({ sent: undefined, path, calls: thread.calls });
  if ('reads' in found && canRead) {
    const calls = found.reads.map((args) => ({ name: 'fs_read', args }));
    return { say: `Rehearsal: reading the script ${toQuote(path)}.`, calls };
  }
  const text = 'reads' in found ? '' : found.text;
  const title = findTitle(text);
  const name = `the script ${title === undefined ? toQuote(path) : `"${title}" (${toQuote(path)})`}`;
  const step = parseStep(text);
  const asked = thread.calls.filter((call) => call.name === 'ui_ask_user');
  const questions = toQuestions(step, `script "${title ?? toQuote(path)}"`);
  if (step.isWaiting && asked.length === 0 && !thread.isClosing && offered.has('ui_ask_user')) {
    return {
      say: `Rehearsal: a model would follow ${name} now. It waits for a person.`,
      calls: [{ name: 'ui_ask_user', args: { questions } }],
    };
  }
  const isUnasked = step.isWaiting && asked.length === 0;
  return close(
    thread,
    ` that could follow ${name}`,
    describeFailure(thread.calls, path),
    isUnasked ? `It would ask: ${toQuote(questions.map(({ prompt }) => prompt).join(' '))}` : '',
    describeAnswers(asked),
  );
}

const ABOUT_ITSELF = 'This is the rehearsal, a stand-in for a language model; no model is connected';
const CONNECT = 'Set one up in the settings (on the command line: crewagent config add-model).';

function close(
  { data, words, script, action }: Thread,
  what: string,
  ...more: readonly string[]
): PlannedMove {
  const documents = data
    .slice(-MAX_DOCUMENTS)
    .map(({ path, summary }) => `With it came ${toQuote(path)} (${toQuote(summary, MAX_SUMMARY_CHARS)}).`);
  const said = words && (script || action) ? `You said "${toQuote(words)}".` : '';
  return say([`${ABOUT_ITSELF}${what}.`, ...more, said, ...documents, CONNECT].filter(Boolean).join(' '));
}

const MAX_DOCUMENTS = 3;
const MAX_SUMMARY_CHARS = 200;

function describeFailure(calls: readonly MadeCall[], path: string): string {
  const read = calls.findLast(({ name, args }) => name === 'fs_read' && args.path === path);
  return read && !read.result.ok ? `It could not be read (${read.result.code}).` : '';
}

function describeAnswers(asked: readonly MadeCall[]): string {
  const result = asked.at(-1)?.result;
  if (!result?.ok || !isRecord(result.value.answers)) return '';
  const given = Object.values(result.value.answers).map((value) =>
    typeof value === 'string' ? value : JSON.stringify(value),
  );
  return `You answered "${toQuote(given.join(', '))}"; nothing was done with it.`;
}

/** The first heading of a script. */
function findTitle(text: string): string | undefined {
  const [, heading = ''] = /^ {0,3}#{1,6}[ \t]+(\S.{0,200})/m.exec(splitDocument(text).body) ?? [];
  return toQuote(heading.replace(/[ \t]+#+[ \t]*$/, '')) || undefined;
}

const MAX_QUOTE_CHARS = 80;

/** The beginning of a text on one line. */
function toQuote(text: string, most = MAX_QUOTE_CHARS): string {
  const [line = ''] = text.trim().split(/\r?\n/, 1);
  const characters = [...toPlainText(line.slice(0, most * 2 + 2)).trim()];
  const isWhole = characters.length <= most && line === text.trim();
  return isWhole ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}
