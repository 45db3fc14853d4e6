/** Editor of the state document: validated by the gate while typing, and saved through it. */
import { useState } from 'react';
import { type LoadedState, useStateDocument } from '../../../api/state-queries.ts';
import { useTranslation } from '../../../i18n/use-translation.ts';
import type { ShownStory } from '../../../state/conversation-store.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import { ErrorNote } from '../../../ui/errors/error-note.tsx';
import { AlertDialog } from '../../../ui/overlays/alert-dialog.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useStateCheck } from './state-check.ts';
import { toFindings, withCurrentNode } from './state-document.ts';
import { useStateEditing } from './state-editing.ts';
import { StateNotes } from './state-notes.tsx';

interface StateEditorProps {
  readonly view: ShownStory;
}

export function StateEditor({ view }: StateEditorProps) {
  const { data, error } = useStateDocument(view.runId, view.state);
  if (data) return <OpenEditor view={view} latest={data} />;
  return error ? <ErrorNote issue={error} /> : <Skeleton className="h-72" />;
}

function OpenEditor({ view, latest }: StateEditorProps & { readonly latest: LoadedState }) {
  const { t } = useTranslation();
  const { runId } = view;
  const [asks, setAsks] = useState(false);
  const editing = useStateEditing(runId, latest);
  const { text, isChanged, isOutdated, isSaving, change, save, discard } = editing;
  const { verdict, issue } = useStateCheck(runId, isChanged ? text : undefined);
  const refusal = verdict?.ok === false ? verdict.error : undefined;
  const needsConsent = refusal?.code === 'STATE_CHANGE_REQUIRES_CONFIRMATION';
  const isRunning = view.status.kind === 'running';
  const isBroken = refusal !== undefined && !needsConsent;
  const canSave = isChanged && !isRunning && !isOutdated && !isBroken;
  const trySave = (): void => {
    if (!canSave) return;
    if (needsConsent || view.status.kind === 'completed') setAsks(true);
    else save(false);
  };
  const titleOf = (id: string): string => view.nodes.find((node) => node.id === id)?.title ?? id;
  return (
    <section aria-label={t('state.document')} className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-ink-faint">{t('state.document')}</h3>
      <CodeEditor
        label={t('state.document')}
        value={text}
        language="markdown"
        onChange={change}
        onSave={trySave}
        diagnostics={refusal ? toFindings(refusal, text) : NO_FINDINGS}
        className="h-80 rounded-md border"
      />
      <StateNotes
        editing={editing}
        verdict={verdict}
        checkIssue={issue}
        isRunning={isRunning}
        titleOf={titleOf}
        onGoTo={(nodeId) => change(withCurrentNode(text, nodeId))}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" isBusy={isSaving} disabled={!canSave} onClick={trySave}>
          {t('state.save')}
        </Button>
        {isChanged ? (
          <Button disabled={isSaving} onClick={discard}>
            {t('state.discard')}
          </Button>
        ) : undefined}
      </div>
      <AlertDialog
        isOpen={asks}
        title={t('state.consentTitle')}
        cancelLabel={t('action.cancel')}
        confirmLabel={t('state.consentConfirm')}
        onCancel={() => setAsks(false)}
        onConfirm={() => {
          setAsks(false);
          save(true);
        }}
      >
        {t('state.consentText')}
      </AlertDialog>
    </section>
  );
}

const NO_FINDINGS: ReturnType<typeof toFindings> = [];
