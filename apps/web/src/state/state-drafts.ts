/**
 * Unsaved edits of state documents. They survive closing the panel.
 */
import { create } from 'zustand';

export interface StateDraft {
  /** The edited text and the version it started from. */
  readonly written?: StateWriting | undefined;
  /** The edited text from before the document was reloaded. */
  readonly previous?: string | undefined;
}

export interface StateWriting {
  readonly base: { readonly text: string; readonly sha256: string };
  readonly text: string;
}

interface Drafts {
  /** By run. */
  readonly drafts: ReadonlyMap<string, StateDraft>;
}

const useStateDrafts = create<Drafts>(() => ({ drafts: new Map() }));

const NOTHING: StateDraft = {};

export function useStateDraft(runId: string): StateDraft {
  return useStateDrafts(({ drafts }) => drafts.get(runId) ?? NOTHING);
}

export function changeStateDraft(runId: string, change: (before: StateDraft) => StateDraft): void {
  useStateDrafts.setState(({ drafts }) => {
    const draft = change(drafts.get(runId) ?? NOTHING);
    const next = new Map(drafts);
    if (draft.written === undefined && draft.previous === undefined) next.delete(runId);
    else next.set(runId, draft);
    return { drafts: next };
  });
}

export function hasStateDrafts(): boolean {
  return [...useStateDrafts.getState().drafts.values()].some(
    ({ written, previous }) => previous !== undefined || written?.text !== written?.base.text,
  );
}
