/**
 * At the terminal, asks the person what a run waits for. The answer is what the run is to do next; none when they left.
 */
import type { ExecutionEngine, StopPoint } from '@crewagent/core';
import { findAnswerFault, parseAnswer } from '@crewagent/protocol/answers';
import type { ApprovalDecision } from '@crewagent/protocol/events';
import type { Question } from '@crewagent/protocol/tools';
import { describeApproval, describeQuestion, type Pending } from './pending.ts';
import type { Prompter } from './prompter.ts';
import { foreign, print, style } from './terminal.ts';

/** What a run is told to do. */
export type RunCommand = (engine: ExecutionEngine) => Promise<StopPoint>;

/** Mending these takes more than a word here. */
const NOT_HERE: ReadonlySet<string> = new Set([
  'stopped',
  'E_INTERNAL',
  'LLM_AUTH_FAILED',
  'CASSETTE_INVALID',
  'CASSETTE_MISMATCH',
]);

export async function askPerson(
  stop: StopPoint,
  pending: Pending | undefined,
  prompter: Prompter,
): Promise<RunCommand | undefined> {
  if (stop.phase !== 'WaitingUser' || NOT_HERE.has(stop.reason?.code ?? '')) return undefined;
  if (pending?.kind === 'question') return askQuestions(pending.questions, prompter);
  if (pending?.kind === 'approval') return askApproval(pending, prompter);
  return stop.reason?.code === 'reply' ? askReply(prompter) : askToGoOn(stop, prompter);
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
  return (engine) => engine.answer(answers);
}

async function askQuestion(question: Question, prompter: Prompter): Promise<{ value: unknown } | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    const value = parseAnswer(question, text);
    const fault = findAnswerFault([question], { [question.id]: value });
    if (!fault) return { value };
    print(style('yellow', `  ${fault}`));
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
    const word = await prompter.ask(
      `  [y]es, once · yes for this [s]tep · for this [r]un · [a]lways for this file · [n]o ${style('cyan', '›')} `,
    );
    if (word === undefined) return undefined;
    const key = word.trim().toLowerCase();
    const decision = Object.hasOwn(DECISIONS, key) ? DECISIONS[key] : undefined;
    if (decision === undefined) continue;
    if (decision !== 'no') return (engine) => engine.approve(decision);
    const note = await prompter.ask(`  Why, or what instead? (the model is told) ${style('cyan', '›')} `);
    if (note === undefined) return undefined;
    return (engine) => engine.approve('no', note.trim() || undefined);
  }
}

async function askReply(prompter: Prompter): Promise<RunCommand | undefined> {
  for (;;) {
    const text = await prompter.ask(`${style('cyan', '›')} `);
    if (text === undefined) return undefined;
    if (text.trim() !== '') return (engine) => engine.say(text);
    print(style('dim', '  Type what you want to say; Ctrl-D leaves the run as it is.'));
  }
}

async function askToGoOn({ reason }: StopPoint, prompter: Prompter): Promise<RunCommand | undefined> {
  if (reason) print(style('yellow', `  ${foreign(reason.message)}`));
  const text = await prompter.ask(
    `  Enter goes on, words are told to the model, Ctrl-D leaves it ${style('cyan', '›')} `,
  );
  if (text === undefined) return undefined;
  return text.trim() === '' ? (engine) => engine.resume() : (engine) => engine.say(text);
}
