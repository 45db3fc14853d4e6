/**
 * Decides the next reply of a rehearsal in a node: read the step, read its inputs and named files, ask the person,
 * write the outputs, leave the node, finish. Progress is derived from the request. Without a node, answers in the
 * thread. Pure.
 */

import { posix } from 'node:path';
import { isObject } from '@crewagent/protocol/json-object';
import type { ProducedFile } from '@crewagent/protocol/proof';
import { chosenOption, leavingOptions, MENU_ID, toMenuQuestion } from '../../base/letter-menu.ts';
import type { RequestFacts } from '../../llm/request-facts.ts';
import type { ChatMessage, ChatRequest } from '../../llm/wire.ts';
import { isRevisit, isTerminal } from './choose-edge.ts';
import { type PlaceholderFacts, toPlaceholder } from './content.ts';
import {
  canLeave,
  isStateChange,
  leaveNode,
  type PlannedCall,
  type PlannedMove,
  planNode,
  type RehearsalOptions,
  type Situation,
  STATE_PATH,
  say,
} from './leave.ts';
import { parseStep, type Step, toAsking, toQuestions } from './step.ts';
import { answerInThread, readThread } from './thread.ts';
import { findStepText, type MadeCall, readAnswers, readCalls, readVisit, type Visit } from './visit.ts';
import { type Words, wordsIn } from './words.ts';

