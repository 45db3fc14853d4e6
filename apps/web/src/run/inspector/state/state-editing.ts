/**
 * Editing of the state document: the draft and the version it started from, saving through the gate, and conflicts. No text is
 * ever discarded: reloading stores the draft as `previous`, and drafts survive switching screens.
 */

import { ApiError } from '@crewagent/protocol/api/client';
import { useState } from 'react';
import { useApi } from '../../../api/api-context.tsx';
import { type LoadedState, useCacheState } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { changeStateDraft, useStateDraft } from '../../../state/state-drafts.ts';
import { toError } from '../../../ui/errors/error-texts.ts';
import { useToasts } from '../../../ui/overlays/toast-store.ts';
import type { Refusal } from './state-document.ts';

/** Why the document was not saved. */
export type SaveError =
  | { readonly kind: 'refused'; readonly text: string; readonly refusal: Refusal }
  | { readonly kind: 'busy' }
  | { readonly kind: 'other'; readonly error: Error };

export interface StateEditing {
  readonly text: string;
  readonly isChanged: boolean;
  /** The document was changed elsewhere since. */
  readonly isOutdated: boolean;
  /** The draft from before the document was reloaded. */
  readonly previous: string | undefined;
  readonly isSaving: boolean;
  readonly issue: SaveError | undefined;
  readonly change: (text: string) => void;
  /** `isConsented`: the user allowed this one change of a complete run. */
  readonly save: (isConsented: boolean) => void;
  readonly discard: () => void;
  readonly reload: () => void;
  readonly putBack: () => void;
  readonly discardPrevious: () => void;
}

export function useStateEditing(runId: string, latest: LoadedState): StateEditing {
  const { t } = useTranslation();
  const client = useApi();
  const cacheState = useCacheState(runId);
  const { written: draft, previous } = useStateDraft(runId);
  const [isSaving, setSaving] = useState(false);
  const [issue, setIssue] = useState<SaveError>();
  const text = draft?.text ?? latest.text;
  const base = draft?.base ?? latest;
  const isChanged = draft !== undefined && draft.text !== draft.base.text;
  const isOutdated = isChanged && base.sha256 !== latest.sha256;

  const change = (next: string): void => {
    setIssue(undefined);
    // Unchanged text is not a draft: it follows changes made elsewhere.
    const written = next === base.text && base.sha256 === latest.sha256 ? undefined : { base, text: next };
    changeStateDraft(runId, (before) => ({ ...before, written }));
  };
  const save = async (isConsented: boolean): Promise<void> => {
    if (isSaving || !isChanged) return;
    setSaving(true);
    setIssue(undefined);
    try {
      if (isConsented) await client.works.allowChange({ workId: runId });
      const saved = await client.works.editState({
        workId: runId,
        body: { text, ifMatchSha256: base.sha256 },
      });
      cacheState(saved);
      // Keep what was typed while saving.
      changeStateDraft(runId, ({ written: now }) => ({
        written: now?.text === text ? undefined : now && { base: saved, text: now.text },
      }));
      useToasts.getState().show(t('state.saved'));
    } catch (error) {
      setIssue(toSendError(error, text));
    } finally {
      setSaving(false);
    }
  };
  const discard = (): void => {
    changeStateDraft(runId, ({ previous: earlier }) => ({ previous: earlier }));
    setIssue(undefined);
  };
  return {
    text,
    isChanged,
    isOutdated,
    previous,
    isSaving,
    issue,
    change,
    save: (isConsented) => void save(isConsented),
    discard,
    reload: () => {
      changeStateDraft(runId, () => ({ previous: text }));
      setIssue(undefined);
    },
    putBack: () =>
      changeStateDraft(runId, (before) =>
        before.previous === undefined ? before : { written: { base: latest, text: before.previous } },
      ),
    discardPrevious: () => changeStateDraft(runId, ({ written }) => ({ written })),
  };
}

function toSendError(error: unknown, text: string): SaveError {
  if (!(error instanceof ApiError)) return { kind: 'other', error: toError(error) };
  const { code, message, details, status } = error;
  if (code === 'RUN_NOT_READY' || code === 'RUN_LOCKED') return { kind: 'busy' };
  if (status < 500) return { kind: 'refused', text, refusal: { code, message, details: { ...details } } };
  return { kind: 'other', error };
}
