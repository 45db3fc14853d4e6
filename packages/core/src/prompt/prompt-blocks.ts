/**
 * The shells in which a model is told where a run is and what a person said. Plain text that people can read in a log; no
 * program reads it back.
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
  /** Of a sub-workflow: the nodes that called it, from the root down. */
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
  /** Mount paths of what came with the command that started the run. */
  readonly inputDocuments?: readonly string[];
  /** Project-relative, known variables filled in. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly allowedNext: readonly AllowedEdge[];
}

const MAX_VARIABLES_CHARS = 2_048;

/** The same beside the text of a request. */
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
    ways: allowedNext.map(({ to, label, isDefault = false, condition }) => ({
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

/** The text of a step, spared the model a turn. */
export function toStepFile(stepPath: string, text: string): string {
  return `STEP_FILE @pkg/${stepPath}\n${text.trimEnd()}\nEND_STEP_FILE`;
}

/** What a person said; bound to a node while there is one. */
export function toUserInput(text: string, nodeId: string | undefined): string {
  return ['USER_INPUT', ...(nodeId === undefined ? [] : [`- forNodeId: ${nodeId}`]), text].join('\n');
}

/** A script of the package that the agent is to follow; it reads the file itself. */
export function toScriptDirective(path: string, intent: Intent): string {
  return [
    'SCRIPT_DIRECTIVE',
    `- script: ${oneLine(path)}`,
    `- intent: ${intent}`,
    'Read the script with fs_read and follow it, as the agent you are. Ask where it says so. Call script_done when it is finished.',
  ].join('\n');
}

/** An instruction of the package that the person chose: a prompt of the agent by its id, or words of the menu. */
export function toActionDirective(action: string, text: string): string {
  return `ACTION_DIRECTIVE\n- action: ${oneLine(action)}\n${text.trim()}\nEND_ACTION_DIRECTIVE`;
}

export interface RunOutcome {
  readonly workflow: string;
  readonly phase: string;
  readonly currentNodeId: string;
  readonly artifacts: readonly string[];
}

/** What an agent is told of a run that the person followed meanwhile. */
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
    'This node called a workflow, which has returned. Do not do its work again. Provide what this step still declares and is missing, then choose where the run goes next.',
  ].join('\n');
}

const MAX_NOTED = 20;

/** Told below the anchor of a node that the run came to in the middle of a reply. */
export function toMoveNote(refusedCalls: readonly string[]): string {
  return `RUNTIME_NOTE\nYour last reply moved the run to this node and then tried to change its state again, which was refused: ${refusedCalls.map(oneLine).join(', ')}. One reply makes one move. Do this step first, then decide again.`;
}

/** Told below the anchor of a node that a person took the run back to. */
export const REWIND_NOTE =
  'RUNTIME_NOTE\nThe person took the run back to this node and wants it done again from its beginning. What was written since may still be there or may have been put back: look before you rely on it.';

/** A file that a person's undo or redo changed, as it is now. */
export interface MovedFile {
  readonly path: string;
  readonly direction: 'undo' | 'redo';
  readonly outcome: 'restored' | 'deleted' | 'recreated';
}

/** Told before the next turn. */
export function toMovedNote(files: readonly MovedFile[]): string {
  const more = files.length - MAX_NOTED;
  return [
    'RUNTIME_NOTE\nSince your last turn the person undid or redid changes of yours. Do not make them again unasked, and look at these files before you rely on them:',
    ...files.slice(0, MAX_NOTED).map((file) => `- ${oneLine(file.path)}: ${toMovedWords(file)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n');
}

export function toPartialReplyNote(text: string): string {
  const shown = text.length > MAX_PARTIAL ? `…${text.slice(-MAX_PARTIAL)}` : text;
  return `RUNTIME_NOTE\nYour previous reply was cut off before it was complete. The person has seen this part of it; the rest was not sent. Do not repeat it word for word:\n<<<\n${shown}\n>>>`;
}

const MAX_PARTIAL = 4_000;

function toMovedWords({ direction, outcome }: MovedFile): string {
  if (outcome === 'deleted') return direction === 'undo' ? 'undone, no longer there' : 'deleted again';
  return direction === 'undo' ? 'undone, as it was before your change' : 'done again, as you left it';
}

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
    `label=${toWord(label)}`,
    ...(isDefault ? ['default'] : []),
    ...(condition === undefined ? [] : [`condition=${condition}`]),
    ...(conditionText === undefined ? [] : [`when=${toWord(shorten(conditionText))}`]),
  ];
  return `  - ${to} (${facts.join(', ')})`;
}

/** The step says the same in full. */
const MAX_CONDITION = 160;

function shorten(text: string): string {
  return text.length > MAX_CONDITION ? `${text.slice(0, MAX_CONDITION)}…` : text;
}

/** As it is where it cannot be misread, else as a JSON string. */
function toWord(text: string): string {
  return /^[^\s,()"=](?:[^,()"\r\n]*[^\s,()"])?$/.test(text) ? text : JSON.stringify(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
