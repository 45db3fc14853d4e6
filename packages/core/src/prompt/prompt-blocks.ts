/**
 * Blocks that give a model the position of a run and the user's input. Plain text that people can read in a log; no
 * program parses it.
 */

import type { EventOf } from '@crewagent/protocol/events';
import type { NodeProof, ProducedFile } from '@crewagent/protocol/proof';
import { type NodeFacts, toProjectPath } from '../llm/request-facts.ts';
import { recentItems } from '../workflow/recent-items.ts';
import type { AllowedEdge } from '../workflow/transition.ts';
import { oneLine, quoteBlocks } from './quote-blocks.ts';
import { toSaidLines } from './said-lines.ts';
import { toStepText } from './step-text.ts';

export type Intent = 'start' | 'continue' | 'resume';

export interface RunDirective {
  readonly intent: Intent;
  readonly workflow: string;
  readonly artifactsDir: string;
  /** For a sub-workflow: the nodes that called it, from the root down. */
  readonly calledFrom?: readonly string[] | undefined;
}

export function toRunDirective(directive: RunDirective): string {
  return [
    'RUN_DIRECTIVE',
    `- intent: ${directive.intent}`,
    `- workflow: ${oneLine(directive.workflow)}`,
    `- artifactsRoot: @project/${directive.artifactsDir}/`,
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
  /** Names of the variables that the node sets. */
  readonly setsVariables?: readonly string[] | undefined;
  readonly allowedNext: readonly AllowedEdge[];
  /** Checked when the node is left. */
  readonly proof?: NodeProof | undefined;
}

const MAX_VARIABLES_CHARS = 2_048;

/** The same facts in structured form. */
export function toNodeFacts(brief: NodeBrief, stepText: string | undefined): NodeFacts {
  const { nodeId, title, type, stepPath, stepsCompleted, variables, inputs, outputs, allowedNext } = brief;
  // A glob needs one file of any name.
  const produced = (brief.proof?.produces ?? []).map((file) => ({
    ...file,
    path: file.path.replaceAll('**/', '').replaceAll('*', 'rehearsal'),
  }));
  return {
    nodeId,
    title: oneLine(title) || nodeId,
    type,
    stepFile: `@pkg/${stepPath}`,
    stepText,
    stepsCompleted,
    variables: JSON.stringify(variables).length > MAX_VARIABLES_CHARS ? undefined : variables,
    inputs: inputs.map(toProjectPath),
    outputs: [...new Set([...outputs, ...produced.map(({ path }) => path)].map(toProjectPath))],
    produced: produced.map((file) => ({ ...file, path: toProjectPath(file.path) })),
    waits: brief.proof?.waits !== undefined,
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
    `- stepsCompleted: ${describeSteps(brief) || 'none'}`,
    `- variables: ${variables.length > MAX_VARIABLES_CHARS ? 'see @state/workflow.md' : variables}`,
    ...toNames('inputDocuments', brief.inputDocuments ?? []),
    ...toFileMap('inputsMap', brief.inputs),
    ...toFileMap('outputsMap', brief.outputs),
    ...toNames('setsVariables', brief.setsVariables ?? []),
    ...toChecks(brief.proof),
    ...(brief.allowedNext.length > 0 ? ['- allowedNext:', ...brief.allowedNext.map(toEdge)] : []),
  ].join('\n');
}

const MAX_CHECKS_BYTES = 300;

/** Compact: a refusal says what is missing in full. */
function toChecks(proof: NodeProof | undefined): string[] {
  if (!proof) return [];
  const lines = [
    ...(proof.waits ? ['  - the user answers in this step'] : []),
    ...proof.produces.map((file) => `  - ${oneLine(file.path)}: ${toDemands(file).join(', ')}`),
    ...proof.consumes
      .filter(({ mustRead }) => mustRead)
      .map(({ path }) => `  - read ${oneLine(path)} before you write`),
    ...proof.verify.map(({ run, expect }) => `  - ${oneLine(run)} ends with ${expect}`),
  ];
  if (lines.length === 0) return [];
  const all = ['- checkedOnLeaving:', ...lines].join('\n');
  return [Buffer.byteLength(all) < MAX_CHECKS_BYTES ? all : `${clipBytes(all, MAX_CHECKS_BYTES - 4)}…`];
}

function toDemands({
  mustChange,
  count,
  headings,
  minWords,
  schema,
  columns,
  contains,
  notContains,
}: ProducedFile) {
  const listed = (texts: readonly string[]): string => texts.map((text) => oneLine(text)).join(' | ');
  return [
    mustChange ? 'written in this step' : 'exists',
    ...(count.max > 1 ? [`${count.min} to ${count.max} files`] : []),
    ...(minWords === undefined ? [] : [`${minWords} words or more`]),
    ...(notContains ? [`without ${listed(notContains)}`] : []),
    ...(contains ? [`with ${listed(contains)}`] : []),
    ...(schema ? [`matches @pkg/${schema.path}`] : []),
    ...(columns ? [`columns ${listed(columns)}`] : []),
    ...(headings ? [`headings ${listed(headings.map(withoutPlaceholders))}`] : []),
  ];
}

/** A placeholder of a template stands for any text, and must not be copied. */
function withoutPlaceholders(heading: string): string {
  return heading.replace(/\{\{[^{}]*\}\}|\{[^{}]*\}/g, '…');
}

function clipBytes(text: string, bytes: number): string {
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\uFFFD$/, '');
}

