/**
 * The only writer of a run's state document. Every change is parsed, validated against the schema and the graph,
 * completed with omitted entries, and then written atomically, or rejected without touching the document.
 */
import type { ToolError } from '@crewagent/protocol/tools';
import type { CallStackEntry, StateUpdate, WorkflowGraph } from '@crewagent/protocol/workflow';
import { unlessEmpty } from '../../base/optional-fields.ts';
import { formatMountPath, STATE_DOCUMENT } from '../../mounts/mount-path.ts';
import { rewindState } from '../../workflow/rewind-state.ts';
import { stateChanges } from '../../workflow/state-changes.ts';
import { effectiveNode, isComplete } from '../../workflow/transition.ts';
import { setCallStack, updateStateText } from '../../workflow/update-state.ts';
import {
  MAX_STATE_CHARS,
  readWorkflowState,
  STATE_TOO_LONG,
  type WorkflowState,
} from '../../workflow/workflow-state.ts';
import type { ToolFact } from '../tool.ts';
import { type ArtifactChange, changeArtifacts } from './change-artifacts.ts';
import { toMissingNote } from './node-outputs.ts';
import { notRewindableError, stateFullError, toMovedError } from './state-errors.ts';
import { DamagedState, openStateFile, type StateDocument } from './state-file.ts';
import {
  type ChangeValidation,
  type StateChange,
  type StateGateSources,
  type ValidateOptions,
  validateChange,
} from './validate-change.ts';

export interface StateGate extends Pick<StateGateSources, 'judge' | 'recordProof'> {
  readonly graph: WorkflowGraph;
  /** Throws DamagedState if the document cannot be parsed. */
  read(): Promise<StateDocument>;
  /** Error for a change that was decided in another node than the run is at now. */
  checkDecidedAt(base: StateDocument, decidedAt: string | undefined): ToolError | undefined;
  validate(base: StateDocument, proposal: string, options?: ValidateOptions): Promise<ChangeValidation>;
  /**
   * Writes a validated change. Throws ChangedMeanwhile if the document is no longer `change.base`. `diff`: the diff the
   * user was shown, if any.
   */
  commit(change: StateChange, diff?: string): Promise<StateDocument>;
  /**
   * Takes the run back, on a user's request, to an earlier node or to the beginning of the current node. No edge leads
   * there. With a reason, a model asked for it: it is recorded as a decision.
   */
  rewind(to: string, reason?: string): Promise<StateDocument>;
  /** A change by the runtime itself, applied to the latest document; undefined means no change. */
  amend(toAmendment: (state: WorkflowState) => Promise<Amendment | undefined>): Promise<StateDocument>;
  /**
   * What another program did to the document since this gate last read or wrote it; without a diff if the previous text
   * is unknown.
   */
  outsideChange(): Promise<{ readonly sha256: string; readonly diff?: string }>;
  /** Adds project-relative paths to `artifacts`, once. Made by the runtime, so neither hash nor consent is checked. */
  recordArtifacts(paths: readonly string[]): Promise<StateDocument>;
  /** The same after an undo or redo, with those whose files are gone removed. */
  changeArtifacts(change: ArtifactChange): Promise<StateDocument>;
}

/** What the runtime changes by itself when a called workflow returns, or a visit is carried over. */
export interface Amendment {
  readonly update?: StateUpdate;
  readonly callStack?: readonly CallStackEntry[];
  /** The model's notes for later nodes. */
  readonly carry?: string | undefined;
  /** Of the edge that is taken. */
  readonly label?: string | undefined;
  readonly notes?: readonly string[];
}

