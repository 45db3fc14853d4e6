/**
 * Decides whether a proposed state document is a legal change of the current one: schema, transition, outputs, consent. A legal
 * proposal is completed with the entries that the model omitted.
 */
import { type CheckResult, isUnmet } from '@crewagent/protocol/proof';
import type { ToolError } from '@crewagent/protocol/tools';
import type { Decision, WorkflowGraph } from '@crewagent/protocol/workflow';
import type { MountedFs } from '../../mounts/mounted-fs.ts';
import type { VersionedText } from '../../mounts/versioned-text.ts';
import { tidyLists } from '../../workflow/tidy-lists.ts';
import { allowedNext, effectiveNode, isComplete, validateTransition } from '../../workflow/transition.ts';
import {
  type EditedText,
  editStateLists,
  setCallStack,
  updateStateText,
} from '../../workflow/update-state.ts';
import {
  MAX_STATE_CHARS,
  pathValuesOf,
  readWorkflowState,
  STATE_TOO_LONG,
  type WorkflowState,
} from '../../workflow/workflow-state.ts';
import type { Judgement, JudgeOptions } from '../proof/judge-node.ts';
import type { ToolFact } from '../tool.ts';
import {
  type DeclaredResults,
  findResultIssues,
  hasIssues,
  type ResultIssues,
  toMissingError,
  toNotes,
} from './node-outputs.ts';
import { consentRequiredError, toDeniedError, toUnprovedError } from './state-errors.ts';
import type { StateDocument } from './state-file.ts';

/** A validated change. */
export interface StateChange {
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** The new text: the proposal, completed by the runtime. */
  readonly text: string;
  readonly state: WorkflowState;
  readonly notes: readonly string[];
  /** Declared outputs of the completed node that do not exist. */
  readonly outputsMissing: readonly string[];
  /** Declared outputs that are from before this run. */
  readonly outputsKept: readonly string[];
  /** The checks of the node that is left. */
  readonly judgement?: Judgement | undefined;
  /** Ids of checks that are not met; a person leaves the node all the same. */
  readonly waives: readonly string[];
  readonly base: StateDocument;
  /** Note of the model for later nodes. */
  readonly carry?: string;
}

export type ChangeValidation =
  | { readonly ok: true; readonly change: StateChange }
  | { readonly ok: false; readonly error: ToolError };

export interface StateGateSources {
  readonly document: VersionedText;
  /** For outputs of nodes. */
  readonly files: MountedFs;
  readonly graph: WorkflowGraph;
  readonly now: () => Date;
  /** What a node declares to leave behind; outputs are project-relative paths. */
  resultsOf(nodeId: string): DeclaredResults;
  /** Whether this run wrote a file, given by its full mount path. */
  wasWritten(path: string): boolean;
  /** Judges the checks of a node; undefined if its step declares none. */
  judge?(nodeId: string, state: WorkflowState, options?: JudgeOptions): Promise<Judgement | undefined>;
  /** Stores the checks of a node that is about to be left, before the document changes. */
  recordProof?(nodeId: string, judgement: Judgement, waives: readonly string[]): Promise<void>;
  /** Whether the hooks let a run that may leave the node do so. */
  beforeLeave?(from: string, to: string, signal?: AbortSignal): Promise<LeaveVerdict | undefined>;
  readonly strictOutputs: boolean;
  /** Whether a user allowed one change after completion that has not been made yet. */
  hasConsent(): boolean;
  /** Whether the model was already warned that this move leaves outputs missing; repeating the move is accepted. */
  wasMissingReported(from: string, to: string): boolean;
  onFact(fact: ToolFact): void;
}

export interface LeaveVerdict {
  readonly denial?: string | undefined;
  /** What hooks say besides, for the model. */
  readonly notes: readonly string[];
}

type ValidTransition = Extract<ReturnType<typeof validateTransition>, { readonly ok: true }>;
type TidyState = Extract<ReturnType<typeof tidyLists>, { readonly ok: true }>;

export interface ValidateOptions {
  /** A user may leave a node without its outputs, and is not asked twice. */
  readonly isPerson?: true;
  /** Stops the commands of `verify`. */
  readonly signal?: AbortSignal;
}

export async function validateChange(
  base: StateDocument,
  proposal: string,
  sources: StateGateSources,
  { isPerson, signal }: ValidateOptions = {},
): Promise<ChangeValidation> {
  const { graph, now } = sources;
  const parsed = await readWorkflowState(proposal);
  if (!parsed.ok) return reject(parsed.error, base, graph);
  const before = base.state;
  if (isComplete(before, graph) && !sources.hasConsent()) return reject(consentRequiredError(), base, graph);
  const target = effectiveNode(parsed.state, graph);
  const tidy = tidyLists(before, parsed.state, graph);
  if (!tidy.ok) {
    const details = { field: 'decisionLog' };
    const error: ToolError = { code: 'E_INVALID_TRANSITION', message: tidy.message, details };
    return rejectMove(error, base, target, sources);
  }
  const verdict = validateTransition(before, tidy.state, graph, now().toISOString());
  if (!verdict.ok) {
    const { code, message, field } = verdict;
    return rejectMove({ code, message, details: { field } }, base, target, sources);
  }
  const { from, to, edge } = verdict;
  // The last node is never left; it is done when the workflow is complete.
  const isDone = edge !== undefined || (!isComplete(before, graph) && isComplete(tidy.state, graph));
  const judgement = isDone ? await sources.judge?.(from, tidy.state, { signal }) : undefined;
  if (signal?.aborted) return reject(STOPPED, base, graph);
  const unmet = judgement?.checks.filter(isUnmet) ?? [];
  if (unmet.length > 0 && !isPerson)
    return rejectMove(toUnprovedError(from, unmet), base, to, sources, unmet);
  const issues = isDone ? await findIssues(from, tidy.state, judgement, sources) : NO_ISSUES;
  const isBlocked = sources.strictOutputs || !(isPerson || sources.wasMissingReported(from, to));
  if (hasIssues(issues) && isBlocked)
    return rejectMove(toMissingError(from, issues, sources.strictOutputs), base, to, sources);
  // Last: nobody is asked about a move that is not legal.
  const asked = isDone && !isPerson ? await sources.beforeLeave?.(from, to, signal) : undefined;
  if (signal?.aborted) return reject(STOPPED, base, graph);
  if (asked?.denial !== undefined)
    return rejectMove(toDeniedError(from, asked.denial, asked.notes), base, to, sources);
  const next = await completeProposal(proposal, base, { tidy, verdict, now: now().toISOString() });
  if (!next.ok) return reject(next.error, base, graph);
  const { text, state } = next;
  const notes = [...tidy.notes, ...verdict.notes, ...toNotes(from, issues), ...(asked?.notes ?? [])];
  const results = { outputsMissing: issues.missing, outputsKept: issues.kept };
  const waives = [...new Set(unmet.map(({ id }) => id))];
  const change = { from, to, label: edge?.label, text, state, notes, ...results, judgement, waives, base };
  return { ok: true, change };
}

