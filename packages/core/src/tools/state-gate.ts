/**
 * The one writer of a run's state document. Whoever asks, a change is parsed, held against the schema and the graph,
 * completed where the writer was hurried, and then written whole, or refused with the document byte for byte as it was.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { Decision, WorkflowGraph } from '@crewagent/protocol/workflow';
import { createQueue } from '../base/queue.ts';
import { sha256Of } from '../base/sha256.ts';
import { stagingName } from '../base/staging.ts';
import { ChangedMeanwhile, type FileIdentity, isSameIdentity } from '../mounts/file-identity.ts';
import { formatMountPath, type MountPath } from '../mounts/mount-path.ts';
import type { MountedFs } from '../mounts/mounted-fs.ts';
import { rewindState } from '../workflow/rewind-state.ts';
import { stateChanges } from '../workflow/state-changes.ts';
import { tidyLists } from '../workflow/tidy-lists.ts';
import { allowedNext, effectiveNode, isComplete, judgeTransition } from '../workflow/transition.ts';
import { type EditedText, editStateLists, updateStateText } from '../workflow/update-state.ts';
import {
  MAX_STATE_CHARS,
  readWorkflowState,
  STATE_TOO_LONG,
  type WorkflowState,
} from '../workflow/workflow-state.ts';
import { findMissingOutputs } from './node-outputs.ts';
import {
  fullState,
  needsConsent,
  notRewindable,
  toMissingError,
  toMissingNote,
  toMovedError,
} from './state-refusals.ts';
import type { ToolFact } from './tool.ts';

export const STATE_DOCUMENT: MountPath = { mount: '@state', segments: ['workflow.md'] };

export interface StateDocument {
  readonly text: string;
  readonly sha256: string;
  readonly identity: FileIdentity;
  readonly state: WorkflowState;
}

/** A change that may be written. */
export interface StateChange {
  readonly from: string;
  readonly to: string;
  readonly label: string | undefined;
  /** What will stand in the file: the proposal, completed by the runtime. */
  readonly text: string;
  readonly state: WorkflowState;
  readonly notes: readonly string[];
  /** Declared outputs of the node that is left, which are not there. */
  readonly outputsMissing: readonly string[];
  readonly base: StateDocument;
  /** What the model noted for later nodes. */
  readonly carry?: string;
}

export type Judgement =
  | { readonly ok: true; readonly change: StateChange }
  | { readonly ok: false; readonly error: ToolError };

export interface StateGate {
  readonly graph: WorkflowGraph;
  /** Throws DamagedState when the document cannot be read as one. */
  read(): Promise<StateDocument>;
  /** Why nothing that was decided in a node may change the document: the run is at another one by now. */
  findMove(base: StateDocument, decidedAt: string | undefined): ToolError | undefined;
  /** `isPerson`: a person may leave a node without its outputs, and is not asked twice. */
  judge(base: StateDocument, proposal: string, options?: { readonly isPerson?: true }): Promise<Judgement>;
  /**
   * Writes a judged change; throws ChangedMeanwhile when the document is no longer the one it was judged against. `diff`: if
   * somebody was shown it already.
   */
  commit(change: StateChange, diff?: string): Promise<StateDocument>;
  /** A person takes the run back to a node where it was, or to the beginning of the one it is at. No edge leads there. */
  rewind(to: string): Promise<StateDocument>;
  /** What somebody else did to the document since it was last known here; without a diff where that is not known. */
  outsideChange(): Promise<{ readonly sha256: string; readonly diff?: string }>;
  /** Adds a project-relative path to `artifacts`, once. Not a change by the model, so no hash and no consent is asked. */
  recordArtifact(path: string): Promise<StateDocument>;
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
  /** The declared outputs of a node, as project-relative paths. */
  outputsOf(nodeId: string): readonly string[];
  readonly strictOutputs: boolean;
  /** A person allowed one change after completion, and it was not made yet. */
  hasConsent(): boolean;
  /** The model was told which outputs this move leaves behind; made again it is accepted. */
  wasMissingReported(from: string, to: string): boolean;
  onFact(fact: ToolFact): void;
}

/** How often a change is made again because something outside this process was faster. */
const MAX_TRIES = 5;