export function decideMove(
  { messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>,
  facts: RequestFacts | undefined,
  options: RehearsalOptions,
): PlannedMove {
  const offered = new Set(tools.map((tool) => tool.function.name));
  const words = wordsIn(facts?.language);
  if (facts?.isThread) return answerInThread(readThread(messages, facts), offered, words);
  const visit = facts && readVisit(messages, facts);
  if (!visit) return say(words.introduction);
  if (hasLeft(visit)) return finish(messages, words);
  const { brief, calls: made } = visit;
  const { stepText: sent } = brief;
  const found =
    sent === undefined && offered.has('fs_read') ? findStepText(brief.stepFile, made) : { text: sent ?? '' };
  if ('reads' in found) {
    const calls = found.reads.map((args) => ({ name: 'fs_read', args }));
    return { say: words.readsStep(brief.title), calls };
  }
  const situation = { visit, step: parseStep(found.text), offered, options, words };
  return readInputs(situation) ?? ask(situation) ?? writeOutputs(situation) ?? leaveNode(situation);
}

/** The node was left, or the last node is completed. */
function hasLeft({ brief, recentCalls }: Visit): boolean {
  const isComplete =
    brief.variables?.workflowStatus === 'complete' || (isTerminal(brief) && isRevisit(brief));
  // A state change followed by an anchor of the same node did not leave the node.
  return isComplete || recentCalls.some((call) => isStateChange(call) && call.result.ok);
}

function finish(messages: readonly ChatMessage[], words: Words): PlannedMove {
  const written = new Set(
    readCalls(messages)
      .filter(isWritten)
      .map(({ args }) => String(args.path).replace(/^@project\//, '')),
  );
  const files = written.size > 0 ? words.wroteLast([...written].join(', ')) : words.wroteNothing;
  return say(`${words.finished} ${files}`);
}

const MAX_INPUTS = 8;
/** A rehearsal does not interpret inputs: their beginning is enough to show that they exist. */
const INPUT_LINES = 80;

/** The path is nothing but a placeholder that the rehearsal gave to a variable. */
const MADE_UP = /^@project\/rehearsal-[^./]+$/;

function readInputs({ visit, step, offered, words }: Situation): PlannedMove | undefined {
  const { brief, calls } = visit;
  // After the first write no more inputs are read, even if the reads are no longer in the request.
  if (calls.some(isWritten)) return undefined;
  const inputs = brief.inputs.filter((path) => !MADE_UP.test(path));
  const wanted = new Map(inputs.slice(0, MAX_INPUTS).map((path) => [path, toReading(path)]));
  const isChoice = isRevisit(brief) && brief.outgoing.length > 1;
  // Counts per edge, and variables that do not fit in the brief, are only in the state document.
  if (isChoice || (brief.variables === undefined && step.setsVariables.length > 0)) {
    wanted.set(STATE_PATH, { name: 'fs_read', args: { path: STATE_PATH } });
  }
  for (const path of nextCandidates(step, visit)) wanted.set(path, toReading(path));
  const isMade = ({ name, args }: PlannedCall): boolean =>
    calls.some((call) => call.name === name && call.args.path === args.path);
  const pending = [...wanted.values()].filter((call) => offered.has(call.name) && !isMade(call));
  if (pending.length === 0) return undefined;
  return { say: words.readsInputs(brief.title), calls: pending };
}

/**
 * The next paths to try for files that the step names: `./…` and `../…` relative to the step, its parent folder, the
 * package and its assets; other paths in the package first.
 */
function nextCandidates({ namedFiles }: Step, { brief, calls }: Visit): string[] {
  const folder = posix.dirname(brief.stepFile);
  return namedFiles.slice(0, MAX_INPUTS).flatMap((path) => {
    const rooted = path.replace(/^\{package-root\}\//, '@pkg/');
    const nearby = [folder, posix.dirname(folder)];
    const bases = path.startsWith('.')
      ? [...nearby, '@pkg', '@pkg/assets']
      : ['@pkg', ...nearby, '@pkg/assets'];
    const candidates = (
      rooted.startsWith('@') ? [rooted] : bases.map((base) => posix.join(base, path))
    ).filter((candidate) => candidate.startsWith('@pkg/'));
    const readings = [...new Set(candidates)].map((candidate) => ({
      candidate,
      call: calls.find(({ name, args }) => name === 'fs_read' && args.path === candidate),
    }));
    const isSettled = readings.some(({ call }) => call && (call.result.ok || call.result.code !== 'ENOENT'));
    return isSettled
      ? []
      : readings
          .filter(({ call }) => !call)
          .slice(0, 1)
          .map(({ candidate }) => candidate);
  });
}

function toReading(path: string): PlannedCall {
  return path.endsWith('/')
    ? { name: 'fs_list', args: { path } }
    : { name: 'fs_read', args: { path, endLine: INPUT_LINES } };
}

function ask({ visit, step, offered, words }: Situation): PlannedMove | undefined {
  const { brief, calls } = visit;
  const isMissing = ({ args, result }: MadeCall): boolean =>
    brief.inputs.includes(String(args.path)) && !result.ok && result.code === 'ENOENT';
  const isNeeded =
    brief.waits || step.isHalting || (step.isWaiting && (brief.inputs.length === 0 || calls.some(isMissing)));
  const isAsked = calls.some(({ name }) => name === 'ui_ask_user') || visit.inputs.length > 0;
  if (!isNeeded || calls.some(isWritten)) return undefined;
  if (isAsked) return askAgain(visit, step, words);
  const questions = toQuestions(step, words.step(brief.title), words);
  if (!offered.has('ui_ask_user')) {
    return say(words.waitsFor(brief.title, questions.map(({ prompt }) => prompt).join(' ')));
  }
  return {
    say: words.waits(brief.title),
    calls: [toAsking(step, questions, words)],
  };
}

/** An option that does not lead on would be executed by a model; then the menu is shown again. */
function askAgain({ brief, calls }: Visit, { menu }: Step, words: Words): PlannedMove | undefined {
  const asked = calls.filter(({ name }) => name === 'ui_ask_user');
  const { result } = asked.at(-1) ?? {};
  const answers = result?.ok ? result.value.answers : undefined;
  const option = chosenOption(menu, isObject(answers) ? answers[MENU_ID] : undefined);
  if (!option || leavingOptions(menu, brief.outgoing).includes(option) || asked.length > menu.length)
    return undefined;
  const question = toMenuQuestion(menu, words.optionDone(option.text));
  return {
    say: words.doesOption(option.text),
    calls: [{ name: 'ui_ask_user', args: { questions: [question] } }],
  };
}

const MAX_TRIES = 2;

function writeOutputs(situation: Situation): PlannedMove | undefined {
  const { visit, offered, words } = situation;
  const { brief, calls } = visit;
  const { outputs } = planNode(situation, brief.outgoing);
  const pending = outputs.filter((path) => {
    const since = calls.slice(calls.findLastIndex((call) => isUnchanged(path, call)) + 1);
    const tries = since.filter(({ name, args }) => name === 'fs_write' && args.path === path);
    const isSettled = tries.some(({ result }) => result.ok || result.code === 'TOOL_REFUSED');
    return !isSettled && tries.length < MAX_TRIES;
  });
  if (pending.length === 0) return undefined;
  if (!offered.has('fs_write')) {
    if (canLeave(offered)) return undefined;
    return say(words.cannotWrite(brief.title, pending.join(', ')));
  }
  const facts = placeholderFacts(situation, outputs);
  return {
    say: words.writes(brief.title),
    calls: pending.map((path) => ({
      name: 'fs_write',
      args: {
        path,
        content: toPlaceholder(path, { ...facts, ...revisionOf(path) }, wantedOf(path, situation)),
      },
    })),
  };

  function revisionOf(path: string) {
    return { revision: 1 + calls.filter((call) => isUnchanged(path, call)).length };
  }
}

/** The node was not left because the file is as it was before: an earlier rehearsal wrote the same. */
function isUnchanged(path: string, { result }: MadeCall): boolean {
  const missing = result.ok ? undefined : result.details.missing;
  return (
    Array.isArray(missing) &&
    missing.some((check) => isObject(check) && check.kind === 'change' && check.path === path)
  );
}

/** The checks of an output, whose path has the values of variables by now. */
function wantedOf(path: string, { visit: { brief } }: Situation): ProducedFile | undefined {
  const toPattern = (written: string): RegExp =>
    new RegExp(
      `^${written
        .split(/\{[^{}]*\}/)
        .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    );
  return brief.produced?.find((file) => toPattern(file.path).test(path));
}

function placeholderFacts(situation: Situation, outputs: readonly string[]): PlaceholderFacts {
  const { visit, words } = situation;
  const { brief, calls } = visit;
  const { byId, messages } = readAnswers(visit);
  return {
    words,
    title: brief.title,
    nodeId: brief.nodeId,
    read: brief.inputs.slice(0, MAX_INPUTS).map((path) => ({
      path,
      // An output that is also an input differs on the next visit, so its size is not shown.
      note: outputs.includes(path)
        ? ''
        : describeReading(
            calls.find(({ args }) => args.path === path),
            words,
          ),
    })),
    said: [
      ...Object.entries(byId).map(([about, value]) => ({
        about,
        words: typeof value === 'string' ? value : JSON.stringify(value),
      })),
      ...messages.map((text) => ({ about: words.file.unasked, words: text })),
    ],
  };
}

function describeReading(call: MadeCall | undefined, { file }: Words): string {
  if (!call) return file.notRead;
  const { result } = call;
  if (!result.ok) return result.code === 'ENOENT' ? file.missing : file.unreadable(result.code);
  return typeof result.value.bytes === 'number' ? file.bytes(result.value.bytes) : '';
}

function isWritten({ name, result }: MadeCall): boolean {
  return name === 'fs_write' && result.ok;
}