const STOPPED: ToolError = {
  code: 'ENGINE_ABORTED',
  message: 'The run was stopped while the step was checked; it has not been left.',
};

const NO_ISSUES: ResultIssues = { missing: [], kept: [], early: [], unset: [] };

/** A path that is checked as a product is not reported twice. */
async function findIssues(
  nodeId: string,
  state: WorkflowState,
  judgement: Judgement | undefined,
  { resultsOf, wasWritten, files }: StateGateSources,
): Promise<ResultIssues> {
  const { outputs, ...results } = resultsOf(nodeId);
  const judged = new Set(judgement?.checks.map(({ id }) => id));
  const declared = { outputs: outputs.filter((path) => !judged.has(path)), ...results };
  const { artifacts } = state;
  return findResultIssues(declared, { variables: pathValuesOf(state), artifacts, wasWritten }, files);
}

function reject(error: ToolError, base: StateDocument, graph: WorkflowGraph): ChangeValidation {
  const details = { ...error.details, allowedNext: allowedNext(base.state, graph) };
  return { ok: false, error: { ...error, details } };
}

function rejectMove(
  error: ToolError,
  base: StateDocument,
  to: string,
  { graph, onFact }: Pick<StateGateSources, 'graph' | 'onFact'>,
  checks?: readonly CheckResult[],
): ChangeValidation {
  const from = effectiveNode(base.state, graph);
  const { code, message } = error;
  if (code === 'E_INVALID_TRANSITION') onFact({ type: 'transition.refused', from, to, message });
  else if (code === 'E_OUTPUTS_MISSING' || checks)
    onFact({ type: 'transition.refused', from, to, message, code, checks: checks && [...checks] });
  return reject(error, base, graph);
}

type CompletedText =
  | (EditedText & { readonly ok: false })
  | { readonly ok: true; readonly text: string; readonly state: WorkflowState };

/** The text to write: the proposal with tidied lists, omitted entries, and without calls of a node that was left. */
async function completeProposal(
  proposal: string,
  base: StateDocument,
  {
    tidy,
    verdict,
    now,
  }: { readonly tidy: TidyState; readonly verdict: ValidTransition; readonly now: string },
): Promise<CompletedText> {
  const isTidy = Object.keys(tidy.lists).length === 0;
  const edited: EditedText = isTidy
    ? { ok: true, text: proposal }
    : await editStateLists(proposal, tidy.lists);
  if (!edited.ok) return edited;
  const completed = await completeDocument(edited.text, tidy.state, base, verdict, now);
  const settled = verdict.edge && completed.ok ? await endCalls(completed) : completed;
  if (!settled.ok) return settled;
  return Buffer.byteLength(settled.text) > MAX_STATE_CHARS ? { ok: false, error: STATE_TOO_LONG } : settled;
}

interface Completion {
  readonly completedSteps: readonly string[];
  readonly completedDecisions: readonly Decision[];
}

/** Adds the entries the model omitted, and the time of the change. */
async function completeDocument(
  proposal: string,
  proposed: WorkflowState,
  base: StateDocument,
  { completedSteps, completedDecisions }: Completion,
  now: string,
): Promise<CompletedText> {
  const updatedAt = proposed.updatedAt === base.state.updatedAt ? now : proposed.updatedAt;
  const edited = await updateStateText(proposal, {
    stepsCompleted: { append: [...completedSteps] },
    decisionLog: { append: [...completedDecisions] },
    ...(updatedAt === now ? { updatedAt: { set: now } } : {}),
  });
  if (!edited.ok) return edited;
  const state = {
    ...proposed,
    stepsCompleted: [...proposed.stepsCompleted, ...completedSteps],
    decisionLog: [...proposed.decisionLog, ...completedDecisions],
    updatedAt,
  };
  return { ok: true, text: edited.text, state };
}

/** A run that leaves a node ends the calls that it made from there. */
async function endCalls(completed: {
  readonly text: string;
  readonly state: WorkflowState;
}): Promise<CompletedText> {
  const { text, state } = completed;
  if (state.callStack.length === 0) return { ok: true, text, state };
  const edited = await setCallStack(text, []);
  return edited.ok ? { ok: true, text: edited.text, state: { ...state, callStack: [] } } : edited;
}
