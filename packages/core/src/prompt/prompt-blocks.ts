/**
 * Blocks that give a model the position of a run and the user's input. Plain text that people can read in a log; no
 * program parses it.
 */
import type { NodeFacts } from '../llm/request-facts.ts';
import type { AllowedEdge } from '../workflow/transition.ts';

export type Intent = 'start' | 'continue' | 'resume';

export interface RunDirective {
  readonly intent: Intent;
  readonly workflow: string;
  /** Path of the graph inside the package. */
  readonly graphPath: string;
  readonly artifactsDir: string;
  readonly currentNodeId: string;
  readonly effectiveAgentId: string;
  readonly autopilot: boolean;
  /** For a sub-workflow: the nodes that called it, from the root down. */
  readonly calledFrom?: readonly string[] | undefined;
}

export function toRunDirective(directive: RunDirective): string {
  return [
    'RUN_DIRECTIVE',
    '- runType: bmad-micro',
    `- intent: ${directive.intent}`,
    `- workflow: ${oneLine(directive.workflow)}`,
    '- state: @state/workflow.md',
    `- graph: @pkg/${directive.graphPath}`,
    `- artifactsRoot: @project/${directive.artifactsDir}/`,
    `- currentNodeId: ${directive.currentNodeId}`,
    `- effectiveAgentId: ${directive.effectiveAgentId}`,
    `- autopilot: ${directive.autopilot}`,
    ...(directive.calledFrom
      ? [
          `- depth: ${directive.calledFrom.length}`,
          `- calledFrom: ${directive.calledFrom.map(oneLine).join(' > ')}`,
        ]
      : []),
  ].join('\n');
}