export const MAX_STEP_BYTES = 65_536;

/** The text of a step, which saves the model a turn. */
export function toStepFile(stepPath: string, text: string): string {
  return `STEP_FILE @pkg/${stepPath}\n${quoteBlocks(toStepText(text).trimEnd())}\nEND_STEP_FILE`;
}

/** Input of the user; bound to the current node, if there is one. */
export function toUserInput(text: string, nodeId: string | undefined): string {
  return ['USER_INPUT', ...(nodeId === undefined ? [] : [`- forNodeId: ${nodeId}`]), quoteBlocks(text)].join(
    '\n',
  );
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
  return `ACTION_DIRECTIVE\n- action: ${oneLine(action)}\n${quoteBlocks(text.trim())}\nEND_ACTION_DIRECTIVE`;
}

export interface RunOutcome {
  readonly workflow: string;
  readonly phase: string;
  readonly currentNodeId: string;
  readonly artifacts: readonly string[];
  /** What the user said and answered in the run. */
  readonly said?: readonly string[];
}

/** Tells an agent the outcome of a run of its conversation. */
export function toRunNote({ workflow, phase, currentNodeId, artifacts, said = [] }: RunOutcome): string {
  const shown = artifacts.slice(-MAX_NOTED).map(oneLine);
  return [
    'RUN_NOTE',
    `- workflow: ${oneLine(workflow)}`,
    `- phase: ${phase}`,
    `- node: ${oneLine(currentNodeId)}`,
    `- artifacts: ${shown.join(', ') || 'none'}`,
    ...toSaidLines(said.map((words) => ({ by: 'the user', words }))),
  ].join('\n');
}

type CallOutcome = Pick<EventOf<'call.ended'>, 'nodeId' | 'title' | 'outcome' | 'artifacts' | 'returned'>;

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

function toNames(name: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`- ${name}: ${values.map(oneLine).join(', ')}`];
}

function toFileMap(name: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  return [`- ${name}:`, ...paths.map((path) => `  - ${oneLine(path)} -> ${oneLine(toProjectPath(path))}`)];
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

export type PrefetchedEntry =
  /** `content`: the result of the call, as JSON. */
  | { readonly args: { readonly path: string }; readonly content: string }
  | { readonly path: string; readonly note: string };

/**
 * Files that are sent with a node, as results of reads that the model need not make. Each result is one line of JSON, so that
 * nothing in a file can be mistaken for text of the runtime.
 */
export function toPrefetchedBlock(entries: readonly PrefetchedEntry[]): string {
  return ['PREFETCHED', HOW_TO_USE, ...entries.map(toPrefetchedLine), 'END_PREFETCHED'].join('\n');
}

const HOW_TO_USE =
  'What these files and folders contained when this node began. Use it as if you had made the calls; read a file again only if it has changed since.';

export function toPrefetchedLine(entry: PrefetchedEntry): string {
  return 'note' in entry
    ? `- ${toLine(JSON.stringify(entry.path))}: ${toLine(entry.note)}`
    : `- fs_read ${toLine(JSON.stringify(entry.args))} -> ${toLine(entry.content)}`;
}

/** JSON without raw line separators and invisible characters; joiners are part of ordinary text. */
function toLine(json: string): string {
  return json.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** The last ones; the node itself is named whenever it is completed, because a model must know that it is there again. */
function describeSteps({ nodeId, stepsCompleted }: Pick<NodeBrief, 'nodeId' | 'stepsCompleted'>): string {
  const { items, omitted } = recentItems(stepsCompleted);
  const isOmitted = !items.includes(nodeId) && stepsCompleted.includes(nodeId);
  const earlier = omitted > 0 ? [`(${omitted} earlier ones are in @state/workflow.md)`] : [];
  return [...earlier, ...(isOmitted ? [nodeId] : []), ...items].join(', ');
}