export function createStateGate(sources: StateGateSources): StateGate {
  const { files, graph, now, onFact } = sources;
  const inOrder = createQueue();
  let latest: StateDocument | undefined;
  /** As it was when we last wrote it, or first saw it. */
  let known: string | undefined;

  const read = async (): Promise<StateDocument> => {
    const found = await files.withFile(STATE_DOCUMENT, async (file) => {
      // Nobody touched it since it was last read or written: what is known of it still holds.
      if (latest && isSameIdentity(latest.identity, file.identity)) return latest;
      return { bytes: await file.handle.readFile(), identity: file.identity };
    });
    if (!('bytes' in found)) return found;
    const { bytes, identity } = found;
    const text = bytes.toString('utf8');
    const parsed = await readWorkflowState(text);
    if (!parsed.ok) throw new DamagedState(parsed.error);
    latest = { text, sha256: sha256Of(bytes), identity, state: parsed.state };
    known ??= text;
    return latest;
  };

  const write = async (text: string, state: WorkflowState, base: StateDocument): Promise<StateDocument> => {
    const bytes = Buffer.from(text);
    const identity = await files.replace(STATE_DOCUMENT, bytes, {
      expected: base.identity,
      tempName: stagingName('writing'),
    });
    latest = { text, sha256: sha256Of(bytes), identity, state };
    known = text;
    return latest;
  };

  /** A change that applies to whatever the document is now. Changes of this process wait for each other. */
  const onLatest = (change: (base: StateDocument) => Promise<StateDocument>): Promise<StateDocument> =>
    inOrder(async () => {
      for (let tries = 1; ; tries++) {
        try {
          return await change(await read());
        } catch (error) {
          if (!(error instanceof ChangedMeanwhile) || tries === MAX_TRIES) throw error;
        }
      }
    });

  const refuse = (error: ToolError, base: StateDocument): Judgement => ({
    ok: false,
    error: { ...error, details: { ...error.details, allowedNext: allowedNext(base.state, graph) } },
  });

  const refuseMove = (error: ToolError, base: StateDocument, to: string): Judgement => {
    const from = effectiveNode(base.state, graph);
    const { code, message } = error;
    if (code === 'E_INVALID_TRANSITION') onFact({ type: 'transition.refused', from, to, message });
    if (code === 'E_OUTPUTS_MISSING') onFact({ type: 'transition.refused', from, to, message, code });
    return refuse(error, base);
  };

  return {
    graph,
    read,

    findMove({ state }, decidedAt) {
      const nodeId = effectiveNode(state, graph);
      // After completion no node is told, and consent decides.
      if (decidedAt === undefined || decidedAt === nodeId || isComplete(state, graph)) return undefined;
      return toMovedError(nodeId, state, graph);
    },

    async judge(base, proposal, { isPerson } = {}) {
      const parsed = await readWorkflowState(proposal);
      if (!parsed.ok) return refuse(parsed.error, base);
      const before = base.state;
      if (isComplete(before, graph) && !sources.hasConsent()) return refuse(needsConsent(), base);
      const target = effectiveNode(parsed.state, graph);
      const tidy = tidyLists(before, parsed.state, graph);
      if (!tidy.ok) {
        const details = { field: 'decisionLog' };
        return refuseMove({ code: 'E_INVALID_TRANSITION', message: tidy.message, details }, base, target);
      }
      const verdict = judgeTransition(before, tidy.state, graph, now().toISOString());
      if (!verdict.ok) {
        const { code, message, field } = verdict;
        return refuseMove({ code, message, details: { field } }, base, target);
      }
      const { from, to, edge } = verdict;
      // The last node is not left; it is done when the workflow is.
      const isDone = edge !== undefined || (!isComplete(before, graph) && isComplete(tidy.state, graph));
      const outputsMissing = isDone
        ? await findMissingOutputs(sources.outputsOf(from), tidy.state.variables, files)
        : [];
      const isHeld = sources.strictOutputs || !(isPerson || sources.wasMissingReported(from, to));
      if (outputsMissing.length > 0 && isHeld)
        return refuseMove(toMissingError(from, outputsMissing, sources.strictOutputs), base, to);
      const isTidy = Object.keys(tidy.lists).length === 0;
      const edited: EditedText = isTidy
        ? { ok: true, text: proposal }
        : await editStateLists(proposal, tidy.lists);
      if (!edited.ok) return refuse(edited.error, base);
      const completed = await completeDocument(edited.text, tidy.state, base, verdict, now().toISOString());
      if (!completed.ok) return refuse(completed.error, base);
      const { text, state } = completed;
      if (Buffer.byteLength(text) > MAX_STATE_CHARS) return refuse(STATE_TOO_LONG, base);
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
      onLatest(async (base) => {
        const rewound = await rewindState(base.text, base.state, { to, graph, now: now().toISOString() });
        if (!rewound) throw new DamagedState(notRewindable());
        const { text, state, stepsRemoved } = rewound;
        const diff = await diffOf(base.text, text);
        const written = await write(text, state, base);
        const from = effectiveNode(base.state, graph);
        const changes = { ...stateChanges(base.state, state), stepsRemoved, isRewind: true as const };
        const { sha256 } = written;
        onFact({ type: 'state.changed', from, to, label: undefined, ...changes, notes: [], sha256, diff });
        return written;
      }),

    async outsideChange() {
      const before = known;
      const { text, sha256 } = await read();
      known = text;
      return before === undefined || before === text
        ? { sha256 }
        : { sha256, diff: await diffOf(before, text) };
    },

    recordArtifact: (path) =>
      onLatest(async (base) => {
        if (base.state.artifacts.includes(path)) return base;
        const edited = await updateStateText(base.text, { artifacts: { append: [path] } });
        if (!edited.ok && edited.error !== STATE_TOO_LONG) throw new DamagedState(edited.error);
        if (!edited.ok || Buffer.byteLength(edited.text) > MAX_STATE_CHARS) throw fullState();
        return write(edited.text, { ...base.state, artifacts: [...base.state.artifacts, path] }, base);
      }),
  };
}

const MAX_DIFF_CHARS = 8_192;

/** What compares texts is large, and not every run writes. */
async function diffOf(before: string, after: string, shown?: string): Promise<string> {
  const { cutOff, diffOf: compare } = await import('./unified-diff.ts');
  const path = formatMountPath(STATE_DOCUMENT);
  return cutOff(shown ?? compare(path, Buffer.from(before), Buffer.from(after)), MAX_DIFF_CHARS);
}

interface Completion {
  readonly completedSteps: readonly string[];
  readonly completedDecisions: readonly Decision[];
}

/** Adds what the runtime owes the document, and the time of the change. */
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