export function createStateGate(sources: StateGateSources): StateGate {
  const { graph, now, onFact } = sources;
  const file = openStateFile(sources.document);
  const report = (base: StateDocument, state: WorkflowState, move: StateMove): void => {
    const { unset, artifactsAdded, ...changes } = stateChanges(base.state, state);
    const lists = { unset: unlessEmpty(unset), artifactsAdded: unlessEmpty(artifactsAdded) };
    onFact({ type: 'state.changed', ...changes, ...lists, ...move });
  };

  return {
    graph,
    judge: sources.judge,
    recordProof: sources.recordProof,
    read: () => file.read(),

    checkDecidedAt({ state }, decidedAt) {
      const nodeId = effectiveNode(state, graph);
      // After completion the model has no node; `hasConsent` decides instead.
      if (decidedAt === undefined || decidedAt === nodeId || isComplete(state, graph)) return undefined;
      return toMovedError(nodeId, state, graph);
    },

    validate: (base, proposal, options) => validateChange(base, proposal, sources, options),

    async commit(change, shown) {
      const { base, from, to, label, notes, outputsMissing, outputsKept, judgement, waives, carry } = change;
      const diff = await diffOf(base.text, change.text, shown);
      // Before the document: a process that dies between the two has not lost the facts.
      if (judgement) await sources.recordProof?.(from, judgement, waives);
      const written = await file.inOrder(() => file.write(change.text, change.state, base));
      for (const path of outputsMissing)
        onFact({ type: 'warning', code: 'OUTPUT_MISSING', message: toMissingNote(from, path) });
      const { sha256 } = written;
      const outputs = { outputsMissing: unlessEmpty(outputsMissing), outputsKept: unlessEmpty(outputsKept) };
      const facts = { decidedBy: judgement?.decidedBy, ...(carry === undefined ? {} : { carry }) };
      report(base, change.state, { from, to, label, ...outputs, ...facts, notes: [...notes], sha256, diff });
      return written;
    },

    rewind: (to, reason) =>
      file.retryOnLatest(async (base) => {
        const request = { to, graph, now: now().toISOString(), reason };
        const rewound = await rewindState(base.text, base.state, request);
        if (!rewound) throw new DamagedState(notRewindableError());
        const { text, state, stepsRemoved } = rewound;
        const diff = await diffOf(base.text, text);
        const written = await file.write(text, state, base);
        const from = effectiveNode(base.state, graph);
        const { sha256 } = written;
        const notes = reason === undefined ? [] : [reason];
        const removed = { stepsRemoved: unlessEmpty(stepsRemoved), isRewind: true } as const;
        report(base, state, { from, to, ...removed, notes, sha256, diff });
        return written;
      }),

    amend: (toAmendment) =>
      file.retryOnLatest(async (base) => {
        const amendment = await toAmendment(base.state);
        if (!amendment) return base;
        const { label, notes = [], carry } = amendment;
        const text = await amendText(base.text, amendment, now().toISOString());
        const parsed = await readWorkflowState(text);
        if (!parsed.ok) throw new DamagedState(parsed.error);
        const [from, to] = [effectiveNode(base.state, graph), effectiveNode(parsed.state, graph)];
        const diff = amendment.update && (await diffOf(base.text, text));
        const written = await file.write(text, parsed.state, base);
        // Calls have events of their own.
        const { sha256 } = written;
        if (diff !== undefined)
          report(base, parsed.state, { from, to, label, carry, notes: [...notes], sha256, diff });
        return written;
      }),

    async outsideChange() {
      const { before, document } = await file.readAfter();
      const { text, sha256 } = document;
      return before === undefined || before === text
        ? { sha256 }
        : { sha256, diff: await diffOf(before, text) };
    },

    recordArtifacts: (append) => changeArtifacts(file, { append }),
    changeArtifacts: (change) => changeArtifacts(file, change),
  };
}

/** What the log says about a change besides the fields of the document that differ. */
type StateMove = Omit<
  Extract<ToolFact, { type: 'state.changed' }>,
  'type' | keyof ReturnType<typeof stateChanges>
>;

async function amendText(text: string, { update, callStack }: Amendment, now: string): Promise<string> {
  const updated = await updateStateText(text, { ...update, updatedAt: { set: now } });
  const edited = updated.ok && callStack ? await setCallStack(updated.text, callStack) : updated;
  if (!edited.ok && edited.error !== STATE_TOO_LONG) throw new DamagedState(edited.error);
  if (!edited.ok || Buffer.byteLength(edited.text) > MAX_STATE_CHARS) throw stateFullError();
  return edited.text;
}

const MAX_DIFF_CHARS = 8_192;

/** Loaded lazily: the diff module is large, and not every run writes. */
async function diffOf(before: string, after: string, shown?: string): Promise<string> {
  const { truncateDiff, diffOf: compare } = await import('../files/unified-diff.ts');
  const path = formatMountPath(STATE_DOCUMENT);
  return truncateDiff(shown ?? compare(path, Buffer.from(before), Buffer.from(after)), MAX_DIFF_CHARS);
}
