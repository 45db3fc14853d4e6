/**
 * Plans leaving a node: the chosen edge, the variables, the output paths. They depend on each other: an edge label
 * may become a value, and a value may be part of a path. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import type { Question } from '@crewagent/protocol/tools';
import { chosenOption } from '../../base/letter-menu.ts';
import type { OutgoingEdge } from '../request-facts.ts';
import type { JsonRecord } from '../untrusted-json.ts';
import { type Answers, readAnswers, toQuestions } from './answers.ts';
import { type Choice, type ChooseEdge, chooseEdge } from './choose-edge.ts';
import { type Step, splitDocument } from './step.ts';
import { toOutputPaths, toVariables } from './variables.ts';
import type { Visit } from './visit.ts';

export interface RehearsalOptions {
  readonly choose?: ChooseEdge;
  /** Answers in place of the person, who is then not asked. */
  readonly answers?: (nodeId: string, questions: readonly Question[]) => JsonRecord | undefined;
}

export interface Situation {
  readonly visit: Visit;
  readonly step: Step;
  /** Wire names of the available tools. */
  readonly offered: ReadonlySet<string>;
  readonly options: RehearsalOptions;
}

export interface NodePlan {
  /** Undefined if no edge leads on. */
  readonly choice: Choice | undefined;
  readonly variables: JsonRecord;
  readonly outputs: readonly string[];
}

export const STATE_PATH = '@state/workflow.md';

export function planNode(situation: Situation, outgoing: readonly OutgoingEdge[]): NodePlan {
  const { visit, step, options } = situation;
  const { brief } = visit;
  const state = readState(visit);
  const answers = answersFor(situation);
  const choice = chooseEdge({
    brief,
    outgoing,
    decisions: Array.isArray(state.decisionLog) ? state.decisionLog : [],
    answers: [...Object.values(answers.byId), ...answers.messages].flatMap((answer) => {
      const option = chosenOption(step.menu, answer);
      return option ? [option.text, option.code] : [answer];
    }),
    choose: options.choose,
  });
  const known = brief.variables ?? (isObject(state.variables) ? state.variables : {});
  const facts = { brief, step, known, answers, label: choice?.edge.label };
  const variables = toVariables(facts);
  return { choice, variables, outputs: toOutputPaths(facts, variables) };
}

/** The person's answers, or those of `options.answers`. */
export function answersFor({ visit, step, options }: Situation): Answers {
  const fromPerson = readAnswers(visit);
  if (fromPerson) return fromPerson;
  const { nodeId, title } = visit.brief;
  const byId = step.isWaiting ? options.answers?.(nodeId, toQuestions(step, `step "${title}"`)) : undefined;
  return { byId: byId ?? {}, messages: [] };
}

/** The state document as read in this visit; empty if it was not read or too large for one result. */
function readState({ calls }: Visit): JsonRecord {
  const read = calls.findLast(
    ({ name, args, result }) => name === 'fs_read' && args.path === STATE_PATH && result.ok,
  );
  const content = read?.result.ok ? read.result.value.content : undefined;
  return typeof content === 'string' ? splitDocument(withoutLineNumbers(content)).fields : {};
}
