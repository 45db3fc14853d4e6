/**
 * Asks at the terminal for the input a run or conversation waits for, and returns the command to execute next; undefined
 * when the person leaves.
 */

import type { OpenWork, Pending, SessionStop } from '@crewagent/core';
import { findAnswerIssue, parseAnswer } from '@crewagent/protocol/answers';
import { type ApprovalDecision, type ApprovalReach, folderOf } from '@crewagent/protocol/approvals';
import { isFileAction, isOnceOnly } from '@crewagent/protocol/described-actions';
import { toStatus } from '@crewagent/protocol/status';
import type { Question } from '@crewagent/protocol/tools';
import {
  describeApproval,
  describeQuestion,
  hashShown,
  type StopState,
  waitsForWords,
} from '../print/pending.ts';
import { print, sanitize, style } from '../terminal.ts';
import type { Prompter } from './prompter.ts';

/** Resolves when the Work has stopped again. */
export type WorkCommand = (work: OpenWork) => Promise<SessionStop>;

export async function askPerson(
  stop: StopState,
  pending: Pending | undefined,
  prompter: Prompter,
): Promise<WorkCommand | undefined> {
  const { kind, isWaiting, isFixedElsewhere } = toStatus(stop);
  if (!isWaiting || kind === 'stopped' || isFixedElsewhere) return undefined;
  if (pending) return askPending(pending, prompter);
  return waitsForWords(stop) ? askReply(prompter) : askToContinue(stop, prompter);
}

export function askPending(pending: Pending, prompter: Prompter): Promise<WorkCommand | undefined> {
  return pending.kind === 'question'
    ? askQuestions(pending.questions, prompter)
    : askApproval(pending, prompter);
}

async function askQuestions(
  questions: readonly Question[],
  prompter: Prompter,
): Promise<WorkCommand | undefined> {
  const answers: Record<string, unknown> = {};
  for (const question of questions) {
    for (const line of describeQuestion(question, style)) print(line);
    const answer = await askQuestion(question, prompter);
    if (!answer) return undefined;
    answers[question.id] = answer.value;
  }
  return (work) => work.answer(answers);
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
): Promise<WorkCommand | undefined> {
  for (const line of describeApproval(pending, style)) print(line);
  for (;;) {
    const choices = isOnceOnly(pending)
      ? '[y]es, once · [n]o'
      : '[y]es, once · yes for this [s]tep · for this [r]un · [a]lways · [n]o';
    const reply = await prompter.ask(`  ${choices} ${style('cyan', '›')} `);
    if (reply === undefined) return undefined;
    const key = reply.trim().toLowerCase();
    const decision = Object.hasOwn(DECISIONS, key) ? DECISIONS[key] : undefined;
    if (decision === undefined || (isOnceOnly(pending) && decision !== 'once' && decision !== 'no')) continue;
    const shown = hashShown(pending.action);
    if (decision === 'once') return (work) => work.approve({ decision, shown });
    if (decision !== 'no') {
      const reach = isFileAction(pending.action) ? await askReach(pending.action.target, prompter) : 'file';
      return reach && ((work) => work.approve({ decision, reach, shown }));
    }
    const note = await prompter.ask(
      `  Why not, or what should it do instead? (sent to the model) ${style('cyan', '›')} `,
    );
    if (note === undefined) return undefined;
    return (work) => work.approve({ decision: 'no', note: note.trim() || undefined });
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

/** Which files the approval covers; undefined when the person leaves. */
async function askReach(path: string, prompter: Prompter): Promise<ApprovalReach | undefined> {
  const folder = folderOf(path);
  for (;;) {
    const reply = await prompter.ask(
      `  For which files? Enter: this [f]ile · all in this fol[d]er (${sanitize(folder)}) · [a]ll files ${style('cyan', '›')} `,
    );
    if (reply === undefined) return undefined;
    const key = reply.trim().toLowerCase();
    if (Object.hasOwn(REACHES, key)) return REACHES[key];
  }
}

async function askReply(prompter: Prompter): Promise<WorkCommand | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    if (text.trim() !== '') return (work) => work.input(text);
    print(style('dim', '  Type a reply, or press Ctrl-D to leave the run as it is.'));
  }
}

async function askToContinue({ reason }: StopState, prompter: Prompter): Promise<WorkCommand | undefined> {
  if (reason) print(style('yellow', `  ${sanitize(reason.message)}`));
  const text = await prompter.ask(
    `  Press Enter to continue, type a message for the model, or Ctrl-D to leave ${style('cyan', '›')} `,
  );
  if (text === undefined) return undefined;
  return text.trim() === '' ? (work) => work.resume() : (work) => work.input(text);
}