export interface NodeBrief {
  readonly nodeId: string;
  readonly title: string;
  readonly type: string;
  /** Path of the step inside the package. */
  readonly stepPath: string;
  readonly stepsCompleted: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  /** Mount paths of the documents that the run was started with. */
  readonly inputDocuments?: readonly string[];
  /** Relative to the project, with known variables filled in. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly allowedNext: readonly AllowedEdge[];
}

const MAX_VARIABLES_CHARS = 2_048;

/** The same facts in structured form. */
export function toNodeFacts(brief: NodeBrief, stepText: string | undefined): NodeFacts {
  const { nodeId, title, type, stepPath, stepsCompleted, variables, inputs, outputs, allowedNext } = brief;
  return {
    nodeId,
    title: oneLine(title) || nodeId,
    type,
    stepFile: `@pkg/${stepPath}`,
    stepText,
    stepsCompleted,
    variables: JSON.stringify(variables).length > MAX_VARIABLES_CHARS ? undefined : variables,
    inputs: inputs.map(toProjectPath),
    outputs: outputs.map(toProjectPath),
    outgoing: allowedNext.map(({ to, label, isDefault = false, condition }) => ({
      to,
      label,
      isDefault,
      isMet: condition === true,
    })),
  };
}

export function toNodeBrief(brief: NodeBrief): string {
  const variables = JSON.stringify(brief.variables);
  return [
    'NODE_BRIEF',
    `- currentNodeId: ${brief.nodeId}`,
    `- title: ${oneLine(brief.title)}`,
    `- type: ${brief.type}`,
    `- stepFile: @pkg/${brief.stepPath}`,
    `- stepsCompleted: ${brief.stepsCompleted.join(', ') || 'none'}`,
    `- variables: ${variables.length > MAX_VARIABLES_CHARS ? 'see @state/workflow.md' : variables}`,
    ...toInputDocuments(brief.inputDocuments ?? []),
    ...toFileMap('inputsMap', brief.inputs),
    ...toFileMap('outputsMap', brief.outputs),
    ...(brief.allowedNext.length > 0 ? ['- allowedNext:', ...brief.allowedNext.map(toEdge)] : []),
  ].join('\n');
}

export const MAX_STEP_BYTES = 65_536;

/** The text of a step, which saves the model a turn. */
export function toStepFile(stepPath: string, text: string): string {
  return `STEP_FILE @pkg/${stepPath}\n${text.trimEnd()}\nEND_STEP_FILE`;
}

/** Input of the user; bound to the current node, if there is one. */
export function toUserInput(text: string, nodeId: string | undefined): string {
  return ['USER_INPUT', ...(nodeId === undefined ? [] : [`- forNodeId: ${nodeId}`]), text].join('\n');
}

/** A script of the package for the agent to follow; the agent reads the file itself. */
export function toScriptDirective(path: string, intent: Intent): string {
  return [
    'SCRIPT_DIRECTIVE',
    `- script: ${oneLine(path)}`,
    `- intent: ${intent}`,
    'Read the script with fs_read and follow it in your role. Ask the user where it says so. Call script_done when it is finished.',
  ].join('\n');
}

/** An instruction of the package that the user chose: a prompt of the agent, or the text of a menu item. */
export function toActionDirective(action: string, text: string): string {
  return `ACTION_DIRECTIVE\n- action: ${oneLine(action)}\n${text.trim()}\nEND_ACTION_DIRECTIVE`;
}

export interface RunOutcome {
  readonly workflow: string;
  readonly phase: string;
  readonly currentNodeId: string;
  readonly artifacts: readonly string[];
}

/** Tells an agent the outcome of a run of its conversation. */
export function toRunNote({ workflow, phase, currentNodeId, artifacts }: RunOutcome): string {
  const shown = artifacts.slice(-MAX_NOTED).map(oneLine);
  return [
    'RUN_NOTE',
    `- workflow: ${oneLine(workflow)}`,
    `- phase: ${phase}`,
    `- node: ${oneLine(currentNodeId)}`,
    `- artifacts: ${shown.join(', ') || 'none'}`,
  ].join('\n');
}

export interface CallOutcome {
  readonly nodeId: string;
  readonly title: string;
  readonly outcome: string;
  readonly artifacts: readonly string[];
  readonly returned: Readonly<Record<string, unknown>>;
}

/** The outcome of the workflow that a node called, for a model that decides on the next node. */
export function toCallResult({ nodeId, title, outcome, artifacts, returned }: CallOutcome): string {
  const values = JSON.stringify(returned);
  const shown = artifacts.slice(-MAX_NOTED).map(oneLine);
  return [
    'CALL_RESULT',
    `- workflow: ${oneLine(title)}`,
    `- outcome: ${outcome}`,
    `- artifacts: ${shown.join(', ') || 'none'}`,
    `- returned: ${values.length > MAX_VARIABLES_CHARS ? `see variables.${nodeId}` : values}`,
    'This node called a workflow, which has returned. Do not repeat its work. Provide what this step declares and is still missing, then choose the next node.',
  ].join('\n');
}

const MAX_NOTED = 20;

function toInputDocuments(paths: readonly string[]): string[] {
  return paths.length === 0 ? [] : [`- inputDocuments: ${paths.map(oneLine).join(', ')}`];
}

function toFileMap(name: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`- ${name}:`, ...paths.map((path) => `  - ${oneLine(path)} -> ${oneLine(toProjectPath(path))}`)];
}

function toProjectPath(path: string): string {
  return path.startsWith('@') ? path : `@project/${path.replace(/^(?:\.\/+)+/, '')}`;
}

function toEdge({ to, label, isDefault, condition, conditionText }: AllowedEdge): string {
  const facts = [
    `label=${toToken(label)}`,
    ...(isDefault ? ['default'] : []),
    ...(condition === undefined ? [] : [`condition=${condition}`]),
    ...(conditionText === undefined ? [] : [`when=${toToken(shorten(conditionText))}`]),
  ];
  return `  - ${to} (${facts.join(', ')})`;
}

/** The step says the same in full. */
const MAX_CONDITION = 160;

function shorten(text: string): string {
  return text.length > MAX_CONDITION ? `${text.slice(0, MAX_CONDITION)}…` : text;
}

/** As it is where it cannot be misread, else as a JSON string. */
function toToken(text: string): string {
  return /^[^\s,()"=](?:[^,()"\r\n]*[^\s,()"])?$/.test(text) ? text : JSON.stringify(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
