/**
 * Asks at the terminal for the input a run or conversation waits for, and returns the command to execute next; undefined
 * when the person leaves.
 */

import type { Pending } from '@crewagent/core';
import { findAnswerIssue, parseAnswer } from '@crewagent/protocol/answers';
import { toStatus } from '@crewagent/protocol/status';
import { toProblemLine } from '@crewagent/protocol/story/describe-problem';
import type { Question } from '@crewagent/protocol/tools';
import { isStopCommand } from '../global-commands.ts';
import { describePrompt, type StopState, waitsForWords } from '../print/pending.ts';
import { printWrapped } from '../print/print-wrapped.ts';
import { say } from '../print/texts/say.ts';
import { sanitize, style } from '../terminal.ts';
import { userLanguage } from '../user-language.ts';
import { type AskDeps, askApproval } from './ask-approval.ts';
import type { Prompter } from './prompter.ts';
import type { WorkCommand } from './work-command.ts';

export async function askPerson(
  stop: StopState,
  pending: Pending | undefined,
  deps: AskDeps,
): Promise<WorkCommand | undefined> {
  const { kind, isWaiting, isFixedElsewhere } = toStatus(stop);
  if (!isWaiting || kind === 'stopped' || isFixedElsewhere) return undefined;
  if (pending) return askPending(pending, deps);
  return waitsForWords(stop) ? askReply(deps.prompter) : askToContinue(stop, deps.prompter);
}

export function askPending(pending: Pending, deps: AskDeps): Promise<WorkCommand | undefined> {
  return pending.kind === 'question' ? askQuestions(pending, deps.prompter) : askApproval(pending, deps);
}

async function askQuestions(
  { callId, questions }: Extract<Pending, { kind: 'question' }>,
  prompter: Prompter,
): Promise<WorkCommand | undefined> {
  const answers: Record<string, unknown> = {};
  for (const question of questions) {
    printWrapped(...describePrompt(question, style));
    const answer = await askQuestion(question, prompter);
    if (!answer) return undefined;
    if (answer === 'stop') return (work) => work.stopQuestion(callId);
    answers[question.id] = answer.value;
  }
  return (work) => work.answer(answers);
}

async function askQuestion(
  question: Question,
  prompter: Prompter,
): Promise<{ value: unknown } | 'stop' | undefined> {
  for (;;) {
    const picked = await pickAnswer(question, prompter);
    if (picked === undefined) return undefined;
    if (typeof picked === 'string' && isStopCommand(picked)) return 'stop';
    const value = typeof picked === 'string' ? parseAnswer(question, picked) : picked.value;
    const issue = findAnswerIssue([question], { [question.id]: value });
    if (!issue) return { value };
    printWrapped(style('yellow', `  ${issue}`));
  }
}

/** From a list where there is one; a text is still to be parsed. `initial`: options that are chosen already. */
export async function pickAnswer(
  { type, options = [] }: Question,
  prompter: Prompter,
  initial?: readonly number[],
): Promise<string | { readonly value: unknown; readonly indexes: readonly number[] } | undefined> {
  const isConfirm = type === 'confirm';
  if (!isConfirm && options.length === 0) return prompter.ask(`${style('cyan', '›')} `);
  const isMulti = type === 'multi';
  const picked = await prompter.pick({
    options: isConfirm ? [say('choose.yes'), say('choose.no')] : options.map((text) => sanitize(text, 300)),
    isMulti,
    initial,
    hint: say(isMulti ? 'choose.several' : isConfirm ? 'choose.one' : 'choose.oneOrWords'),
  });
  if (picked === undefined || typeof picked === 'string') return picked;
  const [first = 0] = picked;
  const value = isMulti ? picked.map((index) => options[index]) : options[first];
  return { value: isConfirm ? first === 0 : value, indexes: picked };
}

async function askReply(prompter: Prompter): Promise<WorkCommand | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    if (text.trim() !== '') return (work) => work.input(text);
    printWrapped(style('dim', `  ${say('prompt.reply')}`));
  }
}

async function askToContinue({ reason }: StopState, prompter: Prompter): Promise<WorkCommand | undefined> {
  if (reason) printWrapped(style('yellow', `  ${sanitize(toProblemLine(userLanguage(), reason))}`));
  printWrapped(style('dim', `  ${say('prompt.continueOrLeave')}`));
  const text = await prompter.ask(`  ${style('cyan', '›')} `);
  if (text === undefined) return undefined;
  return text.trim() === '' ? (work) => work.resume() : (work) => work.input(text);
}
