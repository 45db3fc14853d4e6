/**
 * The only writer of a run's state document. Every change is parsed, validated against the schema and the graph,
 * completed with omitted entries, and then written atomically, or rejected without touching the document.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { CallStackEntry, Decision, StateUpdate, WorkflowGraph } from '@crewagent/protocol/workflow';
import { createQueue } from '../base/queue.ts';
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity, isSameIdentity } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { rewindState } from '../workflow/rewind-state.ts';
import { stateChanges } from '../workflow/state-changes.ts';
import { tidyLists } from '../workflow/tidy-lists.ts';
import { allowedNext, effectiveNode, isComplete, validateTransition } from '../workflow/transition.ts';
import { type EditedText, editStateLists, setCallStack, updateStateText } from '../workflow/update-state.ts';
import {
  MAX_STATE_CHARS,
  pathValuesOf,
  readWorkflowState,
  STATE_TOO_LONG,
  type WorkflowState,
} from '../workflow/workflow-state.ts';
import { findMissingOutputs } from './node-outputs.ts';
import {
  consentRequiredError,
  notRewindableError,
  stateFullError,
  toMissingError,
  toMissingNote,
  toMovedError,
} from './state-errors.ts';
import type { ToolFact } from './tool.ts';

export const STATE_DOCUMENT: MountPath = { mount: '@state', segments: ['workflow.md'] };

export interface StateDocument {
  readonly text: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
  readonly state: WorkflowState;
}

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
  readonly base: StateDocument;
  /** Note of the model for later nodes. */
  readonly carry?: string;
}

export type ChangeValidation =
  | { readonly ok: true; readonly change: StateChange }
  | { readonly ok: false; readonly error: ToolError };

export interface StateGate {
  readonly graph: WorkflowGraph;
  /** Throws DamagedState if the document cannot be parsed. */
  read(): Promise<StateDocument>;
  /** Error for a change that was decided in another node than the run is at now. */
  checkDecidedAt(base: StateDocument, decidedAt: string | undefined): ToolError | undefined;
  /** `isPerson`: a user may leave a node without its outputs, and is not asked twice. */
  validate(
    base: StateDocument,
    proposal: string,
    options?: { readonly isPerson?: true },
  ): Promise<ChangeValidation>;
  /**
   * Writes a validated change. Throws ChangedMeanwhile if the document is no longer `change.base`. `diff`: the diff the
   * user was shown, if any.
   */
  commit(change: StateChange, diff?: string): Promise<StateDocument>;
  /**
   * Takes the run back, on a user's request, to an earlier node or to the beginning of the current node. No edge leads
   * there.
   */
  rewind(to: string): Promise<StateDocument>;
  /** A change by the runtime itself, applied to the latest document; undefined means no change. */
  amend(toAmendment: (state: WorkflowState) => Promise<Amendment | undefined>): Promise<StateDocument>;
  /**
   * What another program did to the document since this gate last read or wrote it; without a diff if the previous text
   * is unknown.
   */
  outsideChange(): Promise<{ readonly sha256: string; readonly diff?: string }>;
  /** Adds a project-relative path to `artifacts`, once. Made by the runtime, so neither hash nor consent is checked. */
  recordArtifact(path: string): Promise<StateDocument>;
}

/** What the runtime changes by itself when a called workflow returns. */
export interface Amendment {
  readonly update?: StateUpdate;
  readonly callStack?: readonly CallStackEntry[];
  /** Of the edge that is taken. */
  readonly label?: string | undefined;
  readonly notes?: readonly string[];
}

