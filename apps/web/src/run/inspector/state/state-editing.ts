/**
 * Editing of the state document: the draft and the version it started from, saving through the gate, and conflicts. No text is
 * ever discarded: reloading stores the draft as `previous`, and drafts survive switching screens.
 */
import '../../../i18n/context-texts.ts';
import { ApiError } from '@crewagent/protocol/api/client';
import { useEffect, useState } from 'react';
import { useApi, useApiQuery } from '../../../api/api-context.tsx';
import { type LoadedState, useCacheState } from '../../../api/inspector-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import { changeStateDraft, useStateDraft } from '../../../state/state-drafts.ts';
import { toError } from '../../../ui/errors/error-texts.ts';
import { useToasts } from '../../../ui/overlays/toast-store.ts';
import type { Refusal } from './state-document.ts';

/** Why the document was not saved. */
type SaveError =
  | { readonly kind: 'refused'; readonly text: string; readonly refusal: Refusal }
  | { readonly kind: 'busy' }
  | { readonly kind: 'other'; readonly error: Error };

export function useStateEditing(runId: string, latest: LoadedState) {
  const { t } = useTranslation();
  const client = useApi();
  const cacheState = useCacheState(runId);
  const { written: draft, previous } = useStateDraft(runId);
  const [isSaving, setSaving] = useState(false);
  const [issue, setIssue] = useState<SaveError>();
  const text = draft?.text ?? latest.text;
  const base = draft?.base ?? latest;
  const isChanged = draft !== undefined && draft.text !== draft.base.text;
  /** The document was changed elsewhere since. */
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
  return {
    ...{ text, isChanged, isOutdated, isSaving, issue, change },
    /** The draft from before the document was reloaded. */
    previous,
    /** `isConsented`: the user allowed this one change of a complete run. */
    save: (isConsented: boolean): void => void save(isConsented),
    discard: (): void => {
      changeStateDraft(runId, ({ previous: earlier }) => ({ previous: earlier }));
      setIssue(undefined);
    },
    reload: (): void => {
      changeStateDraft(runId, () => ({ previous: text }));
      setIssue(undefined);
    },
    putBack: (): void =>
      changeStateDraft(runId, (before) =>
        before.previous === undefined ? before : { written: { base: latest, text: before.previous } },
      ),
    discardPrevious: (): void => changeStateDraft(runId, ({ written }) => ({ written })),
  };
}

function toSendError(error: unknown, text: string): SaveError {
  if (!(error instanceof ApiError)) return { kind: 'other', error: toError(error) };
  const { code, message, details, status } = error;
  if (code === 'RUN_NOT_READY' || code === 'RUN_LOCKED') return { kind: 'busy' };
  if (status < 500) return { kind: 'refused', text, refusal: { code, message, details: { ...details } } };
  return { kind: 'other', error };
}

const PAUSE_MS = 300;

/** Validates the edited text with the gate, after a pause in typing. Only the verdict for the current text counts. */
export function useStateCheck(workId: string, text: string | undefined) {
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSettled = text !== undefined && settled === text;
  const { data, error } = useApiQuery(
    ['state-check', workId, text],
    ({ works }, call) => works.checkState({ workId, body: { text: text ?? '' } }, call),
    { enabled: isSettled, staleTime: 0, gcTime: 0, retry: false },
  );
  return { verdict: isSettled ? data : undefined, issue: (isSettled && error) || undefined };
}
