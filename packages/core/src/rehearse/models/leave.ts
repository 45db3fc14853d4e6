/**
 * Leaves a node: plans the edge, the variables and the output paths, and makes one state change in the form that the available
 * tools accept. A rejected change is corrected once. Pure.
 */
import { isObject } from '@crewagent/protocol/json-object';
import { withoutLineNumbers } from '@crewagent/protocol/numbered-lines';
import { chosenOption } from '../../base/letter-menu.ts';
import type { OutgoingEdge } from '../../llm/request-facts.ts';
import type { JsonRecord } from '../../llm/untrusted-json.ts';
import {
  type Choice,
  type ChooseEdge,
  chooseEdge,
  isRevisit,
  type LeftNode,
  type MayRepeat,
} from './choose-edge.ts';
import { type Step, splitDocument } from './step.ts';
import { toOutputPaths, toVariables } from './variables.ts';
import { type MadeCall, readAnswers, type Visit } from './visit.ts';
import type { Words } from './words.ts';

export interface PlannedMove {
  readonly say: string;
  readonly calls: readonly PlannedCall[];
}

export interface PlannedCall {
  readonly name: string;
  readonly args: JsonRecord;
}

const MAX_REJECTIONS = 2;
/** Errors that a retry cannot fix. */
const FINAL: readonly string[] = ['TOOL_REFUSED', 'STATE_CHANGE_REQUIRES_CONFIRMATION'];

export function leaveNode(situation: Situation): PlannedMove {
  const { visit, offered, words } = situation;
  const { brief, recentCalls } = visit;
  if (!canLeave(offered)) {
    return say(words.cannotContinue(brief.title));
  }
  const rejections = recentCalls.filter(isStateChange).flatMap(({ result }) => (result.ok ? [] : [result]));
  const last = rejections.at(-1);
  if (last && (rejections.length >= MAX_REJECTIONS || FINAL.includes(last.code))) {
    return say(words.notLeft(brief.title, last.code, last.message));
  }
  const plan = planNode(situation, toEdges(last?.details.allowedNext) ?? brief.outgoing);
  const isStrict = offered.has('runtime_complete_node');
  return {
    say: words.done(brief.title, chosenLabel(brief, plan.choice)),
    calls: [isStrict ? toCompletion(brief, plan) : toStatePatch(brief, plan)],
  };
}

/** In the author's words: a request has no titles of other nodes, and people do not know ids. */
function chosenLabel({ outgoing }: LeftNode, choice: Choice | undefined): string | undefined {
  return choice && outgoing.length > 1 && choice.edge.label !== '' ? choice.edge.label : undefined;
}

export function canLeave(offered: ReadonlySet<string>): boolean {
  return offered.has('runtime_complete_node') || offered.has('fs_apply_patch');
}

export function isStateChange({ name, args }: MadeCall): boolean {
  return name === 'runtime_complete_node' || (name === 'fs_apply_patch' && args.path === STATE_PATH);
}

/** A reply without calls, which stops the run. */
export function say(text: string): PlannedMove {
  return { say: text, calls: [] };
}

/** The edges that a rejection lists. */
function toEdges(allowedNext: unknown): OutgoingEdge[] | undefined {
  if (!Array.isArray(allowedNext)) return undefined;
  return allowedNext
    .filter(isObject)
    .flatMap(({ to, label, isDefault, condition }) =>
      typeof to === 'string' && typeof label === 'string'
        ? [{ to, label, isDefault: isDefault === true, isMet: condition === true }]
        : [],
    );
}

/** What leaving a node needs of its plan. */
export type Departure = Pick<NodePlan, 'choice' | 'variables'>;

export function toCompletion(node: LeftNode, { choice, variables }: Departure): PlannedCall {
  return {
    name: 'runtime_complete_node',
    args: {
      nodeId: node.nodeId,
      next: choice?.edge.to,
      variables: isEmpty(variables) ? undefined : variables,
      decision: choice && isDecision(node) ? { label: choice.edge.label, reason: choice.reason } : undefined,
    },
  };
}

export function toStatePatch(node: LeftNode, { choice, variables }: Departure): PlannedCall {
  const { nodeId: from } = node;
  const entry = choice && { from, to: choice.edge.to, label: choice.edge.label, reason: choice.reason };
  const update = {
    stepsCompleted: isRevisit(node) ? undefined : { append: [from] },
    variables: isEmpty(variables) ? undefined : { set: variables },
    decisionLog: entry && isDecision(node) ? { append: [entry] } : undefined,
    currentNodeId: choice && { set: choice.edge.to },
  };
  const patches = [{ operation: 'updateFrontmatter', update }];
  return { name: 'fs_apply_patch', args: { path: STATE_PATH, patches } };
}

/** With several edges, the log must record which one was chosen, so that choices can be counted. */
function isDecision({ type, outgoing }: LeftNode): boolean {
  return type === 'decision' || outgoing.length > 1;
}

function isEmpty(values: JsonRecord): boolean {
  return Object.keys(values).length === 0;
}

export interface RehearsalOptions {
  readonly choose?: ChooseEdge;
  readonly mayRepeat?: MayRepeat | undefined;
}

export interface Situation {
  readonly visit: Visit;
  readonly step: Step;
  /** Wire names of the available tools. */
  readonly offered: ReadonlySet<string>;
  readonly options: RehearsalOptions;
  readonly words: Words;
}

interface NodePlan {
  /** Undefined if no edge leads on. */
  readonly choice: Choice | undefined;
  readonly variables: JsonRecord;
  readonly outputs: readonly string[];
}

export const STATE_PATH = '@state/workflow.md';

/**
 * The edge, the variables and the output paths depend on each other: an edge label may become a value, and a value may be
 * part of a path.
 */
export function planNode(situation: Situation, outgoing: readonly OutgoingEdge[]): NodePlan {
  const { visit, step, options, words } = situation;
  const { brief } = visit;
  const state = readState(visit);
  const answers = readAnswers(visit);
  const choice = chooseEdge({
    brief,
    outgoing,
    decisions: Array.isArray(state.decisionLog) ? state.decisionLog : [],
    answers: [...Object.values(answers.byId), ...answers.messages].flatMap((answer) => {
      const option = chosenOption(step.menu, answer);
      return option ? [option.text, option.code] : [answer];
    }),
    choose: options.choose,
    mayRepeat: options.mayRepeat,
    because: words.because,
  });
  const known = brief.variables ?? (isObject(state.variables) ? state.variables : {});
  const facts = { brief, step, known, answers, label: choice?.edge.label };
  const variables = toVariables(facts);
  return { choice, variables, outputs: toOutputPaths(facts, variables) };
}

/** The state document as read in this visit; empty if it was not read or too large for one result. */
function readState({ calls }: Visit): JsonRecord {
  const read = calls.findLast(
    ({ name, args, result }) => name === 'fs_read' && args.path === STATE_PATH && result.ok,
  );
  const content = read?.result.ok ? read.result.value.content : undefined;
  return typeof content === 'string' ? splitDocument(withoutLineNumbers(content)).fields : {};
}
