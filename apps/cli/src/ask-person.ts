/**
 * At the terminal, asks the person what a run or a conversation waits for. The answer is what it is to do next; none when
 * they left.
 */

import { type Answers, findAnswerIssue, parseAnswer } from '@crewagent/protocol/answers';
import {
  type ApprovalDecision,
  type ApprovalReach,
  type ApprovalWord,
  folderOf,
} from '@crewagent/protocol/approvals';
import { isFileAction } from '@crewagent/protocol/described-actions';
import type { PhaseReason, RunPhase } from '@crewagent/protocol/run';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import { describeApproval, describeQuestion, type Pending } from './pending.ts';
import type { Prompter } from './prompter.ts';
import { print, sanitize, style } from './terminal.ts';

/** What a run and a conversation can both be told. */
export interface Addressee<Stop> {
  say(text: string): Promise<Stop>;
  answer(answers: Answers): Promise<Stop>;
  approve(word: ApprovalWord): Promise<Stop>;
  resume(): Promise<Stop>;
}

/** What it is told to do. */
export type RunCommand = <Stop>(to: Addressee<Stop>) => Promise<Stop>;

/** Where it came to rest. */
export interface Rest {
  readonly phase: RunPhase;
  readonly reason?: PhaseReason | undefined;
}

export async function askPerson(
  stop: Rest,
  pending: Pending | undefined,
  prompter: Prompter,
): Promise<RunCommand | undefined> {
  const { kind, isFixedElsewhere } = toStatus(stop);
  if (stop.phase !== 'WaitingUser' || kind === 'stopped' || isFixedElsewhere) return undefined;
  if (pending) return askPending(pending, prompter);
  return kind === 'reply' ? askReply(prompter) : askToGoOn(stop, prompter);
}

export function askPending(pending: Pending, prompter: Prompter): Promise<RunCommand | undefined> {
  return pending.kind === 'question'
    ? askQuestions(pending.questions, prompter)
    : askApproval(pending, prompter);
}

async function askQuestions(
  questions: readonly Question[],
  prompter: Prompter,
): Promise<RunCommand | undefined> {
  const answers: Record<string, unknown> = {};
  for (const question of questions) {
    for (const line of describeQuestion(question, style)) print(line);
    const answer = await askQuestion(question, prompter);
    if (!answer) return undefined;
    answers[question.id] = answer.value;
  }
  return (to) => to.answer(answers);
}

async function askQuestion(question: Question, prompter: Prompter): Promise<{ value: unknown } | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    const value = parseAnswer(question, text);
    const issue = findAnswerIssue([question], { [question.id]: value });
    if (!issue) return { value };
    print(style('yellow', `  ${issue}`));
  }
}

const DECISIONS: Readonly<Record<string, ApprovalDecision>> = {
  y: 'once',
  yes: 'once',
  once: 'once',
  s: 'node',
  step: 'node',
  node: 'node',
  r: 'run',
  run: 'run',
  a: 'always',
  always: 'always',
  n: 'no',
  no: 'no',
};

async function askApproval(
  pending: Extract<Pending, { kind: 'approval' }>,
  prompter: Prompter,
): Promise<RunCommand | undefined> {
  for (const line of describeApproval(pending, style)) print(line);
  for (;;) {
    const choices = pending.runsLater
      ? '[y]es, once · [n]o'
      : '[y]es, once · yes for this [s]tep · for this [r]un · [a]lways · [n]o';
    const word = await prompter.ask(`  ${choices} ${style('cyan', '›')} `);
    if (word === undefined) return undefined;
    const key = word.trim().toLowerCase();
    const decision = Object.hasOwn(DECISIONS, key) ? DECISIONS[key] : undefined;
    if (decision === undefined || (pending.runsLater && decision !== 'once' && decision !== 'no')) continue;
    if (decision === 'once') return (to) => to.approve({ decision });
    if (decision !== 'no') {
      const reach = isFileAction(pending.action) ? await askReach(pending.action.target, prompter) : 'file';
      return reach && ((to) => to.approve({ decision, reach }));
    }
    const note = await prompter.ask(`  Why, or what instead? (the model is told) ${style('cyan', '›')} `);
    if (note === undefined) return undefined;
    return (to) => to.approve({ decision: 'no', note: note.trim() || undefined });
  }
}

const REACHES: Readonly<Record<string, ApprovalReach>> = {
  '': 'file',
  f: 'file',
  file: 'file',
  d: 'folder',
  folder: 'folder',
  a: 'all',
  all: 'all',
};

/** For which files; undefined when they left. */
async function askReach(path: string, prompter: Prompter): Promise<ApprovalReach | undefined> {
  const folder = folderOf(path);
  for (;;) {
    const word = await prompter.ask(
      `  For which files? Enter: this [f]ile · all in this fol[d]er (${sanitize(folder)}) · [a]ll files ${style('cyan', '›')} `,
    );
    if (word === undefined) return undefined;
    const key = word.trim().toLowerCase();
    if (Object.hasOwn(REACHES, key)) return REACHES[key];
  }
}

async function askReply(prompter: Prompter): Promise<RunCommand | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    if (text.trim() !== '') return (to) => to.say(text);
    print(style('dim', '  Type what you want to say; Ctrl-D leaves the run as it is.'));
  }
}

async function askToGoOn({ reason }: Rest, prompter: Prompter): Promise<RunCommand | undefined> {
  if (reason) print(style('yellow', `  ${sanitize(reason.message)}`));
  const text = await prompter.ask(
    `  Enter goes on, words are told to the model, Ctrl-D leaves it ${style('cyan', '›')} `,
  );
  if (text === undefined) return undefined;
  return text.trim() === '' ? (to) => to.resume() : (to) => to.say(text);
}
