/**
 * Leaves a node with one state change, in the form that the available tools accept. A rejected change is corrected
 * once. Pure.
 */

import { isObject } from '@crewagent/protocol/json-object';
import type { NodeFacts, OutgoingEdge } from '../request-facts.ts';
import type { JsonRecord } from '../untrusted-json.ts';
import { isRevisit } from './choose-edge.ts';
import { type NodePlan, planNode, type Situation, STATE_PATH } from './plan.ts';
import type { MadeCall } from './visit.ts';

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
  const { visit, offered } = situation;
  const { brief, recentCalls } = visit;
  if (!canLeave(offered)) {
    return say(`Rehearsal: "${brief.title}" is done, but the run cannot continue in this mode.`);
  }
  const rejections = recentCalls.filter(isStateChange).flatMap(({ result }) => (result.ok ? [] : [result]));
  const last = rejections.at(-1);
  if (last && (rejections.length >= MAX_REJECTIONS || FINAL.includes(last.code))) {
    return say(`Rehearsal: "${brief.title}" could not be left (${last.code}). ${last.message}`);
  }
  const plan = planNode(situation, toEdges(last?.details.allowedNext) ?? brief.outgoing);
  const isStrict = offered.has('runtime_complete_node');
  return {
    say: `Rehearsal: "${brief.title}" is done${plan.choice ? `, continuing with ${plan.choice.edge.to}` : ''}.`,
    calls: [isStrict ? toCompletion(brief, plan) : toStatePatch(brief, plan)],
  };
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

function toCompletion(brief: NodeFacts, { choice, variables }: NodePlan): PlannedCall {
  const decision = choice && { label: choice.edge.label, reason: choice.reason };
  return {
    name: 'runtime_complete_node',
    args: {
      nodeId: brief.nodeId,
      ...(choice ? { next: choice.edge.to } : {}),
      ...(isEmpty(variables) ? {} : { variables }),
      ...(decision && isDecision(brief) ? { decision } : {}),
    },
  };
}

function toStatePatch(brief: NodeFacts, { choice, variables }: NodePlan): PlannedCall {
  const { nodeId: from } = brief;
  const entry = choice && { from, to: choice.edge.to, label: choice.edge.label, reason: choice.reason };
  const update = {
    ...(isRevisit(brief) ? {} : { stepsCompleted: { append: [from] } }),
    ...(isEmpty(variables) ? {} : { variables: { set: variables } }),
    ...(entry && isDecision(brief) ? { decisionLog: { append: [entry] } } : {}),
    ...(choice ? { currentNodeId: { set: choice.edge.to } } : {}),
  };
  const patches = [{ operation: 'updateFrontmatter', update }];
  return { name: 'fs_apply_patch', args: { path: STATE_PATH, patches } };
}

/** With several edges, the log must record which one was chosen, so that choices can be counted. */
function isDecision({ type, outgoing }: NodeFacts): boolean {
  return type === 'decision' || outgoing.length > 1;
}

function isEmpty(values: JsonRecord): boolean {
  return Object.keys(values).length === 0;
}