export class DamagedState extends Error {
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

export interface StateGateSources {
  readonly files: MountedFs;
  readonly graph: WorkflowGraph;
  readonly now: () => Date;
  /** Declared outputs of a node, as project-relative paths. */
  outputsOf(nodeId: string): readonly string[];
  readonly strictOutputs: boolean;
  /** Whether a user allowed one change after completion that has not been made yet. */
  hasConsent(): boolean;
  /** Whether the model was already warned that this move leaves outputs missing; repeating the move is accepted. */
  wasMissingReported(from: string, to: string): boolean;
  onFact(fact: ToolFact): void;
}

/** Number of attempts when another program changes the document concurrently. */
const MAX_ATTEMPTS = 5;

export function createStateGate(sources: StateGateSources): StateGate {
  const { files, graph, now, onFact } = sources;
  const inOrder = createQueue();
  let latest: StateDocument | undefined;
  /** Text when this gate last wrote the document, or first read it. */
  let lastKnownText: string | undefined;

  const read = async (): Promise<StateDocument> => {
    const found = await files.withFile(STATE_DOCUMENT, async (file) => {
      // Unchanged since the last read or write.
      if (latest && isSameIdentity(latest.identity, file.identity)) return latest;
      return { bytes: await file.handle.readFile(), identity: file.identity };
    });
    if (!('bytes' in found)) return found;
    const { bytes, identity } = found;
    const text = bytes.toString('utf8');
    const parsed = await readWorkflowState(text);
    if (!parsed.ok) throw new DamagedState(parsed.error);
    latest = { text, sha256: sha256Of(bytes), identity, state: parsed.state };
    lastKnownText ??= text;
    return latest;
  };

  const write = async (text: string, state: WorkflowState, base: StateDocument): Promise<StateDocument> => {
    const bytes = Buffer.from(text);
    const identity = await files.replace(STATE_DOCUMENT, bytes, {
      expected: base.identity,
      tempName: stagingName('writing'),
    });
    latest = { text, sha256: sha256Of(bytes), identity, state };
    lastKnownText = text;
    return latest;
  };

  /** Applies a change to the current document, with retries. Changes of this process are queued. */
  const retryOnLatest = (change: (base: StateDocument) => Promise<StateDocument>): Promise<StateDocument> =>
    inOrder(async () => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await change(await read());
        } catch (error) {
          if (!(error instanceof ChangedMeanwhile) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    });

  const reject = (error: ToolError, base: StateDocument): ChangeValidation => ({
    ok: false,
    error: { ...error, details: { ...error.details, allowedNext: allowedNext(base.state, graph) } },
  });

  const rejectMove = (error: ToolError, base: StateDocument, to: string): ChangeValidation => {
    const from = effectiveNode(base.state, graph);
    const { code, message } = error;
    if (code === 'E_INVALID_TRANSITION') onFact({ type: 'transition.refused', from, to, message });
    if (code === 'E_OUTPUTS_MISSING') onFact({ type: 'transition.refused', from, to, message, code });
    return reject(error, base);
  };

  return {
    graph,
    read,

    checkDecidedAt({ state }, decidedAt) {
      const nodeId = effectiveNode(state, graph);
      // After completion the model has no node; `hasConsent` decides instead.
      if (decidedAt === undefined || decidedAt === nodeId || isComplete(state, graph)) return undefined;
      return toMovedError(nodeId, state, graph);
    },

    async validate(base, proposal, { isPerson } = {}) {
      const parsed = await readWorkflowState(proposal);
      if (!parsed.ok) return reject(parsed.error, base);
      const before = base.state;
      if (isComplete(before, graph) && !sources.hasConsent()) return reject(consentRequiredError(), base);
      const target = effectiveNode(parsed.state, graph);
      const tidy = tidyLists(before, parsed.state, graph);
      if (!tidy.ok) {
        const details = { field: 'decisionLog' };
        return rejectMove({ code: 'E_INVALID_TRANSITION', message: tidy.message, details }, base, target);
      }
      const verdict = validateTransition(before, tidy.state, graph, now().toISOString());
      if (!verdict.ok) {
        const { code, message, field } = verdict;
        return rejectMove({ code, message, details: { field } }, base, target);
      }
      const { from, to, edge } = verdict;
      // The last node is never left; it is done when the workflow is complete.
      const isDone = edge !== undefined || (!isComplete(before, graph) && isComplete(tidy.state, graph));
      const outputsMissing = isDone
        ? await findMissingOutputs(sources.outputsOf(from), pathValuesOf(tidy.state), files)
        : [];
      const isBlocked = sources.strictOutputs || !(isPerson || sources.wasMissingReported(from, to));
      if (outputsMissing.length > 0 && isBlocked)
        return rejectMove(toMissingError(from, outputsMissing, sources.strictOutputs), base, to);
      const isTidy = Object.keys(tidy.lists).length === 0;
      const edited: EditedText = isTidy
        ? { ok: true, text: proposal }
        : await editStateLists(proposal, tidy.lists);
      if (!edited.ok) return reject(edited.error, base);
      const completed = await completeDocument(edited.text, tidy.state, base, verdict, now().toISOString());
      const settled = edge && completed.ok ? await endCalls(completed) : completed;
      if (!settled.ok) return reject(settled.error, base);
      const { text, state } = settled;
      if (Buffer.byteLength(text) > MAX_STATE_CHARS) return reject(STATE_TOO_LONG, base);
      const notes = [
        ...tidy.notes,
        ...verdict.notes,
        ...outputsMissing.map((path) => toMissingNote(from, path)),
      ];
      return {
        ok: true,
        change: { from, to, label: edge?.label, text, state, notes, outputsMissing, base },
      };
    },

    async commit(change, shown) {
      const { base, from, to, label, notes, outputsMissing, carry } = change;
      const diff = await diffOf(base.text, change.text, shown);
      const written = await inOrder(() => write(change.text, change.state, base));
      for (const path of outputsMissing)
        onFact({ type: 'warning', code: 'OUTPUT_MISSING', message: toMissingNote(from, path) });
      const changes = {
        ...stateChanges(base.state, change.state),
        ...(outputsMissing.length > 0 ? { outputsMissing } : {}),
        ...(carry === undefined ? {} : { carry }),
      };
      onFact({ type: 'state.changed', from, to, label, ...changes, notes, sha256: written.sha256, diff });
      return written;
    },

    rewind: (to) =>
      retryOnLatest(async (base) => {
        const rewound = await rewindState(base.text, base.state, { to, graph, now: now().toISOString() });
        if (!rewound) throw new DamagedState(notRewindableError());
        const { text, state, stepsRemoved } = rewound;
        const diff = await diffOf(base.text, text);
        const written = await write(text, state, base);
        const from = effectiveNode(base.state, graph);
        const changes = { ...stateChanges(base.state, state), stepsRemoved, isRewind: true as const };
        const { sha256 } = written;
        onFact({ type: 'state.changed', from, to, label: undefined, ...changes, notes: [], sha256, diff });
        return written;
      }),

    amend: (toAmendment) =>
      retryOnLatest(async (base) => {
        const amendment = await toAmendment(base.state);
        if (!amendment) return base;
        const { label, notes = [] } = amendment;
        const text = await amendText(base.text, amendment, now().toISOString());
        const parsed = await readWorkflowState(text);
        if (!parsed.ok) throw new DamagedState(parsed.error);
        const [from, to] = [effectiveNode(base.state, graph), effectiveNode(parsed.state, graph)];
        const changes = stateChanges(base.state, parsed.state);
        const diff = amendment.update && (await diffOf(base.text, text));
        const written = await write(text, parsed.state, base);
        // Calls have events of their own.
        if (diff !== undefined)
          onFact({ type: 'state.changed', from, to, label, ...changes, notes, sha256: written.sha256, diff });
        return written;
      }),

    async outsideChange() {
      const before = lastKnownText;
      const { text, sha256 } = await read();
      lastKnownText = text;
      return before === undefined || before === text
        ? { sha256 }
        : { sha256, diff: await diffOf(before, text) };
    },

    recordArtifact: (path) =>
      retryOnLatest(async (base) => {
        if (base.state.artifacts.includes(path)) return base;
        const edited = await updateStateText(base.text, { artifacts: { append: [path] } });
        if (!edited.ok && edited.error !== STATE_TOO_LONG) throw new DamagedState(edited.error);
        if (!edited.ok || Buffer.byteLength(edited.text) > MAX_STATE_CHARS) throw stateFullError();
        return write(edited.text, { ...base.state, artifacts: [...base.state.artifacts, path] }, base);
      }),
  };
}

async function amendText(text: string, { update, callStack }: Amendment, now: string): Promise<string> {
  const updated = await updateStateText(text, { ...update, updatedAt: { set: now } });
  const edited = updated.ok && callStack ? await setCallStack(updated.text, callStack) : updated;
  if (!edited.ok && edited.error !== STATE_TOO_LONG) throw new DamagedState(edited.error);
  if (!edited.ok || Buffer.byteLength(edited.text) > MAX_STATE_CHARS) throw stateFullError();
  return edited.text;
}

/** A run that leaves a node ends the calls that it made from there. */
async function endCalls(completed: {
  readonly text: string;
  readonly state: WorkflowState;
}): Promise<(EditedText & { readonly ok: false }) | { ok: true; text: string; state: WorkflowState }> {
  const { text, state } = completed;
  if (state.callStack.length === 0) return { ok: true, text, state };
  const edited = await setCallStack(text, []);
  return edited.ok ? { ok: true, text: edited.text, state: { ...state, callStack: [] } } : edited;
}

const MAX_DIFF_CHARS = 8_192;

/** Loaded lazily: the diff module is large, and not every run writes. */
async function diffOf(before: string, after: string, shown?: string): Promise<string> {
  const { truncateDiff, diffOf: compare } = await import('./unified-diff.ts');
  const path = formatMountPath(STATE_DOCUMENT);
  return truncateDiff(shown ?? compare(path, Buffer.from(before), Buffer.from(after)), MAX_DIFF_CHARS);
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
): Promise<(EditedText & { readonly ok: false }) | { ok: true; text: string; state: WorkflowState }> {
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
